//! Memory and events that processes share: exported to others, opened here, and closed.

use super::Driver;
use crate::event::Event;
use crate::failed::{Answer, Failed};
use crate::interprocess::{EVENT, Handle, MEMORY, Opened, refused};
use crate::places::{Kind, Place};
use crate::results::Code;
use margay_exec::memory::SharedCount;

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
