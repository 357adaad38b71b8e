//! Memory and events that processes share: the handles by which others find them, and what is open here of others.

use crate::driver::Driver;
use crate::event::Event;
use crate::failed::{Answer, Failed};
use crate::places::{Kind, Place};
use crate::results::Code;
use margay_exec::memory::{SharedCount, Ticket};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `CUipcMemHandle` and `CUipcEventHandle`: what programs hand to other processes as they got it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle([u8; 64]);

/// What a handle is of, as it begins.
const MEMORY: &[u8; 8] = b"mgMEMORY";
const EVENT: &[u8; 8] = b"mgEVENT1";

impl Handle {
    fn new(kind: &[u8; 8], ticket: &Ticket) -> Handle {
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
    fn foreign(&self, kind: &[u8; 8]) -> Answer<Ticket> {
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
fn refused(what: &str, error: &io::Error) -> Failed {
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

struct Opened {
    ticket: Ticket,
    context: usize,
    /// How often it is open.
    count: u64,
}

impl AllOpened {
    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Opened>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what goes with a context, which ends.
    pub fn forget(&self, context: usize) {
        self.all().retain(|_, opened| opened.context != context);
    }
}

impl Driver {
    /// The handle of the allocation around an address.
    pub fn export(&self, address: u64) -> Answer<Handle> {
        let found = self.places().around(address);
        let Some((start, Place { kind: Kind::Device, .. })) = found else {
            let text = format!(
                "no allocation of `cuMemAlloc` lies at {address:#x}, and other memory cannot be shared between processes"
            );
            return Err(Failed::because(Code::INVALID_VALUE, text));
        };
        let ticket = self.memory_alone().export(start);
        let ticket =
            ticket.map_err(|error| refused(&format!("cannot share the allocation at {start:#x}"), &error))?;
        Ok(Handle::new(MEMORY, &ticket))
    }

    /// Opens memory of another process in a context, once more if it is open there: the address stays the same.
    pub fn open(&self, handle: &Handle, context: usize) -> Answer<u64> {
        let ticket = handle.foreign(MEMORY)?;
        let mut all = self.opened.all();
        if let Some((address, opened)) = all.iter_mut().find(|(_, opened)| opened.ticket == ticket) {
            if opened.context != context {
                let text = "another context of this process has the memory of the interprocess handle open";
                return Err(Failed::because(Code::INVALID_CONTEXT, text));
            }
            opened.count += 1;
            return Ok(*address);
        }
        let id = self.places().next_id();
        let name = format!("memory {id} of process {}", ticket.process);
        let address = self.memory_alone().open(&ticket, name);
        let address = address.map_err(|error| refused("cannot open an interprocess handle", &error))?;
        self.places().put(address, Place { bytes: ticket.bytes, kind: Kind::Opened, context, id });
        all.insert(address, Opened { ticket, context, count: 1 });
        Ok(address)
    }

    /// Closes memory of another process as often as it was opened; then it is no longer there.
    pub fn close(&self, address: u64) -> Answer {
        let mut all = self.opened.all();
        let Some(opened) = all.get_mut(&address) else {
            let text = format!("no memory of another process begins at {address:#x}");
            return Err(Failed::because(Code::INVALID_VALUE, text));
        };
        opened.count -= 1;
        if opened.count > 0 {
            return Ok(());
        }
        all.remove(&address);
        self.free(address, |kind| kind == Kind::Opened)
    }

    /// The handle of an event.
    pub fn export_event(&self, event: &Event) -> Answer<Handle> {
        if !event.is_interprocess() {
            let text = "only an event with CU_EVENT_INTERPROCESS and CU_EVENT_DISABLE_TIMING can be shared between processes";
            return Err(Failed::because(Code::INVALID_VALUE, text));
        }
        let shared = event.share().map_err(|error| refused("cannot share an event", &error))?;
        Ok(Handle::new(EVENT, &shared.ticket()))
    }

    /// An event of another process.
    pub fn open_event(&self, handle: &Handle, context: usize) -> Answer<usize> {
        let shared = SharedCount::open(&handle.foreign(EVENT)?);
        let shared = shared.map_err(|error| refused("cannot open an interprocess handle", &error))?;
        Ok(self.handles.make(|handle| Event::opened(handle, context, shared)).handle)
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
