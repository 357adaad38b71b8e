//! Statements of bodies, and declarations wherever they stand.

use super::operand::Commas;
use super::{INDENT, Printer};
use crate::ast::{
    Attribute, Block, Declarator, Initializer, Loc, Parameter, Pragma, Prototype, Statement, Targets,
    Variable,
};
use crate::source::Span;
use std::fmt::{Display, Formatter, Result, Write};

/// Lists of values are broken into lines of about this length.
const WIDTH: usize = 100;

impl Printer<'_> {
    /// A block on lines of its own; what follows it begins at `next`.
    pub(super) fn block(&mut self, block: &Block, next: u32) {
        let start = |index: usize| block.statements.get(index).map_or(block.span.end, |s| span(s).start);
        self.begin_line();
        self.put("{");
        self.indent += 1;
        self.trailing(start(0));
        for (index, statement) in block.statements.iter().enumerate() {
            self.statement(statement, start(index + 1));
        }
        self.leading(block.span.end);
        self.drop_blank_end();
        self.indent -= 1;
        self.begin_line();
        self.put("}");
        self.trailing(next);
    }

    fn statement(&mut self, statement: &Statement, next: u32) {
        if let Statement::Block(block) = statement {
            self.leading(block.span.start);
            return self.block(block, next);
        }
        if let Statement::Label(name) = statement {
            self.leading_in(name.span);
            self.indent -= 1;
            self.begin_line();
            self.indent += 1;
            self.put(format_args!("{name}:"));
            return self.trailing(next);
        }
        self.leading_in(span(statement));
        self.begin_line();
        match statement {
            Statement::Block(_) | Statement::Label(_) => {}
            Statement::Instruction(instruction) => self.put(instruction),
            Statement::Variable(variable) => self.variable(variable),
            Statement::Loc(loc) => self.put(loc),
            Statement::Pragma(pragma) => self.put(pragma),
            Statement::Prototype(prototype) => self.put(prototype),
            Statement::CallTargets(targets) => self.targets("calltargets", targets),
            Statement::BranchTargets(targets) => self.targets("branchtargets", targets),
        }
        self.trailing(next);
    }

    fn targets(&mut self, word: &str, targets: &Targets) {
        self.put(format_args!("{}: .{word} {};", targets.label, Commas(&targets.names)));
    }

    pub(super) fn variable(&mut self, variable: &Variable) {
        if let Some(linkage) = &variable.linkage {
            self.put(format_args!("{linkage} "));
        }
        self.put(&variable.space);
        for attribute in &variable.attributes {
            self.put(format_args!(" {attribute}"));
        }
        if let Some(align) = &variable.align {
            self.put(format_args!(" .align {align}"));
        }
        for word in variable.vector.iter().chain(&variable.ty) {
            self.put(format_args!(" {word}"));
        }
        for (index, declarator) in variable.names.iter().enumerate() {
            self.put(format_args!("{} {declarator}", if index == 0 { "" } else { "," }));
            if let Some(value) = &declarator.initializer {
                self.put(" = ");
                self.initializer(value);
            }
        }
        self.put(";");
    }

    /// A value or list; a long list fills several lines.
    fn initializer(&mut self, value: &Initializer) {
        let Initializer::List(items, _) = value else { return self.put(value) };
        let column = self.out.len() - self.out.rfind('\n').map_or(0, |at| at + 1);
        let mut line = String::new();
        let short = write!(Limited(&mut line, WIDTH.saturating_sub(column)), "{value}").is_ok();
        if short {
            return self.put(line);
        }
        self.put("{");
        self.end_line();
        self.indent += 1;
        self.fill(items);
        self.indent -= 1;
        self.begin_line();
        self.put("}");
    }

    fn fill(&mut self, items: &[Initializer]) {
        let mut column = 0;
        for (index, item) in items.iter().enumerate() {
            let comma = if index + 1 == items.len() { "" } else { "," };
            let before = self.out.len();
            if column == 0 {
                self.begin_line();
            } else {
                self.put(" ");
            }
            self.initializer(item);
            self.put(comma);
            column += self.out.len() - before;
            let list = matches!(item, Initializer::List(..));
            if comma.is_empty() || list || column + INDENT.len() > WIDTH {
                self.end_line();
                column = 0;
            }
        }
    }
}

/// Takes text up to a length, then refuses.
struct Limited<'a>(&'a mut String, usize);

impl Write for Limited<'_> {
    fn write_str(&mut self, text: &str) -> Result {
        self.0.push_str(text);
        if self.0.len() > self.1 { Err(std::fmt::Error) } else { Ok(()) }
    }
}

impl Display for Initializer {
    fn fmt(&self, f: &mut Formatter) -> Result {
        match self {
            Initializer::Value(value) => value.fmt(f),
            Initializer::Property(name, value) => write!(f, "{name} = {value}"),
            Initializer::List(items, _) => write!(f, "{{{}}}", Commas(items)),
        }
    }
}

/// Name, number and dimensions; the initial value is left to the variable.
impl Display for Declarator {
    fn fmt(&self, f: &mut Formatter) -> Result {
        self.name.fmt(f)?;
        self.count.iter().try_for_each(|count| write!(f, "<{count}>"))?;
        self.dimensions.iter().try_for_each(|dimension| match &dimension.size {
            Some(size) => write!(f, "[{size}]"),
            None => f.write_str("[]"),
        })
    }
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, ".attribute({}", self.word)?;
        if !self.arguments.is_empty() {
            write!(f, "({})", Commas(&self.arguments))?;
        }
        f.write_str(")")
    }
}

impl Display for Parameter {
    fn fmt(&self, f: &mut Formatter) -> Result {
        self.space.fmt(f)?;
        self.align.iter().try_for_each(|align| write!(f, " .align {align}"))?;
        self.vector.iter().chain(&self.ty).try_for_each(|word| write!(f, " {word}"))?;
        if let Some(hint) = &self.pointer {
            f.write_str(" .ptr")?;
            hint.space.iter().try_for_each(|space| write!(f, " {space}"))?;
            hint.align.iter().try_for_each(|align| write!(f, " .align {align}"))?;
        }
        write!(f, " {}", self.declarator)
    }
}

impl Display for Prototype {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "{}: .callprototype ", self.label)?;
        if !self.returns.is_empty() {
            write!(f, "({}) ", Commas(&self.returns))?;
        }
        write!(f, "_ ({})", Commas(&self.parameters))?;
        self.directives.iter().try_for_each(|directive| write!(f, " {directive}"))?;
        f.write_str(";")
    }
}

impl Display for Loc {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, ".loc {} {} {}", self.file, self.line, self.column)?;
        self.function_name.iter().try_for_each(|label| write!(f, ", function_name {label}"))?;
        self.inlined_at
            .iter()
            .try_for_each(|[file, line, column]| write!(f, ", inlined_at {file} {line} {column}"))
    }
}

impl Display for Pragma {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, ".pragma {};", Commas(&self.texts))
    }
}

fn span(statement: &Statement) -> Span {
    match statement {
        Statement::Block(x) => x.span,
        Statement::Label(x) => x.span,
        Statement::Instruction(x) => x.span,
        Statement::Variable(x) => x.span,
        Statement::Loc(x) => x.span,
        Statement::Pragma(x) => x.span,
        Statement::Prototype(x) => x.span,
        Statement::CallTargets(x) | Statement::BranchTargets(x) => x.span,
    }
}
