//! Contexts: the thread's current one, what goes when one ends, and the primary one, which is there while somebody retains it.

use super::Driver;
use crate::context::{Context, Primary, current_handle};
use crate::failed::{Answer, Failed};
use crate::results::Code;
use std::sync::Arc;

impl Driver {
    /// The thread's current context.
    pub fn current(&self) -> Answer<Arc<Context>> {
        let handle = current_handle();
        if handle == 0 {
            return Err(Code::INVALID_CONTEXT.into());
        }
        let context = self.handles.find::<Context>(handle);
        let context = context.map_err(|_| Failed::from(Code::CONTEXT_IS_DESTROYED))?;
        context.check()?;
        Ok(context)
    }

    /// The same, in a call that waits for what the device does.
    pub fn settled(&self) -> Answer<Arc<Context>> {
        let context = self.current()?;
        context.settle()?;
        Ok(context)
    }

    /// Frees everything that goes with a context.
    pub fn clear(&self, context: usize) -> Answer {
        for module in self.handles.take_all_of(context) {
            self.unload(&module);
        }
        self.opened.forget(context);
        self.objects.forget(context);
        let places = self.places().take_all_of(context);
        let mut memory = self.memory_alone();
        places.into_iter().try_for_each(|(address, _)| Ok(memory.free(address)?))
    }
}

impl Driver {
    /// Retains the primary context.
    pub fn retain_primary(&self) -> usize {
        let mut primary = self.primary();
        if primary.count == 0 {
            self.fresh_primary(&primary);
        }
        primary.count += 1;
        primary.handle
    }

    /// Releases it; the last one who does so frees what is in it.
    pub fn release_primary(&self) -> Answer {
        let mut primary = self.primary();
        if primary.count == 0 {
            return Err(Code::INVALID_CONTEXT.into());
        }
        primary.count -= 1;
        if primary.count > 0 { Ok(()) } else { self.end_primary(&primary) }
    }

    /// Frees what is in it, whoever retains it.
    pub fn reset_primary(&self) -> Answer {
        let primary = self.primary();
        if primary.count == 0 {
            return Ok(());
        }
        self.end_primary(&primary)?;
        // Whoever has retained it finds it fresh.
        self.fresh_primary(&primary);
        Ok(())
    }

    fn fresh_primary(&self, primary: &Primary) {
        let number = self.handles.number();
        let context = Context::new(primary.handle, number, primary.flags, self.setting.sticky);
        self.handles.put(primary.handle, Arc::new(context));
    }

    fn end_primary(&self, primary: &Primary) -> Answer {
        self.handles.take::<Context>(primary.handle)?;
        self.clear(primary.handle)
    }
}
