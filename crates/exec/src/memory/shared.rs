//! Memory that several processes use at once: a file that lies in memory alone, which each of them maps.
//!
//! Another process finds the file by its [`Ticket`]. The file's name ends with a number that is drawn once, so that another file in
//! its place is noticed before it is opened; its size is sealed, so that all that is mapped stays there, whoever made the ticket.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Release},
};

/// How another process finds shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    /// The process that shares it, which must be there when it is opened.
    pub process: u32,
    /// The file's number there.
    pub file: u32,
    /// So many bytes are shared.
    pub bytes: u64,
    /// What no other shared memory has.
    pub number: u128,
}

impl Ticket {
    /// What the system calls the file.
    fn link(&self) -> String {
        format!("/memfd:{} (deleted)", name(self.number))
    }

    fn path(&self) -> String {
        format!("/proc/{}/fd/{}", self.process, self.file)
    }

    /// The bytes in whole pages.
    fn pages(&self) -> Option<usize> {
        usize::try_from(self.bytes).ok()?.max(1).checked_next_multiple_of(page())
    }

    /// What is answered where the file is not there.
    fn gone(&self) -> io::Error {
        let message = format!("process {} does not share it, or no longer does", self.process);
        io::Error::new(ErrorKind::NotFound, message)
    }
}

fn name(number: u128) -> String {
    format!("margay-{number:032x}")
}

/// The size of the system's pages.
pub(super) fn page() -> usize {
    system::page()
}

/// The file, open in this process.
pub(super) struct SharedFile {
    file: File,
    ticket: Ticket,
    /// Its size: whole pages.
    pages: usize,
}

impl SharedFile {
    /// A file of so many zero bytes.
    pub(super) fn new(bytes: u64) -> io::Result<SharedFile> {
        let ticket = Ticket { process: std::process::id(), file: 0, bytes, number: system::draw()? };
        let pages = ticket.pages().ok_or(ErrorKind::OutOfMemory)?;
        let file = system::create(&name(ticket.number))?;
        file.set_len(pages as u64)?;
        system::seal(&file)?;
        Ok(SharedFile { ticket: Ticket { file: system::number(&file), ..ticket }, file, pages })
    }

    /// The file of a ticket. Whatever else lies in its place is left alone.
    pub(super) fn open(ticket: &Ticket) -> io::Result<SharedFile> {
        let pages = ticket.pages().filter(|_| ticket.bytes > 0).ok_or_else(|| ticket.gone())?;
        let is_it = |path: &str| match std::fs::read_link(path) {
            Ok(link) => Ok(link.as_os_str() == ticket.link().as_str()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        };
        if !is_it(&ticket.path())? {
            return Err(ticket.gone());
        }
        let file = File::options().read(true).write(true).open(ticket.path())?;
        // What was opened may be another file than the one that was there before.
        let own = format!("/proc/self/fd/{}", system::number(&file));
        let is_whole = file.metadata()?.len() == pages as u64 && system::is_sealed(&file);
        if !is_it(&own)? || !is_whole {
            return Err(ticket.gone());
        }
        Ok(SharedFile { file, ticket: *ticket, pages })
    }

    pub(super) fn ticket(&self) -> Ticket {
        self.ticket
    }

    pub(super) fn pages(&self) -> usize {
        self.pages
    }

    /// Maps the whole file in the place of other memory.
    ///
    /// # Safety
    /// From `start`, a multiple of [`page`], on as many bytes as [`SharedFile::pages`] says must be mapped, and nobody's.
    pub(super) unsafe fn map(&self, start: *mut u8) -> io::Result<()> {
        // SAFETY: the caller's promise.
        unsafe { system::map(&self.file, start, 0, self.pages) }
    }

    /// Takes the place of other memory, with what is there: bytes that were never written stay unused.
    ///
    /// # Safety
    /// As for [`SharedFile::map`], but that the bytes may be somebody's who does not use them meanwhile. They stay whatever is
    /// answered.
    pub(super) unsafe fn take_over(&self, start: *mut u8) -> io::Result<()> {
        for from in (0..self.pages).step_by(PIECE) {
            let count = PIECE.min(self.pages - from);
            // SAFETY: the caller's promise; the piece lies within the bytes.
            let (piece, bytes) = unsafe {
                let piece = start.add(from);
                (piece, std::slice::from_raw_parts(piece, count))
            };
            if bytes.chunks(ZEROS.len()).any(|part| part != &ZEROS[..part.len()]) {
                system::write(&self.file, bytes, from as u64)?;
            }
            // SAFETY: the caller's promise; the file has what is there.
            unsafe { system::map(&self.file, piece, from, count) }?;
        }
        Ok(())
    }
}

/// Bytes that are moved at once, so that large memory is not there twice.
const PIECE: usize = 1 << 20;
const ZEROS: [u8; 4096] = [0; 4096];

/// A number that several processes see and raise.
///
/// ```
/// use margay_exec::memory::SharedCount;
/// // Only Linux has it.
/// if let Ok(count) = SharedCount::new() {
///     // Any process of the user's can do so, as long as this one has the count.
///     SharedCount::open(&count.ticket()).unwrap().raise();
///     assert_eq!(count.get(), 1);
/// }
/// ```
pub struct SharedCount {
    file: SharedFile,
    start: *mut u8,
}

// SAFETY: what it points to is there as long as it is, and is used by atomic steps only.
unsafe impl Send for SharedCount {}
// SAFETY: as above.
unsafe impl Sync for SharedCount {}

impl SharedCount {
    /// A number that is 0.
    ///
    /// # Errors
    /// If the system refuses it, or has nothing of the kind.
    pub fn new() -> io::Result<SharedCount> {
        SharedCount::of(SharedFile::new(size_of::<u64>() as u64)?)
    }

    /// The number of another process.
    ///
    /// # Errors
    /// With [`ErrorKind::NotFound`] if it is no longer there; with others if the system refuses it.
    pub fn open(ticket: &Ticket) -> io::Result<SharedCount> {
        let file = SharedFile::open(ticket)?;
        if ticket.bytes == size_of::<u64>() as u64 { SharedCount::of(file) } else { Err(ticket.gone()) }
    }

    fn of(file: SharedFile) -> io::Result<SharedCount> {
        let start = system::map_anywhere(&file.file, file.pages)?;
        Ok(SharedCount { file, start })
    }

    /// How others find it.
    pub fn ticket(&self) -> Ticket {
        self.file.ticket()
    }

    /// Raises it by one. Who sees that sees all that was done before.
    pub fn raise(&self) {
        self.atomic().fetch_add(1, Release);
    }

    /// The number.
    pub fn get(&self) -> u64 {
        self.atomic().load(Acquire)
    }

    fn atomic(&self) -> &AtomicU64 {
        // SAFETY: a page is mapped there as long as this is there, and everybody uses it by atomic steps.
        unsafe { AtomicU64::from_ptr(self.start.cast()) }
    }
}

impl Drop for SharedCount {
    fn drop(&mut self) {
        // SAFETY: mapped by `of`, and nobody uses it any more.
        unsafe { system::unmap(self.start, self.file.pages) }
    }
}

/// What the system does for it.
#[cfg(target_os = "linux")]
mod system {
    use libc::{
        F_ADD_SEALS, F_GET_SEALS, F_SEAL_GROW, F_SEAL_SEAL, F_SEAL_SHRINK, MFD_ALLOW_SEALING, MFD_CLOEXEC,
    };
    use libc::{
        MAP_FAILED, MAP_FIXED, MAP_NORESERVE, MAP_SHARED, PROT_READ, PROT_WRITE, c_int, mmap, munmap,
    };
    use std::ffi::CString;
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::os::unix::fs::FileExt;
    use std::ptr::null_mut;

    const SEALS: c_int = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

    pub(super) fn page() -> usize {
        // SAFETY: it only reads a number.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(1 << 16)
    }

    /// A number that nobody else draws.
    pub(super) fn draw() -> io::Result<u128> {
        let mut bytes = [0u8; 16];
        // SAFETY: so many bytes are there to be written.
        let drawn = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
        if drawn == bytes.len() as isize {
            Ok(u128::from_le_bytes(bytes))
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// An empty file in memory.
    pub(super) fn create(name: &str) -> io::Result<File> {
        let name = CString::new(name)?;
        // SAFETY: a zero byte ends the name.
        let number = unsafe { libc::memfd_create(name.as_ptr(), MFD_CLOEXEC | MFD_ALLOW_SEALING) };
        // SAFETY: the file was just opened, and is nobody else's.
        if number < 0 { Err(io::Error::last_os_error()) } else { Ok(unsafe { File::from_raw_fd(number) }) }
    }

    /// Lets nobody change a file's size.
    pub(super) fn seal(file: &File) -> io::Result<()> {
        // SAFETY: it only changes the file's seals.
        match unsafe { libc::fcntl(file.as_raw_fd(), F_ADD_SEALS, SEALS) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Whether nobody can make a file smaller.
    pub(super) fn is_sealed(file: &File) -> bool {
        // SAFETY: it only asks.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), F_GET_SEALS) };
        seals >= 0 && seals & F_SEAL_SHRINK != 0
    }

    pub(super) fn number(file: &File) -> u32 {
        file.as_raw_fd().cast_unsigned()
    }

    pub(super) fn write(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        file.write_all_at(bytes, at)
    }

    /// Maps a part of a file in the place of other memory.
    ///
    /// # Safety
    /// So many bytes from a page's start on must be mapped, and used by nobody meanwhile.
    pub(super) unsafe fn map(file: &File, start: *mut u8, from: usize, bytes: usize) -> io::Result<()> {
        let (access, flags) = (PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE);
        // SAFETY: the caller's promise.
        let mapped = unsafe {
            mmap(start.cast(), bytes, access, flags, file.as_raw_fd(), from.try_into().unwrap_or(0))
        };
        if mapped == MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    pub(super) fn map_anywhere(file: &File, bytes: usize) -> io::Result<*mut u8> {
        // SAFETY: a new mapping, that replaces none.
        let mapped =
            unsafe { mmap(null_mut(), bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.as_raw_fd(), 0) };
        if mapped == MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(mapped.cast()) }
    }

    /// # Safety
    /// [`map_anywhere`] has given it, and nobody uses it any more.
    pub(super) unsafe fn unmap(start: *mut u8, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { munmap(start.cast(), bytes) };
    }
}

/// Other systems have nothing of the kind.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::File;
    use std::io::{self, ErrorKind};

    pub(super) fn page() -> usize {
        1 << 16
    }

    pub(super) fn draw() -> io::Result<u128> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(super) fn create(_: &str) -> io::Result<File> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(super) fn seal(_: &File) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(super) fn is_sealed(_: &File) -> bool {
        false
    }

    pub(super) fn number(_: &File) -> u32 {
        0
    }

    pub(super) fn write(_: &File, _: &[u8], _: u64) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    /// # Safety
    /// Nothing is mapped.
    pub(super) unsafe fn map(_: &File, _: *mut u8, _: usize, _: usize) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(super) fn map_anywhere(_: &File, _: usize) -> io::Result<*mut u8> {
        Err(ErrorKind::Unsupported.into())
    }

    /// # Safety
    /// There is nothing to unmap.
    pub(super) unsafe fn unmap(_: *mut u8, _: usize) {}
}
