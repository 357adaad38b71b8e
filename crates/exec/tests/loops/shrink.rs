//! Making a kernel that shows something small: by whole loops, then line by line.

use super::draw::Kernel;
use super::judge::{PANIC, Verdict, depends_on_order, judge};
use margay_exec::Dim;

/// A kernel that is still wrong, none of whose lines can be left out.
pub fn smallest(mut best: Kernel) -> Kernel {
    let mut tries = 3000;
    let mut shows = |kernel: &Kernel| {
        tries -= 1;
        tries > 0 && margay_front::compile(&kernel.text()).is_ok() && is_wrong(kernel)
    };
    if !shows(&best) {
        return best;
    }
    loop {
        for k in (0..best.numbers.len()).rev() {
            let mut less = best.clone();
            less.numbers.remove(k);
            if !less.numbers.is_empty() && shows(&less) {
                best = less;
            }
        }
        let before = (best.lines.len(), best.threads());
        best = of_fewer_threads(best, &mut shows);
        let mut width = best.lines.len() / 2;
        while width > 0 {
            let mut at = best.lines.len();
            while at > 0 {
                let from = at.saturating_sub(width);
                let mut less = best.clone();
                less.lines.drain(from..at);
                if shows(&less) {
                    best = less;
                }
                at = from.min(best.lines.len());
            }
            width /= 2;
        }
        if before == (best.lines.len(), best.threads()) {
            return best;
        }
    }
}

fn is_wrong(kernel: &Kernel) -> bool {
    matches!(judge(kernel), Verdict::Wrong(what) if what.contains(PANIC) || !depends_on_order(kernel))
}

fn of_fewer_threads(best: Kernel, shows: &mut impl FnMut(&Kernel) -> bool) -> Kernel {
    let (grid, block) = (best.grid, best.block);
    let all = block.x * block.y * block.z;
    let blocks = [1, 2, 16, 32, 33, 64, 128].map(Dim::from);
    let of_one = blocks.into_iter().filter(|block| block.x < all).map(|block| (Dim::from(1), block));
    let others = [(Dim::from(1), block), (Dim::from(2), block), (grid, block)];
    for (grid, block) in of_one.chain(others) {
        let less = Kernel { grid, block, ..best.clone() };
        if less.threads() < best.threads() && shows(&less) {
            return less;
        }
    }
    best
}
