//! Products whose results are added to again, turn after turn, as products of large matrices are made of: on both engines.

use super::*;

/// Turns of a loop.
const TURNS: u32 = 3;

/// An instruction in a loop, with D in the registers of C; none if it has no C, or another type.
fn accumulated(inst: &Inst) -> Option<Item> {
    let mut item = placed(inst, None, &|_| 0);
    let lists: Vec<&str> = item.text.split('{').skip(1).filter_map(|list| list.split('}').next()).collect();
    let [d, _, _, c, ..] = lists[..] else { return None };
    let registers: Vec<(String, String)> =
        d.split(", ").zip(c.split(", ")).map(|(d, c)| (d.to_string(), c.to_string())).collect();
    let width = |name: &str| name.rsplit('_').next().map(str::to_string);
    let fits = |(d, c): &(String, String)| width(d) == width(c) && c.starts_with("%s");
    if d.matches(',').count() != c.matches(',').count() || !registers.iter().all(fits) {
        return None;
    }
    let text = item.text.replacen(&format!("{{{c}}}"), &format!("{{{d}}}"), 1);
    for (d, c) in &registers {
        item.before += &format!("mov.b{} {d}, {c};\n", width(d)?);
    }
    item.before += &format!("mov.u32 %k, {TURNS};\nturn:\n");
    item.text = text + ";\nsub.u32 %k, %k, 1; setp.ne.u32 %p, %k, 0;\n@%p bra turn";
    Some(item)
}

#[test]
fn products_are_added_up_in_place() {
    let mut random = Random::new(1, 2);
    let data = bytes(&mut random);
    let mut judged = 0;
    for inst in pages().flat_map(all_forms).step_by(2) {
        let Some(item) = accumulated(&inst) else { continue };
        let (sources, results) = (item.sources.len(), item.results.len());
        let input: Vec<u64> = (0..sources * 64).map(|_| bits(&mut random)).collect();
        let device = ["sm_80".parse().ok(), "sm_90".parse().ok()][judged % 2];
        same(
            &kernel(&[item], TARGET, false),
            &input,
            results * 64,
            &data,
            How { threads: 64, device, ..GOLDEN },
        );
        judged += 1;
    }
    assert!(judged > 100, "only {judged} forms were judged");
}
