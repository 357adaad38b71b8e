//! Sequences that many kernels have: words moved in place, tiles by way of shared memory, products of rows and columns, sums of halves.

use super::draw::{Draw, Place, TOP, barrier};
use super::floats;
use super::matrices;
use super::operations::{combined, drawn, fill, operation, uniform};
use super::places::{Deed, WORD};
use super::program::{At, Space, Stmt, Those, Width};
use super::rounds::rounds;

/// One of them, at the top of a program.
pub fn shape(draw: &mut Draw) -> Vec<Stmt> {
    if draw.program.style.matrices && draw.random.once_in(2) {
        return matrices::tiles(draw);
    }
    match draw.random.below(22) {
        0..3 => moved(draw),
        3 => kept(draw),
        4..6 => copied(draw),
        6..10 => product(draw),
        10 => halves(draw),
        11..16 => sum(draw),
        16..20 => rounds(draw),
        _ => counted(draw),
    }
}

/// A place a few elements after a thread's own.
fn near(draw: &mut Draw, space: Space, size: i64) -> At {
    let far = *draw.random.pick(&[0, 1, 1, 2, 3, 16, 32]);
    let own = draw.own(space, size);
    let at = At { plus: far * size, ..own };
    if draw.is_inside(&at, size, TOP) { at } else { own }
}

/// Words that move on by some places, after all threads, or those of a warp, have loaded theirs.
fn moved(draw: &mut Draw) -> Vec<Stmt> {
    let space = *draw.random.pick(&[Space::Global, Space::Global, Space::Global, Space::Shared]);
    let wide = draw.random.once_in(4);
    let width = Width { bytes: if wide { 8 } else { 4 }, ..WORD };
    let size = i64::from(width.bytes);
    let (from, to) = (near(draw, space, size), near(draw, space, size));
    let first = draw.registers(width)[0];
    let mut all = vec![Stmt::Load { at: from, width, to: vec![first] }];
    for _ in 0..draw.random.below(3) {
        all.extend(draw.load(TOP));
    }
    let result = draw.registers(width)[0];
    let mut from = first;
    for k in 0..1 + draw.random.below(3) {
        if draw.random.once_in(3) {
            all.push(barrier(&mut draw.random));
        }
        all.push(Stmt::Ops(combined(draw, k == 0, wide, [result, from])));
        from = if wide { draw.wide } else { draw.any_word() };
    }
    all.push(Stmt::Store { at: to, width, from: vec![result] });
    all
}

/// Words that are loaded, written anew, and used only then.
fn kept(draw: &mut Draw) -> Vec<Stmt> {
    let space = *draw.random.pick(&[Space::Global, Space::Global, Space::Shared]);
    let from = near(draw, space, 4);
    let to = draw.registers(WORD)[0];
    let mut all = vec![Stmt::Load { at: from, width: WORD, to: vec![to] }];
    for _ in 0..1 + draw.random.below(2) {
        // The same words, or those of neighbours.
        let at = if draw.random.once_in(2) { from } else { near(draw, space, 4) };
        let other = (to + 1 + draw.random.below(3) as u8) % draw.program.words();
        if draw.random.once_in(3) {
            all.extend(draw.load(TOP));
        }
        all.push(Stmt::Store { at, width: WORD, from: vec![other] });
    }
    let last = draw.registers(WORD)[0];
    all.push(Stmt::Ops(combined(draw, true, false, [last, to])));
    let space = *draw.random.pick(&[Space::Global, Space::Shared]);
    let at = near(draw, space, 4);
    all.push(Stmt::Store { at, width: WORD, from: vec![last] });
    all
}

/// A tile that goes through shared memory, perhaps late or only in part, and is read in another way there.
fn copied(draw: &mut Draw) -> Vec<Stmt> {
    let (from, via) = (near(draw, Space::Global, 4), near(draw, Space::Shared, 4));
    let lanes = *draw.random.pick(&[1, 1, 1, 2, 4]);
    let mut width = Width { lanes, ..WORD };
    let wide =
        |at: At| At { by: at.by.map(|by| by * i64::from(lanes)), plus: at.plus * i64::from(lanes), ..at };
    let mut places = [wide(from), wide(via)];
    if !places.iter().all(|at| draw.is_inside(at, width.size().into(), TOP)) {
        (width, places) = (WORD, [from, via]);
    }
    let to = draw.registers(width);
    let other = (to[0] + width.lanes as u8) % draw.program.words();
    let mut all = vec![Stmt::Load { at: places[0], width, to: to.clone() }];
    match draw.random.below(6) {
        0 => all.push(Stmt::Store { at: from, width: WORD, from: vec![other] }),
        1 => all.push(Stmt::Store { at: near(draw, Space::Global, 4), width: WORD, from: vec![other] }),
        2 => all.push(barrier(&mut draw.random)),
        3 => all.push(Stmt::Ops(format!("add.u32 %v{other}, %v{}, 1;", to[0]))),
        _ => {}
    }
    let store = Stmt::Store { at: places[1], width, from: to };
    if !draw.program.style.generic[1] && draw.random.once_in(6) {
        let further = places.map(|at| At { plus: at.plus + i64::from(width.size()), ..at });
        let is_inside = further.iter().all(|at| draw.is_inside(at, width.size().into(), TOP));
        let both = is_inside && draw.random.once_in(2);
        let each = if both { vec![places, further] } else { vec![places] };
        all.push(Stmt::Copies { each, bytes: width.size() });
    }
    all.push(match draw.random.once_in(4) {
        true => {
            let those = Those::Below(draw.random.below(draw.program.threads() as usize) as u32);
            Stmt::Guarded { those, branch: draw.random.once_in(2), body: vec![store] }
        }
        false => store,
    });
    // Where nothing else uses what was loaded, it may be copied from memory to memory.
    let again = draw.at(Space::Shared, 4, TOP, Deed::Load).unwrap_or(via);
    all.push(Stmt::Load { at: again, width: WORD, to: vec![other] });
    let last = draw.registers(WORD)[0];
    all.push(Stmt::Ops(combined(draw, true, false, [last, other])));
    let at = near(draw, Space::Global, 4);
    all.push(Stmt::Store { at, width: WORD, from: vec![last] });
    if draw.random.once_in(6) {
        // Only some threads copy.
        let those = Those::Below(draw.random.below(draw.program.threads() as usize) as u32);
        return vec![Stmt::Guarded { those, branch: true, body: all.into_iter().filter(is_alone).collect() }];
    }
    all
}

/// Whether some threads may do it without the others.
fn is_alone(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Barrier(_) | Stmt::WarpBarrier | Stmt::Matrices { .. } => false,
        Stmt::Ops(ops) => !ops.contains(".sync"),
        _ => true,
    }
}

/// What rows are multiplied by columns with.
const PRODUCTS: &[&str] = &[
    "mad.lo.u32 D, A, B, D;",
    "dp4a.u32.s32 D, A, B, D;",
    "fma.rn.f32 D, A, B, D;",
    "mad.lo.u32 D, A, B, D;\nxor.b32 B, A, D;",
];

/// Tiles to shared memory turn by turn, rows of one multiplied by columns of the other.
fn product(draw: &mut Draw) -> Vec<Stmt> {
    let (columns, threads) = (draw.program.columns, draw.program.threads());
    let (tile, wide) = (i64::from(threads) * 4, i64::from(columns) * 4);
    let is_square = columns * columns == threads;
    // Columns go down the rows that there are.
    let inner = if is_square { columns } else { (threads / columns).min(columns) }.min(16);
    let acc = draw.any_word();
    let turns = 1 + draw.random.below(8) as u32;
    let unrolled = draw.random.once_in(2);
    let copies = !draw.program.style.generic[1] && draw.random.once_in(4);
    let space = *draw.random.pick(&[Space::Input, Space::Input, Space::Global]);
    let ahead = draw.ahead();
    let own = At { space: Space::Shared, second: false, by: [4, wide, 0, 0], plus: 0, twist: 0, ahead };
    let second = At { plus: tile, ..own };
    let row = At { by: [0, wide, 0, 4], ..own };
    let column = At { by: [4, 0, 0, wide], plus: if draw.random.once_in(3) { 0 } else { tile }, ..own };
    let from = At { space, by: [4, wide, tile, 0], ..own };
    let again = At { space, by: [4, wide, 4, 0], plus: 4, ..own };
    let multiply = *draw.random.pick(if draw.program.style.floating { floats::PRODUCTS } else { PRODUCTS });
    let multiply = drawn(&mut draw.random, multiply);
    let [a, b] = [1, 2].map(|k| (acc + k) % draw.program.words());
    let multiply = multiply.replace('D', &format!("%v{acc}"));
    let multiply = multiply.replace('A', &format!("%v{a}")).replace('B', &format!("%v{b}"));
    let step = |at: At, k: u32| match unrolled {
        true => At { by: [at.by[0], at.by[1], 0, 0], plus: at.plus + at.by[3] * i64::from(k), ..at },
        false => at,
    };
    let one = |k: u32| {
        vec![
            Stmt::Load { at: step(row, k), width: WORD, to: vec![a] },
            Stmt::Load { at: step(column, k), width: WORD, to: vec![b] },
            Stmt::Ops(multiply.clone()),
        ]
    };
    let body = |draw: &mut Draw, place: Place| {
        let mut all = Vec::new();
        for (from, to) in [(from, own), (again, second)] {
            if !draw.is_inside(&from, 4, place) || !draw.is_inside(&to, 4, place) {
                continue;
            }
            if copies {
                all.push(Stmt::Copies { each: vec![[from, to]], bytes: 4 });
                continue;
            }
            all.push(Stmt::Load { at: from, width: WORD, to: vec![a] });
            if draw.random.once_in(4) {
                all.push(Stmt::Ops(fill(draw, "add.u32 D, A, B;")));
            }
            all.push(Stmt::Store { at: to, width: WORD, from: vec![a] });
        }
        if place.whole {
            all.push(barrier(&mut draw.random));
        }
        match unrolled {
            true => all.extend((0..inner).flat_map(one)),
            false => all.push(draw.turns_of(inner, place, |_, _| one(0))),
        }
        all
    };
    let whole = Place { turns: [turns, inner], depth: 2, whole: true };
    if ![row, column].iter().all(|at| draw.is_inside(at, 4, whole)) {
        return moved(draw);
    }
    let tiles = draw.turns_of(turns, TOP, body);
    let at = near(draw, Space::Global, 4);
    vec![tiles, Stmt::Store { at, width: WORD, from: vec![acc] }]
}

/// Sums of halves, some steps of a tree.
fn halves(draw: &mut Draw) -> Vec<Stmt> {
    let space = *draw.random.pick(&[Space::Shared, Space::Shared, Space::Global]);
    let mut half = (draw.program.threads() / 2).next_power_of_two();
    let own = draw.own(space, 4);
    let mut all = vec![Stmt::Store { at: own, width: WORD, from: vec![draw.word] }];
    for _ in 0..1 + draw.random.below(4) {
        let other = At { plus: 4 * i64::from(half), ..own };
        if half == 0 || !draw.is_inside(&other, 4, TOP) {
            break;
        }
        let body = vec![
            Stmt::Load { at: own, width: WORD, to: vec![1] },
            Stmt::Load { at: other, width: WORD, to: vec![2] },
            Stmt::Ops("add.u32 %v1, %v1, %v2;".to_string()),
            Stmt::Store { at: own, width: WORD, from: vec![1] },
        ];
        all.push(Stmt::Guarded { those: Those::Below(half), branch: true, body });
        half /= 2;
    }
    draw.word = 1;
    all
}

/// A loop that loads and computes, and stores nothing; what it leaves is stored.
fn sum(draw: &mut Draw) -> Vec<Stmt> {
    let turns = 1 + draw.random.below(20) as u32;
    let mut all = vec![draw.turns_of(turns, TOP, |draw, place| {
        let mut all = Vec::new();
        for _ in 0..1 + draw.random.below(4) {
            match draw.random.below(8) {
                0 => all.push(Stmt::Ops(uniform(draw))),
                1 => {}
                _ => all.extend(draw.load(place)),
            }
            let exchanges = place.whole && draw.random.once_in(4);
            all.push(Stmt::Ops(operation(draw, exchanges)));
        }
        all
    })];
    let words = draw.program.words();
    for k in 0..1 + draw.random.below(4) as u8 {
        let at = near(draw, Space::Global, 4);
        if k > 0 {
            all.push(barrier(&mut draw.random));
        }
        all.push(Stmt::Store { at, width: WORD, from: vec![(draw.word + k) % words] });
    }
    all
}

/// Threads add to few words, which all read afterwards.
fn counted(draw: &mut Draw) -> Vec<Stmt> {
    let space = *draw.random.pick(&[Space::Shared, Space::Global]);
    let by = *draw.random.pick(&[[0, 0, 0, 0], [0, 4, 0, 0], [4, 0, 0, 0]]);
    let at = At { by, ..draw.own(space, 4) };
    let from = draw.word;
    let mut all = vec![Stmt::Atomic { at, from }];
    let to = draw.registers(WORD);
    all.push(Stmt::Load { at, width: WORD, to });
    all.push(Stmt::Ops(operation(draw, true)));
    let at = near(draw, Space::Global, 4);
    all.push(Stmt::Store { at, width: WORD, from: vec![draw.word] });
    all
}
