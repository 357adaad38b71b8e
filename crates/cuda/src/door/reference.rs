//! References to textures and surfaces: bound to arrays and memory.

use super::layout::{Array2d, Array3d, Resource};
use super::pass::{In, Out, Text};
use super::{Status, call};
use crate::array::{Array, Mipmapped};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::module::Module;
use crate::results::Code;
use crate::texture::reference::{Reference, State};
use crate::texture::texel;
use margay_isa::Handle;
use margay_isa::texture::Texels;
use std::sync::Arc;

/// The flag that a texture has the format of the array: the only one that there is.
const OVERRIDE_FORMAT: u32 = 1;

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetTexRef(reference: Out<usize>, module: usize, name: Text) -> Status {
    call(|driver| {
        let module = driver.handles.find::<Module>(module)?;
        reference.give(driver.reference_named(&module, &name.get()?, Handle::Texture)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetSurfRef(reference: Out<usize>, module: usize, name: Text) -> Status {
    call(|driver| {
        let module = driver.handles.find::<Module>(module)?;
        reference.give(driver.reference_named(&module, &name.get()?, Handle::Surface)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefCreate(reference: Out<usize>) -> Status {
    call(|driver| {
        let context = driver.current()?.handle;
        if reference.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        let make = |handle| Reference::new(handle, context, Handle::Texture, 0);
        reference.give(driver.handles.make(make).handle)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefDestroy(reference: usize) -> Status {
    call(|driver| {
        if texture(driver, reference)?.address != 0 {
            let text = "a texture reference of a module goes with the module, and is not destroyed by itself";
            return Err(Failed::because(Code::INVALID_HANDLE, text));
        }
        driver.handles.take::<Reference>(reference).map(|_| ())
    })
}

/// A texture reference.
pub(super) fn texture(driver: &Driver, reference: usize) -> Answer<Arc<Reference>> {
    driver.reference(reference, Handle::Texture)
}

/// Binds an array to a reference.
fn bind(driver: &Driver, reference: &Reference, resource: Resource, texels: &Texels) -> Answer {
    let Array3d { format, channels, .. } = Array3d::of(texels, 0);
    let state = State { resource: Some(resource), format, channels, ..*reference.state() };
    driver.bind(reference, state)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetArray(reference: usize, array: usize, flags: u32) -> Status {
    call(|driver| {
        let (reference, found) = (texture(driver, reference)?, driver.handles.find::<Array>(array)?);
        if flags != OVERRIDE_FORMAT {
            return Err(Code::INVALID_VALUE.into());
        }
        bind(driver, &reference, Resource::new(Resource::ARRAY, [array as u64]), &found.texels)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetMipmappedArray(reference: usize, array: usize, flags: u32) -> Status {
    call(|driver| {
        let (reference, found) = (texture(driver, reference)?, driver.handles.find::<Mipmapped>(array)?);
        if flags != OVERRIDE_FORMAT {
            return Err(Code::INVALID_VALUE.into());
        }
        bind(driver, &reference, Resource::new(Resource::MIPMAPPED, [array as u64]), &found.texels)
    })
}

/// What is not aligned is bound from the last aligned place before it on, and the program is told how far that is.
#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetAddress_v2(
    offset: Out<usize>,
    reference: usize,
    address: u64,
    bytes: usize,
) -> Status {
    call(|driver| {
        let reference = texture(driver, reference)?;
        let behind = driver.misaligned(address);
        if behind > 0 && offset.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        let bytes = (bytes as u64).checked_add(behind).ok_or(Failed::from(Code::INVALID_VALUE))?;
        let resource = Resource::new(Resource::LINE, [address - behind, 0, bytes]);
        let state = State { resource: Some(resource), ..*reference.state() };
        driver.bind(&reference, state)?;
        offset.offer(behind as usize);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetAddress2D_v3(
    reference: usize,
    described: In<Array2d>,
    address: u64,
    pitch: usize,
) -> Status {
    call(|driver| {
        let reference = texture(driver, reference)?;
        let Array2d { width, height, format, channels } = described.read()?;
        let resource =
            Resource::new(Resource::PLANE, [address, 0, width as u64, height as u64, pitch as u64]);
        let state = State { resource: Some(resource), format, channels, ..*reference.state() };
        driver.bind(&reference, state)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetFormat(reference: usize, format: u32, channels: i32) -> Status {
    call(|driver| {
        let reference = texture(driver, reference)?;
        texel::format(format)?;
        let channels = texel::channels(channels as u32)?;
        let state = State { format, channels, ..*reference.state() };
        driver.set_state(&reference, state)
    })
}

/// What is bound to a reference, if it is of a kind.
fn bound(reference: &Reference, kinds: &[u32]) -> Answer<u64> {
    let resource = reference.state().resource.filter(|resource| kinds.contains(&resource.kind));
    resource.map(|resource| resource.of[0]).ok_or(Failed::from(Code::INVALID_VALUE))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetAddress_v2(address: Out<u64>, reference: usize) -> Status {
    call(|driver| address.give(bound(&*texture(driver, reference)?, &[Resource::LINE, Resource::PLANE])?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetArray(array: Out<usize>, reference: usize) -> Status {
    call(|driver| array.give(bound(&*texture(driver, reference)?, &[Resource::ARRAY])? as usize))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetMipmappedArray(array: Out<usize>, reference: usize) -> Status {
    call(|driver| array.give(bound(&*texture(driver, reference)?, &[Resource::MIPMAPPED])? as usize))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetFormat(format: Out<u32>, channels: Out<i32>, reference: usize) -> Status {
    call(|driver| {
        let state = *texture(driver, reference)?.state();
        format.give(state.format)?;
        channels.give(state.channels as i32)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuSurfRefSetArray(reference: usize, array: usize, flags: u32) -> Status {
    call(|driver| {
        let reference = driver.reference(reference, Handle::Surface)?;
        let found = driver.handles.find::<Array>(array)?;
        if flags != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        bind(driver, &reference, Resource::new(Resource::ARRAY, [array as u64]), &found.texels)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuSurfRefGetArray(array: Out<usize>, reference: usize) -> Status {
    call(|driver| {
        let reference = driver.reference(reference, Handle::Surface)?;
        array.give(bound(&reference, &[Resource::ARRAY])? as usize)
    })
}
