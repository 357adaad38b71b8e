//! How texture references are read.

use super::layout::Sampling;
use super::pass::{In, Out};
use super::reference::texture;
use super::{Status, call};
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::texture::reference::State;
use crate::texture::sampling;
use margay_isa::texture::AddressMode;

/// Changes how a reference is read.
fn set(reference: usize, change: impl FnOnce(&mut Sampling) -> Answer) -> Status {
    call(|driver| {
        let reference = texture(driver, reference)?;
        let mut state: State = *reference.state();
        change(&mut state.sampling)?;
        driver.set_state(&reference, state)
    })
}

/// Tells how a reference is read.
fn get<T>(to: &Out<T>, reference: usize, of: impl FnOnce(&Sampling) -> Answer<T>) -> Status {
    call(|driver| {
        let state: State = *texture(driver, reference)?.state();
        to.give(of(&state.sampling)?)
    })
}

/// The number of a dimension.
fn dimension(number: i32) -> Answer<usize> {
    match number {
        0..3 => Ok(number as usize),
        _ => Err(Code::INVALID_VALUE.into()),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetAddressMode(reference: usize, number: i32, mode: u32) -> Status {
    set(reference, |sampling| {
        AddressMode::numbered(mode).ok_or(Failed::from(Code::INVALID_VALUE))?;
        sampling.address_modes[dimension(number)?] = mode;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetAddressMode(mode: Out<u32>, reference: usize, number: i32) -> Status {
    get(&mode, reference, |sampling| Ok(sampling.address_modes[dimension(number)?]))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetFilterMode(reference: usize, filter: u32) -> Status {
    set(reference, |sampling| {
        sampling::filter(filter)?;
        sampling.filter = filter;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetFilterMode(filter: Out<u32>, reference: usize) -> Status {
    get(&filter, reference, |sampling| Ok(sampling.filter))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetMipmapFilterMode(reference: usize, filter: u32) -> Status {
    set(reference, |sampling| {
        sampling::filter(filter)?;
        sampling.level_filter = filter;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetMipmapFilterMode(filter: Out<u32>, reference: usize) -> Status {
    get(&filter, reference, |sampling| Ok(sampling.level_filter))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetMipmapLevelBias(reference: usize, bias: f32) -> Status {
    set(reference, |sampling| {
        sampling.level_bias = bias;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetMipmapLevelBias(bias: Out<f32>, reference: usize) -> Status {
    get(&bias, reference, |sampling| Ok(sampling.level_bias))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetMipmapLevelClamp(reference: usize, least: f32, most: f32) -> Status {
    set(reference, |sampling| {
        sampling.level_range = [least, most];
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetMipmapLevelClamp(least: Out<f32>, most: Out<f32>, reference: usize) -> Status {
    call(|driver| {
        let [low, high] = texture(driver, reference)?.state().sampling.level_range;
        least.give(low)?;
        most.give(high)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetMaxAnisotropy(reference: usize, most: u32) -> Status {
    set(reference, |sampling| {
        sampling.anisotropy = most;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetMaxAnisotropy(most: Out<i32>, reference: usize) -> Status {
    get(&most, reference, |sampling| Ok(sampling.anisotropy as i32))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetBorderColor(reference: usize, color: In<f32>) -> Status {
    set(reference, |sampling| {
        sampling.border = [color.at(0)?, color.at(1)?, color.at(2)?, color.at(3)?];
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetBorderColor(color: Out<f32>, reference: usize) -> Status {
    call(|driver| {
        let border = texture(driver, reference)?.state().sampling.border;
        color.give_all(&border)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetFlags(reference: usize, flags: u32) -> Status {
    set(reference, |sampling| {
        if flags & !sampling::FLAGS != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        sampling.flags = flags;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefGetFlags(flags: Out<u32>, reference: usize) -> Status {
    get(&flags, reference, |sampling| Ok(sampling.flags))
}
