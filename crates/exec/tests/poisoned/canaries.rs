//! Memory of the process that no kernel may touch, filled with a pattern that no kernel may see.

/// Printable, so that it shows in what a kernel prints too; every eight bytes of the pattern are a rotation of it.
pub const SECRET: [u8; 8] = *b"S3cr3t!?";
const LARGE: usize = 1 << 20;

/// Buffers of the host that hold the pattern.
#[derive(Default)]
pub struct Canaries {
    buffers: Vec<Vec<u64>>,
}

pub fn pattern() -> u64 {
    u64::from_le_bytes(SECRET)
}

impl Canaries {
    /// Adds a large buffer.
    pub fn large(&mut self) {
        self.buffers.push(vec![pattern(); LARGE / 8]);
    }

    /// Adds many small ones, of the sizes that an engine's own objects may have, and leaves holes of such sizes that hold
    /// the pattern too.
    pub fn small(&mut self) {
        let sizes = || (0..600).map(|k| 2 + k * 7 % 500);
        let holes: Vec<Vec<u64>> = sizes().map(|words| vec![pattern(); words]).collect();
        self.buffers.extend(sizes().map(|words| vec![pattern(); words]));
        drop(holes);
    }

    /// Frees memory full of the pattern, for whoever asks for fresh memory next.
    pub fn poison_free_memory() {
        let sizes = (0..24).map(|k| 16usize << (k % 16));
        let filled: Vec<Vec<u64>> = sizes.map(|words| vec![pattern(); words]).collect();
        drop(std::hint::black_box(filled));
    }

    /// Whether all of it is as it was.
    pub fn are_untouched(&self) -> bool {
        self.buffers.iter().flatten().all(|word| *word == pattern())
    }

    /// Address and size of a buffer.
    pub fn place(&self, k: usize) -> (u64, u64) {
        let buffer = &self.buffers[k % self.buffers.len()];
        (buffer.as_ptr() as u64, 8 * buffer.len() as u64)
    }

    pub fn len(&self) -> usize {
        self.buffers.len()
    }
}

/// As wide as the widest access, and aligned for it.
#[derive(Clone, Copy)]
#[repr(align(64))]
#[expect(dead_code, reason = "what it holds is read through pointers")]
struct Line([u64; 8]);

const LINE: usize = size_of::<Line>();

/// Bytes of the process to lend, in the middle of the pattern.
pub struct Room {
    all: Vec<Line>,
    bytes: usize,
}

impl Room {
    const MARGIN: usize = 512;

    pub fn new(bytes: usize) -> Room {
        let lines = (2 * Room::MARGIN + bytes).div_ceil(LINE);
        let mut room = Room { all: vec![Line([pattern(); 8]); lines], bytes };
        // SAFETY: the bytes lie inside.
        unsafe { room.start().write_bytes(0, bytes) };
        room
    }

    pub fn start(&mut self) -> *mut u8 {
        self.all.as_mut_ptr().cast::<u8>().wrapping_add(Room::MARGIN)
    }

    /// Whether nothing beside the bytes was touched.
    pub fn is_sound(&self) -> bool {
        let start = self.all.as_ptr().cast::<u8>();
        (0..LINE * self.all.len()).filter(|k| !(Room::MARGIN..Room::MARGIN + self.bytes).contains(k)).all(
            |k| {
                // SAFETY: inside; kernels, which may use the bytes between, are not running.
                unsafe { start.wrapping_add(k).read_volatile() == SECRET[k % 8] }
            },
        )
    }
}

/// Whether four bytes in a row come from the pattern.
pub fn shows_secret(bytes: &[u8]) -> bool {
    let parts: Vec<[u8; 4]> = (0..8).map(|k| std::array::from_fn(|j| SECRET[(k + j) % 8])).collect();
    bytes.windows(4).any(|window| parts.iter().any(|part| part == window))
}

#[test]
fn what_is_touched_or_seen_is_noticed() {
    let mut canaries = Canaries::default();
    canaries.small();
    canaries.large();
    assert!(canaries.are_untouched());
    let last = canaries.len() - 1;
    canaries.buffers[last][77] ^= 1 << 40;
    assert!(!canaries.are_untouched());
    assert!(shows_secret(b"..cr3t.") && shows_secret(b"t!?S") && shows_secret(&pattern().to_le_bytes()));
    assert!(!shows_secret(&[0; 64]) && !shows_secret(b"S3c t!?"));
}
