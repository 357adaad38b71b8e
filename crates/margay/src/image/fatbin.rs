//! Fat binaries: a list of images for several architectures, each plain or packed (LZ4, zstd).
//!
//! A header of 16 bytes (magic, version, its own length, the length of what follows) comes before the entries. Each begins with
//! its kind, its header's length and its content's; then, as far as it matters here, the length of the packed content at byte 16,
//! the architecture at 28, flags at 40, and the length of the unpacked content at 56.

use std::io::Read;

use margay_isa::Target;

use super::Unusable;
use crate::problem::Problem;

pub const MAGIC: [u8; 4] = 0xba55_ed50u32.to_le_bytes();

/// The kind of an entry that holds PTX.
const PTX: u16 = 1;
/// Flags of packed content.
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;
/// The shortest header of an entry that has all fields.
const ENTRY: usize = 64;
/// PTX is never so long.
const LONGEST: u64 = 1 << 30;

/// How long a fat binary is that begins so.
pub fn length(header: [u8; 16]) -> u64 {
    let own = u64::from(number::<2>(&header, 6) as u16);
    own.saturating_add(number::<8>(&header, 8)).min(isize::MAX as u64)
}

/// The best PTX in it for a device: of those that the device runs, that for the latest architecture.
pub fn ptx(bytes: &[u8], device: Target) -> Result<Vec<u8>, Unusable> {
    let header = bytes.first_chunk::<16>().ok_or_else(|| damaged("it is cut short"))?;
    let end = usize::try_from(length(*header)).unwrap_or(usize::MAX);
    let mut rest = bytes
        .get(usize::from(number::<2>(header, 6) as u16)..end)
        .ok_or_else(|| damaged("it is cut short"))?;
    let mut best: Option<(u64, &[u8], &[u8])> = None;
    let (mut others, mut later) = (0, None);
    while !rest.is_empty() {
        let head = rest.get(..ENTRY).ok_or_else(|| damaged("an entry is cut short"))?;
        let (own, content) = (number::<4>(head, 4) as usize, number::<8>(head, 8));
        let whole = usize::try_from(content).ok().and_then(|content| own.checked_add(content));
        let whole = whole.filter(|whole| *whole <= rest.len() && own >= ENTRY);
        let (entry, after) = rest.split_at(whole.ok_or_else(|| damaged("an entry is cut short"))?);
        let arch = number::<4>(head, 28);
        match number::<2>(head, 0) as u16 {
            PTX if arch > u64::from(device.number) => later = later.max(Some(arch)),
            PTX if best.is_none_or(|(so_far, ..)| arch >= so_far) => best = Some((arch, head, &entry[own..])),
            PTX => {}
            _ => others += 1,
        }
        rest = after;
    }
    match (best, later) {
        (Some((_, head, content)), _) => unpacked(head, content),
        (None, Some(arch)) => {
            let what = format!("the fat binary's PTX is for sm_{arch}, and this device is {device}");
            Err(Unusable::Later(format!("sm_{arch}"), Problem::new(what)))
        }
        (None, None) if others > 0 => {
            Err(Unusable::machine_code("the fat binary holds machine code for NVIDIA GPUs alone, no PTX"))
        }
        (None, None) => Err(damaged("it holds nothing")),
    }
}

fn unpacked(head: &[u8], content: &[u8]) -> Result<Vec<u8>, Unusable> {
    let flags = number::<8>(head, 40);
    let packed = usize::try_from(number::<4>(head, 16)).unwrap_or(usize::MAX);
    let length = number::<8>(head, 56);
    let cut = || damaged("its packed PTX is cut short");
    if flags & (LZ4 | ZSTD) == 0 {
        return Ok(content.to_vec());
    }
    let content = content.get(..packed).ok_or_else(cut)?;
    if length > LONGEST {
        return Err(damaged("its PTX is too long"));
    }
    let broken = |what: String| damaged(&format!("its packed PTX cannot be unpacked: {what}"));
    if flags & LZ4 != 0 {
        return lz4_flex::block::decompress(content, length as usize)
            .map_err(|error| broken(error.to_string()));
    }
    let mut text = Vec::new();
    let reader =
        ruzstd::decoding::StreamingDecoder::new(content).map_err(|error| broken(error.to_string()))?;
    reader.take(length).read_to_end(&mut text).map_err(|error| broken(error.to_string()))?;
    Ok(text)
}

fn damaged(what: &str) -> Unusable {
    Unusable::Damaged(Problem::new(format!("the fat binary is damaged: {what}")))
}

/// The number that some bytes are.
fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + N].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

    /// Packed by `fatbinary --compress-mode`.
    const BY_LZ4: &[u8] =
        b"\xf0\x3b.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n\0";
    const BY_ZSTD: &[u8] =
        b"\x28\xb5\x2f\xfd\x20\x4a\x51\x02\x00.version 8.0\n.target sm_80\n.address_size 64\n\
        .visible .entry k() { ret; }\n\0";

    fn entry(kind: u16, arch: u32, flags: u64, content: &[u8]) -> Vec<u8> {
        let mut entry = vec![0; ENTRY];
        entry[..2].copy_from_slice(&kind.to_le_bytes());
        entry[4..8].copy_from_slice(&(ENTRY as u32).to_le_bytes());
        let padded = content.len().next_multiple_of(8);
        entry[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        entry[16..20].copy_from_slice(&(content.len() as u32).to_le_bytes());
        entry[28..32].copy_from_slice(&arch.to_le_bytes());
        entry[40..48].copy_from_slice(&flags.to_le_bytes());
        entry[56..64].copy_from_slice(&(TEXT.len() as u64 + 1).to_le_bytes());
        entry.extend(content);
        entry.resize(ENTRY + padded, 0);
        entry
    }

    fn fat(entries: &[Vec<u8>]) -> Vec<u8> {
        let body = entries.concat();
        let mut fat = MAGIC.to_vec();
        fat.extend([1, 0, 16, 0]);
        fat.extend((body.len() as u64).to_le_bytes());
        fat.extend(body);
        fat
    }

    fn found(fat: &[u8], device: &str) -> Result<String, Unusable> {
        let text = ptx(fat, device.parse().unwrap())?;
        Ok(String::from_utf8(text).unwrap().trim_end_matches('\0').to_string())
    }

    #[test]
    fn plain_and_packed_ptx_is_found() {
        for (flags, content) in [(0x11, TEXT.as_bytes()), (LZ4, BY_LZ4), (ZSTD, BY_ZSTD)] {
            let found = found(&fat(&[entry(PTX, 80, flags, content)]), "sm_80");
            assert_eq!(found.as_deref(), Ok(TEXT), "{flags:#x}");
        }
    }

    #[test]
    fn the_latest_that_the_device_runs_is_taken() {
        let all = [
            entry(2, 80, 0, b"\x7fELF"),
            entry(PTX, 75, 0, b"old"),
            entry(PTX, 80, 0, b"new"),
            entry(PTX, 90, 0, b"later"),
        ];
        for (device, wanted) in [("sm_80", "new"), ("sm_90", "later"), ("sm_75", "old")] {
            assert_eq!(found(&fat(&all), device).as_deref(), Ok(wanted), "{device}");
        }
        assert!(matches!(found(&fat(&all), "sm_70"), Err(Unusable::Later(arch, _)) if arch == "sm_90"));
        assert!(matches!(found(&fat(&all[..1]), "sm_80"), Err(Unusable::MachineCode(_))));
    }

    #[test]
    fn damage_is_an_error() {
        let whole = fat(&[entry(PTX, 80, ZSTD, BY_ZSTD)]);
        for cut in 16..whole.len() {
            assert!(found(&whole[..cut], "sm_80").is_err(), "{cut}");
        }
        let mut seed = 1u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut changed = whole.clone();
            let at = (seed >> 33) as usize % changed.len();
            changed[at] = (seed >> 20) as u8;
            let _ = ptx(&changed, "sm_80".parse().unwrap());
        }
    }
}
