//! Who has touched which bytes: a list of accesses for every four bytes, or for every byte where narrower ones are made.

use foldhash::HashMap;

/// Bytes of a page.
const PAGE: u64 = 1024;
/// An access that has none before it.
const NONE: u32 = u32::MAX;

/// So many accesses are kept at most, 40 bytes each.
pub(super) const MOST_TOUCHES: usize = 1 << 26;

/// One access of lanes of a warp by one instruction at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) block: u64,
    pub(super) moment: u32,
    /// The instruction.
    pub(super) site: u32,
    pub(super) lanes: u32,
    /// What was written.
    pub(super) value: u32,
    pub(super) warp: u8,
}

/// The accesses to some memory.
pub(super) struct Shadow {
    /// So many accesses can be kept.
    room: usize,
    /// Whether one could not.
    overflown: bool,
    pages: Vec<Page>,
    index: HashMap<u64, u32>,
    /// The page that was used last, and which one it is.
    last: Option<(u64, u32)>,
    nodes: Vec<Node>,
    free: Vec<u32>,
}

struct Page {
    /// Whether there is a list for every byte.
    fine: bool,
    /// The first node of every list.
    heads: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    touch: Touch,
    next: u32,
}

impl Default for Shadow {
    fn default() -> Shadow {
        Shadow {
            room: MOST_TOUCHES,
            overflown: false,
            pages: Vec::new(),
            index: HashMap::default(),
            last: None,
            nodes: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl Shadow {
    /// Whether there were more accesses than can be kept.
    pub(super) fn is_overflown(&self) -> bool {
        self.overflown
    }

    /// Calls `visit` with each list of the bytes, and with the address and bytes that the list is for. What it returns takes
    /// the list's place.
    pub(super) fn visit(
        &mut self,
        address: u64,
        bytes: u64,
        mut visit: impl FnMut(u64, u64, &mut Vec<Touch>),
    ) {
        let mut list = Vec::new();
        let mut at = address;
        while at < address + bytes {
            let page = self.page(at / PAGE, !(at | bytes).is_multiple_of(4));
            let fine = self.pages[page].fine;
            let width = if fine { 1 } else { 4 };
            let place = (at % PAGE / width) as usize;
            self.take(page, place, &mut list);
            visit(at, width, &mut list);
            self.put(page, place, &mut list);
            at += width;
        }
    }

    /// Forgets the accesses to some bytes; where neighbours share a list, to those too.
    pub(super) fn forget(&mut self, address: u64, bytes: u64) {
        for number in address / PAGE..(address + bytes).div_ceil(PAGE) {
            let Some(page) = self.index.get(&number).map(|k| *k as usize) else { continue };
            let (from, to) = (address.max(number * PAGE), (address + bytes).min((number + 1) * PAGE));
            self.visit_page(page, from - number * PAGE, to - number * PAGE);
        }
    }

    fn visit_page(&mut self, page: usize, from: u64, to: u64) {
        let width = if self.pages[page].fine { 1 } else { 4 };
        for place in from / width..to.div_ceil(width) {
            self.take(page, place as usize, &mut Vec::new());
        }
    }

    /// The page of that number, with lists as narrow as wanted.
    fn page(&mut self, number: u64, fine: bool) -> usize {
        let known = self.last.filter(|(last, _)| *last == number).map(|(_, page)| page);
        let page = known.unwrap_or_else(|| {
            *self.index.entry(number).or_insert_with(|| {
                let heads = vec![NONE; PAGE as usize / if fine { 1 } else { 4 }];
                self.pages.push(Page { fine, heads });
                self.pages.len() as u32 - 1
            })
        });
        self.last = Some((number, page));
        if fine && !self.pages[page as usize].fine {
            self.refine(page as usize);
        }
        page as usize
    }

    /// Gives every byte a list of its own.
    fn refine(&mut self, page: usize) {
        let mut list = Vec::new();
        let words = self.pages[page].heads.len();
        let fine = Page { fine: true, heads: vec![NONE; 4 * words] };
        let mut coarse = std::mem::replace(&mut self.pages[page], fine);
        for word in 0..words {
            std::mem::swap(&mut self.pages[page], &mut coarse);
            self.take(page, word, &mut list);
            std::mem::swap(&mut self.pages[page], &mut coarse);
            for byte in 0..4 {
                let narrow = |touch: &Touch| Touch { value: touch.value >> (8 * byte) & 0xff, ..*touch };
                let mut bytes = list.iter().map(narrow).collect();
                self.put(page, 4 * word + byte, &mut bytes);
            }
            list.clear();
        }
    }

    fn take(&mut self, page: usize, place: usize, list: &mut Vec<Touch>) {
        let mut at = std::mem::replace(&mut self.pages[page].heads[place], NONE);
        while at != NONE {
            let node = self.nodes[at as usize];
            list.push(node.touch);
            self.free.push(at);
            at = node.next;
        }
    }

    /// Puts a list in an empty place, and empties it.
    fn put(&mut self, page: usize, place: usize, list: &mut Vec<Touch>) {
        let mut next = NONE;
        for touch in list.drain(..).rev() {
            let node = Node { touch, next };
            next = match self.free.pop() {
                Some(at) => {
                    self.nodes[at as usize] = node;
                    at
                }
                None if self.nodes.len() >= self.room => {
                    self.overflown = true;
                    continue;
                }
                None => {
                    self.nodes.push(node);
                    self.nodes.len() as u32 - 1
                }
            };
        }
        self.pages[page].heads[place] = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(site: u32, value: u32) -> Touch {
        Touch { block: 0, moment: 1, site, lanes: 1, value, warp: 0 }
    }

    /// The lists of some bytes: where each begins, how many bytes it is for, and its sites and values.
    type Lists = Vec<(u64, u64, Vec<(u32, u32)>)>;

    fn seen(shadow: &mut Shadow, address: u64, bytes: u64) -> Lists {
        let mut all = Vec::new();
        shadow.visit(address, bytes, |at, width, list| {
            all.push((at, width, list.iter().map(|touch| (touch.site, touch.value)).collect()));
        });
        all
    }

    #[test]
    fn what_there_is_no_room_for_is_not_kept_and_that_is_told() {
        let mut shadow = Shadow { room: 2, ..Shadow::default() };
        for at in [0, 4, 8] {
            assert!(!shadow.is_overflown());
            shadow.visit(at, 4, |_, _, list| list.push(touch(at as u32, 0)));
        }
        assert!(shadow.is_overflown());
        assert_eq!(seen(&mut shadow, 4, 8), [(4, 4, vec![(4, 0)]), (8, 4, vec![])]);
    }

    #[test]
    fn words_have_one_list_until_a_byte_is_touched() {
        let mut shadow = Shadow::default();
        shadow.visit(0x1ffc, 8, |at, _, list| list.push(touch(at as u32, 0x0403_0201)));
        assert_eq!(
            seen(&mut shadow, 0x1ffc, 8),
            [(0x1ffc, 4, vec![(0x1ffc, 0x0403_0201)]), (0x2000, 4, vec![(0x2000, 0x0403_0201)])]
        );
        shadow.visit(0x2002, 1, |_, width, list| list.push(touch(9, width as u32)));
        assert_eq!(
            seen(&mut shadow, 0x2002, 2),
            [(0x2002, 1, vec![(0x2000, 3), (9, 1)]), (0x2003, 1, vec![(0x2000, 4)])]
        );
        assert_eq!(seen(&mut shadow, 0x1ffc, 4).len(), 1);
        shadow.forget(0x2002, 1);
        assert_eq!(seen(&mut shadow, 0x2002, 2), [(0x2002, 1, vec![]), (0x2003, 1, vec![(0x2000, 4)])]);
    }
}
