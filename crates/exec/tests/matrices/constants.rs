//! Products of matrices that are the same in all warps, as sums that begin with zeros are: on both engines.

use super::*;

/// An instruction some of whose sources have the same bits in all threads; none if they have not 32 bits.
fn with_constants(inst: &Inst, which: usize) -> Option<Item> {
    let mut item = placed(inst, None, &|_| 0);
    let lists: Vec<String> =
        item.text.split('{').skip(1).filter_map(|list| Some(list.split('}').next()?.to_string())).collect();
    let list = lists.get(which)?;
    if !list.split(", ").all(|name| name.starts_with("%s") && name.ends_with("_32")) {
        return None;
    }
    for (k, name) in list.split(", ").enumerate() {
        let bits = [0, 0x3c00_4000, 0x0102_0304][k % 3];
        item.before += &format!("mov.u32 {name}, %ctaid.x; add.u32 {name}, {name}, {bits};\n");
    }
    Some(item)
}

#[test]
fn matrices_may_be_the_same_in_all_warps() {
    let mut random = Random::new(1, 3);
    let data = bytes(&mut random);
    let mut judged = [0; 4];
    for (k, inst) in pages().flat_map(all_forms).enumerate().step_by(3) {
        for (which, judged) in judged.iter_mut().enumerate().skip(1) {
            let Some(item) = with_constants(&inst, which) else { continue };
            let (sources, results) = (item.sources.len(), item.results.len());
            let threads = [32, 96, 256][k / 3 % 3];
            let input: Vec<u64> = (0..sources * threads).map(|_| bits(&mut random)).collect();
            let text = kernel(&[item], TARGET, false);
            same(&text, &input, results * threads, &data, How { threads: threads as u32, ..GOLDEN });
            *judged += 1;
        }
    }
    assert!(judged[1..].iter().all(|judged| *judged > 50), "only {judged:?} forms were judged");
}

/// What is the same in all warps lies after everything else, since results take the places of what is no longer needed.
#[test]
fn constants_may_lie_last() {
    const KERNEL: &str = "
        .version 9.1
        .target sm_120a
        .address_size 64
        .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 data, .param .u32 stride)
        {
            .reg .b64 %in, %out; .reg .b32 %t, %u, %v<10>;
            mov.u32 %t, %tid.x;
            ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
            mad.wide.u32 %in, %t, 8, %in; mad.wide.u32 %out, %t, 8, %out;
            ld.global.v2.u32 {%v0, %v1}, [%in];
            ld.global.v2.u32 {%v2, %v3}, [%in];
            xor.b32 %v4, %v3, %v1;
            st.global.u32 [%out], %v4;
            mov.u32 %u, %ctaid.x; add.u32 %u, %u, 0x01020304;
            mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%v6, %v7, %v8, %v9}, {%v0, %v1, %v2, %u}, {%v0, %v1}, {%u, %u, %u, %u};
            st.global.u32 [%out+4], %v6;
            ret;
        }";
    let mut random = Random::new(1, 4);
    for threads in [32, 64, 256] {
        let input: Vec<u64> = (0..threads).map(|_| bits(&mut random)).collect();
        same(KERNEL, &input, threads, &[], How { threads: threads as u32, ..GOLDEN });
    }
}
