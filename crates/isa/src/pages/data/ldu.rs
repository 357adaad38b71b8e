//! `ldu`: read global memory at an address that all threads of the warp share.
use crate::pages::access::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.10", &["ldu"], &[line("ldu{.ss}{.vec}.type d, [a]{.unified}")], Meaning::Effect(Effect::Load))
    .about("read memory at one address for the whole warp",
        "Like `ld`, from memory that is not written during the kernel; the address is the same in all \
         threads of the warp.")
    .sets(&[
        ("ss", Slot::Space, Set::Of(&[Global])),
        ("vec", Slot::Vec, Set::Of(&[V2, V4])),
        ("type", Slot::Type, TYPES),
    ])
    .operands(&[dst("d", AtLeast(Slot::Type)).vector(), ADDRESS])
    .rules(&[NARROW_VECTOR_SIZE])
    .since(Floor::new(2, 0, 20))
    .word_floors(WORD_FLOORS)
    .form_floors(FORM_FLOORS)
    .order(Order::Free)
    .examples(&["ldu.global.f32 d, [a];", "ldu.global.v4.f32 {a, b, c, e}, [p];"])
    .refused(&[("ldu.global.v4.u64 {a, b, c, e}, [p];", "256 bits")]);
