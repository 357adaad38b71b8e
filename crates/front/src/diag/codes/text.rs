//! P0xx: characters and literals.

use super::{Code, Entry};

/// A character that PTX does not use.
pub const UNKNOWN_CHARACTER: Code = Code::new(&Entry {
    code: "P001",
    title: "unknown character",
    explanation: "PTX is written in ASCII. Outside comments and strings only letters, digits, white space \
                  and the punctuation of its grammar are allowed. Characters such as typographic quotation \
                  marks or dashes come from word processors.",
    bad: ".version 8.0\n.target sm_80\n.global .u32 größe;\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 size;\n",
});

/// Bytes that are not UTF-8.
pub const INVALID_UTF8: Code = Code::new(&Entry {
    code: "P002",
    title: "not UTF-8",
    explanation: "The file holds bytes that are not UTF-8. In comments and strings they are harmless and \
                  shown as U+FFFD; elsewhere they are errors. A binary file, such as a cubin, is not PTX.",
    bad: ".version 8.0\n.target sm_80\n// a byte that is no character: \u{fffd}\n",
    good: ".version 8.0\n.target sm_80\n// plain text\n",
});

/// A comment that does not end.
pub const UNCLOSED_COMMENT: Code = Code::new(&Entry {
    code: "P003",
    title: "comment is not closed",
    explanation: "A comment that starts with `/*` continues to the next `*/`. Comments do not nest.",
    bad: ".version 8.0\n.target sm_80\n/* to be continued\n",
    good: ".version 8.0\n.target sm_80\n/* finished */\n",
});

/// A string that does not end on its line.
pub const UNCLOSED_STRING: Code = Code::new(&Entry {
    code: "P004",
    title: "string is not closed",
    explanation: "A string starts and ends with `\"` on the same line. A quotation mark inside it is written \
                  `\\\"`.",
    bad: ".version 8.0\n.target sm_80\n.file 1 \"a.cu\n",
    good: ".version 8.0\n.target sm_80\n.file 1 \"a.cu\"\n",
});

/// A number that is not written as one.
pub const MALFORMED_NUMBER: Code = Code::new(&Entry {
    code: "P005",
    title: "malformed number",
    explanation: "Integers are decimal (`12`), hexadecimal (`0x1f`), octal (a leading `0`: `017`) or binary \
                  (`0b101`), with an optional `U` at the end. Floating-point numbers are decimal (`1.5`, \
                  `2e10`) or hexadecimal: `0f` and exactly 8 digits, `0d` and exactly 16.",
    bad: ".version 8.0\n.target sm_80\n.global .u32 x = 08;\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x = 8;\n",
});

/// A number far too large.
pub const CONSTANT_OVERFLOW: Code = Code::new(&Entry {
    code: "P006",
    title: "constant is too large",
    explanation: "Integer constants have 64 bits. One that has more digits than any 64-bit number is an \
                  error; one that is slightly too large keeps its low 64 bits, with a warning. Decimal \
                  floating-point constants must be normal 64-bit numbers, or zero; anything outside their \
                  range is an error.",
    bad: ".version 8.0\n.target sm_80\n.global .u64 x = 0xf23456789abcdef01;\n",
    good: ".version 8.0\n.target sm_80\n.global .u64 x = 0x123456789abcdef0;\n",
});

/// A text of more than 4 GiB, or of more parts than memory should hold.
pub const TOO_LARGE: Code = Code::new(&Entry {
    code: "P007",
    title: "file is too large",
    explanation: "margay reads files below 4 GiB, with at most 33 million statements, operands and values. \
                  No compiler writes a larger module; split it.",
    bad: "",
    good: ".version 8.0\n.target sm_80\n",
});

pub(super) const TABLE: &[Code] = &[
    UNKNOWN_CHARACTER,
    INVALID_UTF8,
    UNCLOSED_COMMENT,
    UNCLOSED_STRING,
    MALFORMED_NUMBER,
    CONSTANT_OVERFLOW,
    TOO_LARGE,
];
