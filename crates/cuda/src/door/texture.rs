//! Texture objects.

use super::layout::{Resource, Sampling, View};
use super::pass::{In, Out};
use super::{Status, call};
use crate::failed::Failed;
use crate::results::Code;
use margay_isa::Handle;

#[unsafe(no_mangle)]
pub extern "C" fn cuTexObjectCreate(
    texture: Out<u64>,
    resource: In<Resource>,
    sampling: In<Sampling>,
    view: In<View>,
) -> Status {
    call(|driver| {
        driver.current()?;
        let (resource, sampling) = (resource.read()?, sampling.read()?);
        let view = if view.is_null() { None } else { Some(view.read()?) };
        if texture.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        texture.give(driver.create_texture(resource, sampling, view)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexObjectDestroy(texture: u64) -> Status {
    call(|driver| driver.destroy_object(texture, Handle::Texture))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexObjectGetResourceDesc(to: Out<Resource>, texture: u64) -> Status {
    call(|driver| to.give(driver.object(texture, Handle::Texture)?.resource))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexObjectGetTextureDesc(to: Out<Sampling>, texture: u64) -> Status {
    call(|driver| to.give(driver.object(texture, Handle::Texture)?.sampling))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexObjectGetResourceViewDesc(to: Out<View>, texture: u64) -> Status {
    call(|driver| {
        let view = driver.object(texture, Handle::Texture)?.view;
        to.give(view.ok_or(Failed::from(Code::INVALID_VALUE))?)
    })
}
