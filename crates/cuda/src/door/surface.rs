//! Surface objects.

use super::layout::Resource;
use super::pass::{In, Out};
use super::{Status, call};
use crate::results::Code;
use margay_isa::Handle;

#[unsafe(no_mangle)]
pub extern "C" fn cuSurfObjectCreate(surface: Out<u64>, resource: In<Resource>) -> Status {
    call(|driver| {
        driver.current()?;
        let resource = resource.read()?;
        if surface.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        surface.give(driver.create_surface(resource)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuSurfObjectDestroy(surface: u64) -> Status {
    call(|driver| driver.destroy_object(surface, Handle::Surface))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuSurfObjectGetResourceDesc(to: Out<Resource>, surface: u64) -> Status {
    call(|driver| to.give(driver.object(surface, Handle::Surface)?.resource))
}
