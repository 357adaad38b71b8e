//! Compact programs: the few statements that all threads of a CTA carry out, as a tree that can be checked, made smaller, and printed.

/// Registers of 32 bits that statements of most programs use.
pub const WORDS: u8 = 6;

/// A kernel and how it is launched.
#[derive(Clone)]
pub struct Program {
    pub seed: u64,
    /// Threads along the two axes of a CTA.
    pub block: [u32; 2],
    /// Threads in a row of the tile that they form: those of the first axis, or a part of them.
    pub columns: u32,
    pub grid: [u32; 2],
    /// Bytes that a CTA has to itself, in global and in shared memory.
    pub window: u32,
    /// Bytes from a CTA's part of global memory to where the second pointer to it points.
    pub alias: u32,
    pub style: Style,
    pub body: Vec<Stmt>,
    /// Registers that are stored at the end.
    pub digest: Vec<u8>,
}

/// How a program is written down.
#[derive(Clone, Copy)]
pub struct Style {
    /// Whether global memory is used by generic addresses, and shared memory.
    pub generic: [bool; 2],
    /// How often addresses are computed once, in front of everything or of a loop.
    pub ahead: Ahead,
    /// Whether addresses are put together by shifts and bits where that gives the same as sums of products.
    pub bits: bool,
    /// Whether some registers begin with loaded words.
    pub loaded: bool,
    /// Whether most of what is computed, and all numbers that memory holds at first, are floating-point.
    pub floating: bool,
    /// Whether warps multiply matrices.
    pub matrices: bool,
    /// Whether any instruction in any form may occur.
    pub forms: bool,
    /// What atomic operations do.
    pub atomic: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    Always,
    Sometimes,
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// A CTA's part of global memory.
    Global,
    Shared,
    /// Global memory that is only read.
    Input,
}

/// Where each thread's element lies.
#[derive(Clone, Copy)]
pub struct At {
    pub space: Space,
    /// Whether the second pointer leads there.
    pub second: bool,
    /// Bytes from column to column, from row to row, and from turn to turn of the outer and the inner loop.
    pub by: [i64; 4],
    pub plus: i64,
    /// Bits of a thread's number that are turned over first; then it is the column, and there is one row.
    pub twist: u32,
    /// Whether the address is computed ahead.
    pub ahead: bool,
}

/// What is loaded or stored: how many elements of so many bytes.
#[derive(Clone, Copy)]
pub struct Width {
    pub bytes: u32,
    pub lanes: u32,
    pub signed: bool,
}

impl Width {
    pub fn size(self) -> u32 {
        self.bytes * self.lanes
    }
}

/// The threads that carry out a part.
#[derive(Clone, Copy)]
pub enum Those {
    Below(u32),
    Only(u32),
    Column(u32),
    FirstLanes,
    /// Those whose value of a register is less than a number.
    Less(u8, u32),
}

#[derive(Clone)]
pub enum Stmt {
    Load {
        at: At,
        width: Width,
        to: Vec<u8>,
    },
    /// A load of an element that a register says, of so many first ones, a power of two.
    Gather {
        space: Space,
        word: u8,
        count: u32,
        width: Width,
        to: Vec<u8>,
    },
    Store {
        at: At,
        width: Width,
        from: Vec<u8>,
    },
    /// Asynchronous copies of so many bytes from global to shared memory, which are waited for at once.
    Copies {
        each: Vec<[At; 2]>,
        bytes: u32,
    },
    /// An atomic operation on a word whose old value nobody reads.
    Atomic {
        at: At,
        from: u8,
    },
    /// Matrices that the lanes of warps load from shared memory, or store: the first lanes say where rows of 16 bytes lie.
    Matrices {
        at: At,
        registers: Vec<u8>,
        turned: bool,
        store: bool,
    },
    /// Instructions without memory.
    Ops(String),
    Barrier(&'static str),
    WarpBarrier,
    Loop(Loop),
    Guarded {
        those: Those,
        /// Whether the others branch, if there is but one statement.
        branch: bool,
        body: Vec<Stmt>,
    },
}

#[derive(Clone)]
pub struct Loop {
    pub turns: u32,
    pub counts: Counts,
    /// How many threads, the last ones, leave a turn earlier.
    pub cut: u32,
    pub body: Vec<Stmt>,
}

/// How the end of a loop is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    Up,
    Down,
    /// To a number that the launch gives.
    Given,
    /// By a number of the thread's that grows.
    Threads,
}

impl Program {
    pub fn threads(&self) -> u32 {
        self.block[0] * self.block[1]
    }

    pub fn ctas(&self) -> u32 {
        self.grid[0] * self.grid[1]
    }

    /// Registers of 32 bits that statements use.
    pub fn words(&self) -> u8 {
        match self.style {
            Style { matrices: true, .. } => 16,
            Style { forms: true, .. } => 8,
            _ => WORDS,
        }
    }

    /// Whether warps are whole.
    pub fn has_warps(&self) -> bool {
        self.threads().is_multiple_of(32)
    }
}

impl At {
    /// Where a thread's element lies in its window.
    pub fn of(&self, thread: u32, columns: u32, turns: [u32; 2]) -> i64 {
        let (x, y) = match self.twist {
            0 => (thread % columns, thread / columns),
            twist => (thread ^ twist, 0),
        };
        let places = [x, y, turns[0], turns[1]].map(i64::from);
        self.by.iter().zip(places).fold(self.plus, |sum, (by, place)| sum + by * place)
    }
}

impl Those {
    pub fn has(self, thread: u32, columns: u32) -> bool {
        match self {
            Those::Below(n) => thread < n,
            Those::Only(n) => thread == n,
            Those::Column(x) => thread % columns == x,
            Those::FirstLanes => thread.is_multiple_of(32),
            // Any may be.
            Those::Less(..) => true,
        }
    }
}

impl Stmt {
    /// What is done inside.
    pub fn body(&self) -> Option<&Vec<Stmt>> {
        match self {
            Stmt::Loop(Loop { body, .. }) | Stmt::Guarded { body, .. } => Some(body),
            _ => None,
        }
    }

    pub fn body_mut(&mut self) -> Option<&mut Vec<Stmt>> {
        match self {
            Stmt::Loop(Loop { body, .. }) | Stmt::Guarded { body, .. } => Some(body),
            _ => None,
        }
    }
}

/// The statements among which the last number of a path is a place.
pub fn around<'b>(body: &'b mut Vec<Stmt>, path: &[usize]) -> &'b mut Vec<Stmt> {
    match path {
        [first, rest @ ..] if !rest.is_empty() => {
            around(body[*first].body_mut().expect("paths lead through bodies"), rest)
        }
        _ => body,
    }
}
