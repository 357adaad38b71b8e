//! Memory and events that processes share: the handles by which others find them, and what is open here of others.

use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_exec::memory::Ticket;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `CUipcMemHandle` and `CUipcEventHandle`: what programs hand to other processes as they got it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle([u8; 64]);

/// What a handle is of, as it begins.
pub const MEMORY: &[u8; 8] = b"mgMEMORY";
pub const EVENT: &[u8; 8] = b"mgEVENT1";

impl Handle {
    pub fn new(kind: &[u8; 8], ticket: &Ticket) -> Handle {
        let Ticket { process, file, bytes, number } = *ticket;
        let parts = [&kind[..], &process.to_le_bytes(), &file.to_le_bytes(), &bytes.to_le_bytes()];
        let mut all = parts.concat();
        all.extend(number.to_le_bytes());
        all.resize(64, 0);
        Handle(std::array::from_fn(|at| all[at]))
    }

    /// The ticket, if it is a handle of the kind.
    fn ticket(&self, kind: &[u8; 8]) -> Option<Ticket> {
        let (begin, rest) = self.0.split_first_chunk()?;
        let (process, rest) = rest.split_first_chunk()?;
        let (file, rest) = rest.split_first_chunk()?;
        let (bytes, rest) = rest.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let ticket = Ticket {
            process: u32::from_le_bytes(*process),
            file: u32::from_le_bytes(*file),
            bytes: u64::from_le_bytes(*bytes),
            number: u128::from_le_bytes(*number),
        };
        (begin == kind && rest.iter().all(|byte| *byte == 0)).then_some(ticket)
    }

    /// The ticket of another process's.
    pub fn foreign(&self, kind: &[u8; 8]) -> Answer<Ticket> {
        let ticket = self.ticket(kind).ok_or(Failed::from(Code::INVALID_VALUE))?;
        if ticket.process == std::process::id() {
            let text =
                "the interprocess handle is of this process, which can only use what it stands for itself";
            return Err(Failed::because(Code::INVALID_CONTEXT, text));
        }
        Ok(ticket)
    }
}

/// What a refusal is to CUDA.
pub fn refused(what: &str, error: &io::Error) -> Failed {
    let code = match error.kind() {
        ErrorKind::NotFound => Code::INVALID_HANDLE,
        ErrorKind::InvalidInput => Code::INVALID_VALUE,
        ErrorKind::OutOfMemory | ErrorKind::StorageFull => Code::OUT_OF_MEMORY,
        ErrorKind::Unsupported => Code::NOT_SUPPORTED,
        _ => Code::MAP_FAILED,
    };
    Failed::because(code, format!("{what}: {error}"))
}

/// Memory of other processes that is open here, by its address.
#[derive(Default)]
pub struct AllOpened(Mutex<BTreeMap<u64, Opened>>);

/// Memory of another process.
pub struct Opened {
    pub ticket: Ticket,
    pub context: usize,
    /// How often it is open.
    pub count: u64,
}

impl AllOpened {
    pub fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Opened>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what goes with a context, which ends.
    pub fn forget(&self, context: usize) {
        self.all().retain(|_, opened| opened.context != context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_of_one_kind_and_says_what_its_ticket_does() {
        let ticket = Ticket { process: 0x0102_0304, file: 7, bytes: 1 << 40, number: u128::MAX - 5 };
        let handle = Handle::new(MEMORY, &ticket);
        assert_eq!((handle.ticket(MEMORY), handle.ticket(EVENT)), (Some(ticket), None));
        for at in (0..8).chain(40..64) {
            let mut wrong = handle;
            wrong.0[at] ^= 1;
            assert_eq!(wrong.ticket(MEMORY), None, "{at}");
        }
        assert_eq!(handle.foreign(MEMORY).unwrap(), ticket);
        let own = Handle::new(MEMORY, &Ticket { process: std::process::id(), ..ticket });
        assert_eq!(own.foreign(MEMORY).unwrap_err().code, Code::INVALID_CONTEXT);
        assert_eq!(Handle([0; 64]).foreign(EVENT).unwrap_err().code, Code::INVALID_VALUE);
    }
}
