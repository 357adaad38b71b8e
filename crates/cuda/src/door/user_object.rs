//! Objects of the program that graphs keep.

use super::pass::{HostFunction, Out};
use super::{Status, call};
use crate::failed::Failed;
use crate::graph::Graph;
use crate::results::Code;
use crate::user_object::UserObject;
use std::sync::Arc;

/// The flag that the object may be destroyed while others go on, which must be there.
const NO_SYNC: u32 = 1;
/// The flag that references are the program's until now.
const MOVE: u32 = 1;

fn some(count: u32) -> Result<usize, Failed> {
    if count == 0 || i32::try_from(count).is_err() {
        Err(Code::INVALID_VALUE.into())
    } else {
        Ok(count as usize)
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuUserObjectCreate(
    handle: Out<usize>,
    object: usize,
    destroy: Option<HostFunction>,
    count: u32,
    flags: u32,
) -> Status {
    call(|driver| {
        let destroy = destroy.ok_or(Failed::from(Code::INVALID_VALUE))?;
        let count = some(count)?;
        if flags != NO_SYNC || handle.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        let made = driver.handles.make(|handle| UserObject::new(handle, object, destroy));
        made.retain(count);
        handle.give(made.handle)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuUserObjectRetain(object: usize, count: u32) -> Status {
    call(|driver| {
        driver.handles.find::<UserObject>(object)?.retain(some(count)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuUserObjectRelease(object: usize, count: u32) -> Status {
    call(|driver| {
        let found = driver.handles.find::<UserObject>(object)?;
        if !found.release(some(count)?)? {
            driver.handles.take::<UserObject>(object)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphRetainUserObject(graph: usize, object: usize, count: u32, flags: u32) -> Status {
    call(|driver| {
        let graph = driver.handles.find::<Graph>(graph)?;
        let found = driver.handles.find::<UserObject>(object)?;
        let count = some(count)?;
        if flags & !MOVE != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        graph.objects().extend(std::iter::repeat_n(found.clone(), count));
        if flags & MOVE != 0 && !found.release(count)? {
            driver.handles.take::<UserObject>(object)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphReleaseUserObject(graph: usize, object: usize, count: u32) -> Status {
    call(|driver| {
        let graph = driver.handles.find::<Graph>(graph)?;
        let count = some(count)?;
        let mut objects = graph.objects();
        let kept = objects.iter().filter(|kept| kept.handle == object).count();
        if kept < count {
            return Err(Code::INVALID_VALUE.into());
        }
        let mut left = count;
        let mut is_one = |kept: &Arc<UserObject>| {
            let is_one = kept.handle == object && left > 0;
            left -= usize::from(is_one);
            is_one
        };
        let gone: Vec<_> = objects.extract_if(.., |kept| is_one(kept)).collect();
        // They are dropped after the lock, since the last one calls the program.
        drop(objects);
        drop(gone);
        Ok(())
    })
}
