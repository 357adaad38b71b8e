//! Every operation on every level of the machine against the operation on single values.

use crate::batch::lanes::random_runs::{Bank, GROUPS, Random, RandomRun, fill, random_run};
use crate::batch::lanes::{
    Fused, GROUP, Geometry, Item, Lines, PassInput, Place, RunKind, Runs, Simd, Source, UNIT, VectorOp,
    VectorOps, What, Work, can_be_compiled, width,
};
use crate::memory::Bulk;
use margay_isa::WARP;
use margay_isa::uop::float::{Convert, Float};
use margay_isa::uop::{Int, Logic, Op, Type, eval};

#[test]
fn every_operation_on_every_level_is_that_on_single_values() {
    let mut random = Random(1);
    // Those with machine code have the handlers of others.
    for simd in Simd::available().iter().filter(|simd| !simd.compiles()) {
        let none = VectorOps::new(128, GROUPS, Vec::new(), Runs::default());
        let mut lines = Lines::new(&none, *simd, None);
        for (round, op) in (0..12).flat_map(|round| Op::all().into_iter().map(move |op| (round, op))) {
            let mut from = [Place { line: 0, stride: 0 }; 3];
            let mut values = vec![vec![0; GROUPS * GROUP]; 3];
            for (k, ty) in op.operands().iter().enumerate() {
                // Every operand is the same for all threads in some rounds.
                let stride = if round >> k & 1 == 1 { 0 } else { width(*ty) };
                from[k] = Place { line: 16 * k as u32, stride };
                values[k] = fill(&mut lines, *ty, from[k], &mut random);
            }
            let stride = width(op.result());
            // The result may take the place of an operand of its own type.
            let over = round >= 8 && op.operands()[0] == op.result() && from[0].stride == stride;
            let to = Place { line: if over { 0 } else { 64 }, stride };
            lines.run_one(&VectorOp { what: What::Op(op), to, from });
            let threads = values[0].iter().zip(&values[1]).zip(&values[2]);
            for (t, ((a, b), c)) in threads.enumerate() {
                let args = [*a, *b, *c];
                let want = eval(op, args);
                let got = lines.get(op.result(), to, t);
                assert_eq!(got, want, "{simd:?} {op:?} of {args:x?} in thread {t}, round {round}");
                if op.result() == Type::Pred {
                    let mask = lines.u32s(to)[t];
                    assert!(mask == 0 || mask == u32::MAX, "{simd:?} {op:?} gives no mask");
                }
            }
        }
    }
}

/// The levels with compiled code that this machine has.
fn compiled_levels() -> Option<Vec<Simd>> {
    let levels: Vec<Simd> = Simd::available().iter().copied().filter(|simd| simd.compiles()).collect();
    if levels.is_empty() {
        println!("this machine runs no compiled code: deferred");
    }
    (!levels.is_empty()).then_some(levels)
}

#[test]
fn compiled_runs_give_what_handlers_give() {
    let Some(levels) = compiled_levels() else { return };
    let ops: Vec<Op> = Op::all().into_iter().filter(|op| can_be_compiled(What::Op(*op))).collect();
    judge_runs(&levels, &ops, 4000);
}

/// Sums and products whose results are rounded to half precision and widened again.
#[test]
fn compiled_runs_of_half_precision_give_what_handlers_give() {
    let Some(levels) = compiled_levels() else { return };
    let is_half = |op: &Op| {
        matches!(
            op,
            Op::Convert(Convert::F32ToF16(_) | Convert::F16ToF32)
                | Op::F32(Float::Add | Float::AddOdd | Float::Mul)
        )
    };
    let ops = Op::all().into_iter().filter(is_half).filter(|op| can_be_compiled(What::Op(*op)));
    let ops: Vec<Op> = ops.collect();
    assert!(ops.len() > 5, "{ops:?}");
    judge_runs(&levels, &ops, 1000);
}

/// Judges random runs of operations at each level.
fn judge_runs(levels: &[Simd], ops: &[Op], count: u64) {
    for (simd, seed) in levels.iter().flat_map(|simd| (0..count).map(move |seed| (*simd, seed))) {
        let run = RandomRun::new(seed, ops);
        let mut compiled = Lines::new(&run.vector_ops, simd, None);
        assert!(
            compiled.compiled.is_some_and(|compiled| compiled.has(0)),
            "{simd}: {:?} is not compiled",
            run.vector_ops.vector_ops
        );
        run.judge(simd.name(), &mut compiled);
    }
}

/// Random operations in a self-loop, some of whose results last in the threads that go round.
#[test]
fn a_compiled_self_loop_takes_the_turns_of_each_thread() {
    let Some(levels) = compiled_levels() else { return };
    let ops: Vec<Op> = Op::all().into_iter().filter(|op| can_be_compiled(What::Op(*op))).collect();
    let mut most = 0;
    for (simd, seed) in levels.into_iter().flat_map(|simd| (0..1000).map(move |seed| (simd, seed))) {
        let mut random = Random(seed + 100_000);
        let bank = Bank::new(seed % 5 == 0);
        let (mut vector_ops, _) = random_run(&bank, &mut random, &ops);
        // Places behind the bank: who goes round, how often each has, and what it hands on.
        let groups = GROUPS as u32;
        let own = |k: u32, ty: Type| Place { line: bank.lines as u32 + 2 * k * groups, stride: width(ty) };
        let (running, turns) = (own(0, Type::Pred), own(1, Type::U32));
        let handed: Vec<(Type, Place)> =
            [Type::U32, Type::U64, Type::Pred].into_iter().zip(2..).map(|(ty, k)| (ty, own(k, ty))).collect();
        let lines = bank.lines + 10 * GROUPS;
        for (ty, place) in &handed {
            // What comes of the turn before goes into this one.
            let first =
                VectorOp { what: What::Move(*ty), to: bank.pick(&mut random, *ty, true), from: [*place; 3] };
            vector_ops.insert(0, first);
            let result = bank.pick(&mut random, *ty, true);
            let from = [running, result, *place];
            vector_ops.push(VectorOp { what: What::Op(Op::Select(*ty)), to: *place, from });
        }
        let by = bank.pick(&mut random, Type::Pred, true);
        let count = Op::Int32(Int::Sub);
        vector_ops.push(VectorOp { what: What::Op(count), to: turns, from: [turns, running, running] });
        let logic = if seed % 2 == 0 { Logic::And } else { Logic::AndNot };
        vector_ops.push(VectorOp { what: What::Op(Op::Pred(logic)), to: running, from: [running, by, by] });
        let all: Vec<(Type, Place)> =
            handed.iter().copied().chain([(Type::Pred, running), (Type::U32, turns)]).collect();
        let lasts: Vec<bool> =
            vector_ops.iter().map(|op| all.iter().any(|(_, place)| place.line == op.to.line)).collect();
        // What a turn reads before it sets it is as it was before the first: else an idle lane's turns would show.
        let mut set = foldhash::HashSet::default();
        for op in &mut vector_ops {
            let (types, _) = op.what.types();
            for (k, ty) in types.iter().enumerate() {
                let place = op.from[k];
                let is_own = place.line >= bank.lines as u32;
                if place.stride > 0 && !is_own && !set.contains(&place.line) {
                    let fixed = bank.places.iter().find(|(its, place)| its == ty && place.stride == 0);
                    op.from[k] = fixed.map_or(place, |(_, place)| *place);
                }
            }
            set.insert(op.to.line);
        }
        let range = 0..vector_ops.len() as u32;
        let ranges = vec![(range.clone(), RunKind::SelfLoop)];
        let runs = Runs { ranges, lasts, ..Runs::default() };
        let vector_ops = VectorOps::new(lines, GROUPS, vector_ops, runs);
        let none = VectorOps::new(lines, GROUPS, Vec::new(), Runs::default());
        let mut values = Lines::new(&none, Simd::Baseline, None);
        for (ty, place) in bank.places.iter().chain(&handed).chain([&(Type::Pred, running)]) {
            fill(&mut values, *ty, *place, &mut random);
        }
        let limit = [1, 2, 3, 50][(random.next() >> 62) as usize];
        let mut compiled = Lines::new(&vector_ops, simd, None);
        compiled.lines.copy_from_slice(&values.lines);
        assert!(compiled.run_self_loop(range.clone(), limit), "{simd}, seed {seed} has no code");
        let mut handled = Lines::new(&vector_ops, Simd::Baseline, None);
        handled.lines.copy_from_slice(&values.lines);
        for _ in 0..limit {
            for op in vector_ops.list() {
                handled.run_one(op);
            }
        }
        for (ty, place) in &all {
            for t in 0..GROUPS * GROUP {
                let (got, want) = (compiled.get(*ty, *place, t), handled.get(*ty, *place, t));
                assert_eq!(got, want, "{simd}, seed {seed}: {ty:?} at {place:?} in thread {t}");
            }
        }
        most = most.max(*handled.u32s(turns).iter().max().expect("threads"));
    }
    assert_eq!(most, 50, "no thread goes round for long");
}

/// An operation alone, with operands that differ from thread to thread.
#[cfg(target_arch = "x86_64")]
#[test]
fn every_operation_with_machine_code_has_some_on_every_level_that_compiles() {
    let Some(levels) = compiled_levels() else { return };
    let bank = Bank::new(false);
    let place = |ty: &Type| bank.places.iter().find(|(its, _)| its == ty).map(|(_, place)| *place);
    for op in Op::all().into_iter().filter(|op| can_be_compiled(What::Op(*op))) {
        let mut from = [Place { line: 0, stride: 1 }; 3];
        from.iter_mut().zip(op.operands()).for_each(|(from, ty)| *from = place(ty).expect("a place"));
        let vector_op = VectorOp { what: What::Op(op), to: place(&op.result()).expect("a place"), from };
        let runs = Runs { ranges: vec![(0..1, RunKind::Alone)], lasts: vec![true], ..Runs::default() };
        let vector_ops = VectorOps::new(bank.lines, GROUPS, vec![vector_op], runs);
        for simd in &levels {
            assert!(vector_ops.compiled(*simd).is_some_and(|compiled| compiled.has(0)), "{op:?} on {simd}");
        }
    }
}

/// Every 65521st operand, or as many as `MARGAY_APPROXIMATIONS` names.
#[test]
fn approximate_functions_in_machine_code_give_what_handlers_give() {
    let Some(levels) = compiled_levels() else { return };
    let step = std::env::var("MARGAY_APPROXIMATIONS").map_or(65_521, |step| step.parse().expect("a number"));
    let compiles = |op: &Op| matches!(op, Op::Approx(_)) && can_be_compiled(What::Op(*op));
    let ops: Vec<Op> = Op::all().into_iter().filter(compiles).collect();
    for (simd, op) in levels.into_iter().flat_map(|simd| ops.iter().map(move |op| (simd, *op))) {
        let [from, to] = [0, GROUPS as u32].map(|line| Place { line, stride: 1 });
        let vector_op = VectorOp { what: What::Op(op), to, from: [from; 3] };
        let runs = Runs { ranges: vec![(0..1, RunKind::Alone)], lasts: vec![true], ..Runs::default() };
        let vector_ops = VectorOps::new(2 * GROUPS, GROUPS, vec![vector_op], runs);
        let [mut compiled, mut handled] = [simd, Simd::Avx2].map(|simd| Lines::new(&vector_ops, simd, None));
        let threads = GROUPS * GROUP;
        for first in (0..1u64 << 32).step_by(threads * step) {
            for lines in [&mut compiled, &mut handled] {
                for t in 0..threads {
                    lines.set(Type::U32, from, t, (first + (t * step) as u64) & 0xffff_ffff);
                }
                lines.run(0..1);
            }
            if compiled.u32s(to) != handled.u32s(to) {
                for t in 0..threads {
                    let x = compiled.get(Type::U32, from, t);
                    let (got, want) = (compiled.get(Type::U32, to, t), handled.get(Type::U32, to, t));
                    assert_eq!(got, want, "{simd}: {op:?} of {x:#x}");
                }
            }
        }
    }
}

#[test]
fn regions_read_elements_where_they_lie() {
    let Some(levels) = compiled_levels() else { return };
    levels.into_iter().for_each(elements_are_read_where_they_lie);
}

fn elements_are_read_where_they_lie(simd: Simd) {
    let mut random = Random(11);
    let mut memory: Vec<u64> = (0..8192).map(|_| random.next()).collect();
    let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
    let shapes = [[16, 8, 1, 2], [64, 1, 1, 3], [32, 2, 2, 1], [8, 8, 1, 2], [128, 1, 1, 1], [16, 4, 1, 1]];
    let mut joined = 0;
    for round in 0..600 {
        let extent: [u32; 4] = shapes[round % shapes.len()];
        let threads = extent.iter().product::<u32>() as usize;
        let groups = threads / GROUP;
        let width = [1u32, 2, 4, 8][(random.next() >> 40) as usize % 4];
        // Often one after the other, or the same for a row; else anything, backwards too.
        let mut step = |last: i64| match (random.next() >> 33) % 5 {
            0 => 0,
            1 | 2 => last,
            _ => i64::from(width) * (((random.next() >> 33) % 41) as i64 - 20),
        };
        let mut steps = [0; 4];
        let mut last = i64::from(width);
        for axis in 0..4 {
            steps[axis] = step(last);
            last = steps[axis] * i64::from(extent[axis]);
        }
        let far = |axis: usize| steps[axis] * i64::from(extent[axis] - 1);
        let below: i64 = (0..4).map(|axis| far(axis).min(0)).sum();
        let above: i64 = (0..4).map(|axis| far(axis).max(0)).sum();
        let at = (-below) as u64 + 8 * ((random.next() >> 33) % 5);
        let to = Place { line: 1, stride: if width == 8 { 2 } else { 1 } };
        let load = Work::Load { load: 0, at: 0, bytes: width, to };
        let items = vec![Item { work: load, lasts: true }];
        let runs = Runs {
            fused_loops: vec![Fused { items, stores: Vec::new(), turns: false }],
            geometry: Geometry { extent },
            ..Runs::default()
        };
        let vector_ops = VectorOps::new(2 + 2 * groups, groups, Vec::new(), runs);
        let mut lines = Lines::new(&vector_ops, simd, None);
        let source = Source::new(Bulk::of_slice(&mut memory), at, steps, (below, above), width.into())
            .expect("inside");
        if !lines.run_fused_loop(
            0,
            PassInput { sources: &[source], copies: &[], turns: None },
            (threads, true),
        ) {
            continue;
        }
        joined += 1;
        let mut t = 0;
        for w in 0..i64::from(extent[3]) {
            for z in 0..i64::from(extent[2]) {
                for y in 0..i64::from(extent[1]) {
                    for x in 0..i64::from(extent[0]) {
                        let far = x * steps[0] + y * steps[1] + z * steps[2] + w * steps[3];
                        let place = (at as i64 + far) as usize;
                        let element = &bytes[place..][..width as usize];
                        let want =
                            element.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
                        let ty = if width == 8 { Type::U64 } else { Type::U32 };
                        let got = lines.get(ty, to, t);
                        assert_eq!(
                            got, want,
                            "{simd}, thread {t} of {extent:?}, {width} bytes, steps {steps:?}"
                        );
                        t += 1;
                    }
                }
            }
        }
    }
    assert!(joined > 300, "only {joined} were one pass");
    let outside = Source::new(Bulk::of_slice(&mut memory), 65_536 - 60, [4, 0, 0, 0], (0, 60), 4);
    assert!(outside.is_none());
}

#[test]
fn lanes_of_warps_exchange_values_in_one_pass() {
    let Some(levels) = compiled_levels() else { return };
    levels.into_iter().for_each(values_are_exchanged);
}

/// Values are exchanged twice, and what there was is added in between.
fn values_are_exchanged(simd: Simd) {
    let mut random = Random(23);
    let (threads, groups) = (4 * UNIT * GROUP, 4 * UNIT);
    let at = |value: usize| Place { line: (value * groups) as u32, stride: 1 };
    for round in 0..120 {
        let mut choices = || -> [u8; WARP] {
            let by = (random.next() >> 40) as u8 % 32;
            let scattered = std::array::from_fn(|_| (random.next() >> 40) as u8 % 32);
            let each = |f: fn(u8, u8) -> u8| std::array::from_fn(|lane| f(lane as u8, by));
            match round % 6 {
                0 => each(|lane, by| lane ^ by),
                1 => each(|lane, by| if lane + by < 32 { lane + by } else { lane }),
                2 => each(|lane, by| lane.checked_sub(by).unwrap_or(lane)),
                3 => [by; WARP],
                4 => each(|lane, by| lane & 28 | by & 3),
                _ => scattered,
            }
        };
        let [first, second] = [choices(), choices()];
        let add = VectorOp { what: What::Op(Op::Int32(Int::Add)), to: at(2), from: [at(1), at(0), at(0)] };
        let works = [
            Work::Exchange { choices: first, from: at(0), to: at(1) },
            Work::VectorOp(add),
            Work::Exchange { choices: second, from: at(2), to: at(3) },
        ];
        let items = works.map(|work| Item { work, lasts: true }).to_vec();
        let geometry = Geometry { extent: [threads as u32, 1, 1, 1] };
        let runs = Runs {
            fused_loops: vec![Fused { items, stores: Vec::new(), turns: false }],
            geometry,
            ..Runs::default()
        };
        let vector_ops = VectorOps::new(4 * groups, groups, Vec::new(), runs);
        let mut lines = Lines::new(&vector_ops, simd, None);
        let values: Vec<u32> = (0..threads).map(|_| random.next() as u32).collect();
        lines.u32s_mut(at(0)).copy_from_slice(&values);
        assert!(
            lines.run_fused_loop(0, PassInput { sources: &[], copies: &[], turns: None }, (threads, true)),
            "{simd}: no code"
        );
        let exchanged = |values: &[u32], choices: &[u8; WARP]| -> Vec<u32> {
            (0..threads).map(|t| values[t / WARP * WARP + usize::from(choices[t % WARP])]).collect()
        };
        let once = exchanged(&values, &first);
        let sums: Vec<u32> = once.iter().zip(&values).map(|(a, b)| a.wrapping_add(*b)).collect();
        for (place, want) in [(at(1), &once), (at(2), &sums), (at(3), &exchanged(&sums, &second))] {
            assert_eq!(lines.u32s(place), want, "{simd}: {first:?}, then {second:?}");
        }
    }
}

#[test]
fn what_is_known_of_addresses_holds_for_each() {
    let mut random = Random(5);
    for simd in Simd::available() {
        let none = VectorOps::new(128, GROUPS, Vec::new(), Runs::default());
        let mut lines = Lines::new(&none, *simd, None);
        let place = Place { line: 0, stride: 2 };
        for round in 0..600 {
            let step = [0, 4, 8, u64::MAX - 3, 1 << 40, random.next()][round % 6];
            let apart = [step.wrapping_mul(16), 4096, 64, 0, random.next() >> 20][round / 6 % 5];
            let start = [1 << 33, u64::MAX - 8 * (random.next() >> 56), random.next()][round % 3];
            let odd = if round % 7 == 0 { (random.next() >> 40) as usize % 128 } else { 128 };
            let threads = [1, 2, 16, 17, 40, 128][round % 11 % 6];
            let values: Vec<u64> = (0..threads)
                .map(|t| {
                    let row = start.wrapping_add(apart.wrapping_mul(t as u64 / 16));
                    row.wrapping_add(step.wrapping_mul(t as u64 % 16)) ^ u64::from(t == odd)
                })
                .collect();
            values.iter().enumerate().for_each(|(t, value)| lines.set(Type::U64, place, t, *value));
            let scan = lines.scan(place, threads);
            for (t, value) in values.iter().enumerate() {
                assert!(
                    scan.least <= *value && *value <= scan.most,
                    "{simd} {round}: {value:#x} in {scan:x?}"
                );
                for size in [1, 3, 7] {
                    assert!(value & size == 0 || scan.low_bits & size != 0, "{simd} {round}: {scan:x?}");
                }
                let since = |first: usize, step: u64| {
                    values[first].wrapping_add(step.wrapping_mul((t - first) as u64))
                };
                assert!(scan.step.is_none_or(|step| *value == since(0, step)));
                assert!(scan.step_of_groups.is_none_or(|step| *value == since(t / GROUP * GROUP, step)));
            }
            // What is said is not too little either.
            let aligned = values.iter().all(|value| value & 3 == 0);
            assert_eq!(scan.low_bits & 3 == 0, aligned, "{simd} {round}: {scan:x?}");
            if odd == 128 && step == 4 {
                assert_eq!(scan.step_of_groups, (threads > 1).then_some(4).or(Some(0)));
            }
        }
    }
}

#[test]
#[should_panic(expected = "reaches outside")]
fn a_list_with_a_place_outside_is_refused() {
    let at = |line| Place { line, stride: 1 };
    let vector_ops =
        vec![VectorOp { what: What::Op(Op::Int32(Int::Add)), to: at(0), from: [at(0), at(6), at(0)] }];
    VectorOps::new(8, GROUPS, vector_ops, Runs { lasts: vec![true], ..Runs::default() });
}

#[test]
#[should_panic(expected = "reaches outside")]
fn a_place_outside_is_refused() {
    let none = VectorOps::new(8, GROUPS, Vec::new(), Runs::default());
    let mut lines = Lines::new(&none, Simd::best(), None);
    let at = |line| Place { line, stride: 1 };
    lines.run_one(&VectorOp { what: What::Op(Op::Int32(Int::Add)), to: at(6), from: [at(0); 3] });
}
