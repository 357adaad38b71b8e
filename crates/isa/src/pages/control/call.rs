//! `call`: run a function, named or by its address.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.12.5", &["call"], &[
    line("call{.uni} (ret-param), func, (param-list)"),
    line("call{.uni} (ret-param), func"),
    line("call{.uni} func, (param-list)"),
    line("call{.uni} func"),
    line("call{.uni} (ret-param), fptr, (param-list), flist").since(INDIRECT),
    line("call{.uni} fptr, (param-list), flist").since(INDIRECT),
    line("call{.uni} fptr, flist").since(INDIRECT),
], Meaning::Effect(Effect::Call))
    .about("run a function",
        "Calls the function with the arguments and continues after the call. A function known only by its \
         address needs a prototype or a list of the functions it may be.")
    .operands(&[
        dst("ret-param", TypeRule::Other).sink(),
        src("param-list", TypeRule::Other),
        src("func fptr flist", TypeRule::Other).constants(Immediate::No),
    ])
    .examples(&["call init;", "call (d), h;", "call.uni g, (a);", "@p call (d), h, (a, b);", "call (r), fptr, (x), proto;", "call.uni fptr, table;"])
    .refused(&[("call (d), (a), f;", "the function comes before its arguments")])
    .errata(&[erratum(
        "prints a list of arguments after a list of results, though it may be empty",
        "takes a call with results and without a list of arguments, as compilers write it",
    )]);

const INDIRECT: Floor = Floor::new(2, 1, 20);
