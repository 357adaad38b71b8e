//! Texture objects, and what they and surfaces are made of.

use super::array::{Array3d, Channels};
use super::pass::{In, Place};
use super::{Status, call};
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;

/// `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct DriverResource {
    kind: u32,
    of: [u64; 16],
    flags: u32,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Sampling {
    address_modes: [u32; 3],
    filter: u32,
    flags: u32,
    anisotropy: u32,
    level_filter: u32,
    level_bias: f32,
    level_range: [f32; 2],
    border: [f32; 4],
    _reserved: [u32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`: the structure of the runtime library, and what only the driver's has behind it in version 12.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct DriverView {
    view: View,
    _reserved: [u32; 16],
}

/// `cudaResourceViewDesc`, which has nothing behind it in version 12.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct View {
    format: u32,
    size: [usize; 3],
    levels: [u32; 2],
    layers: [u32; 2],
    #[cfg(major = "13")]
    _reserved: [u32; 16],
}

/// Words of what a resource of any kind is told by.
const WORDS: usize = if cfg!(major = "12") { 7 } else { 16 };

/// `cudaResourceDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Resource {
    kind: u32,
    of: [u64; WORDS],
    #[cfg(major = "13")]
    flags: u32,
}

/// Kinds of resources: arrays, memory as one row, and memory as rows.
const ARRAY: u32 = 0;
const MIPMAPPED: u32 = 1;
const LINE: u32 = 2;
const PLANE: u32 = 3;

/// Two numbers of four bytes as one of eight, as they lie in memory.
fn joined(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

impl Resource {
    /// The channels of what lies in memory.
    fn channels(&self) -> Channels {
        let [_, first, second, third, ..] = self.of;
        let low = |word: u64| word as u32;
        let bits = [low(first), low(first >> 32), low(second), low(second >> 32)].map(|bits| bits as i32);
        Channels { bits, kind: low(third) }
    }

    pub(super) fn for_driver(&self) -> Answer<DriverResource> {
        let [first, _, _, _, fourth, fifth, sixth, ..] = self.of;
        let mut resource = DriverResource { kind: self.kind, ..DriverResource::default() };
        #[cfg(major = "13")]
        {
            resource.flags = self.flags;
        }
        resource.of[0] = first;
        if matches!(self.kind, LINE | PLANE) {
            let (format, channels) = self.channels().format()?;
            resource.of[1] = joined(format, channels);
            resource.of[2..5].copy_from_slice(&[fourth, fifth, sixth]);
        }
        Ok(resource)
    }

    /// What the driver tells of a resource.
    pub(super) fn of(told: &DriverResource) -> Answer<Resource> {
        let mut of = [0; WORDS];
        of[0] = told.of[0];
        if matches!(told.kind, LINE | PLANE) {
            let Channels { bits, kind } = Channels::of(told.of[1] as u32, (told.of[1] >> 32) as u32)?;
            let [x, y, z, w] = bits.map(|bits| bits as u32);
            of[1..4].copy_from_slice(&[joined(x, y), joined(z, w), kind.into()]);
            let count = if told.kind == LINE { 1 } else { 3 };
            of[4..4 + count].copy_from_slice(&told.of[2..2 + count]);
        }
        Ok(Resource {
            kind: told.kind,
            of,
            #[cfg(major = "13")]
            flags: told.flags,
        })
    }

    /// The channels of its texels; nothing of what is never filtered.
    fn filtered(&self, runtime: &Runtime) -> Answer<Option<Channels>> {
        let of_array = |array| {
            let told = Array3d::of(runtime, array)?;
            Channels::of(told.format, told.channels).map(Some)
        };
        match self.kind {
            ARRAY => of_array(self.of[0] as usize),
            MIPMAPPED => {
                let mut level = 0;
                runtime.driver.cuMipmappedArrayGetLevel(&mut level, self.of[0] as usize, 0)?;
                of_array(level)
            }
            PLANE => Ok(Some(self.channels())),
            _ => Ok(None),
        }
    }
}

/// `cudaTextureDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Reading {
    address_modes: [u32; 3],
    filter: u32,
    mode: u32,
    is_srgb: i32,
    border: [f32; 4],
    is_normalized: i32,
    anisotropy: u32,
    level_filter: u32,
    level_bias: f32,
    level_range: [f32; 2],
    is_trilinear_exact: i32,
    is_seamless: i32,
}

/// How integers are read: as they are, or as fractions.
const AS_THEY_ARE: u32 = 0;
const AS_FRACTIONS: u32 = 1;
/// The driver's flags.
const READ_AS_INTEGER: u32 = 0x01;
const NORMALIZED: u32 = 0x02;
const SRGB: u32 = 0x10;
const TRILINEAR_EXACT: u32 = 0x20;
const SEAMLESS: u32 = 0x40;

impl Reading {
    fn for_driver(&self) -> Answer<Sampling> {
        if self.mode > AS_FRACTIONS {
            return Err(Code::INVALID_VALUE);
        }
        let flags = [
            (self.mode == AS_THEY_ARE, READ_AS_INTEGER),
            (self.is_normalized != 0, NORMALIZED),
            (self.is_srgb != 0, SRGB),
            (self.is_trilinear_exact != 0, TRILINEAR_EXACT),
            (self.is_seamless != 0, SEAMLESS),
        ];
        Ok(Sampling {
            address_modes: self.address_modes,
            filter: self.filter,
            flags: flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum(),
            anisotropy: self.anisotropy,
            level_filter: self.level_filter,
            level_bias: self.level_bias,
            level_range: self.level_range,
            border: self.border,
            _reserved: [0; 12],
        })
    }

    /// What the driver tells of it.
    fn of(told: &Sampling) -> Reading {
        let has = |flag: u32| told.flags & flag != 0;
        Reading {
            address_modes: told.address_modes,
            filter: told.filter,
            mode: if has(READ_AS_INTEGER) { AS_THEY_ARE } else { AS_FRACTIONS },
            is_srgb: has(SRGB).into(),
            border: told.border,
            is_normalized: has(NORMALIZED).into(),
            anisotropy: told.anisotropy,
            level_filter: told.level_filter,
            level_bias: told.level_bias,
            level_range: told.level_range,
            is_trilinear_exact: has(TRILINEAR_EXACT).into(),
            is_seamless: has(SEAMLESS).into(),
        }
    }

    /// Refuses to mix integers.
    fn check(&self, runtime: &Runtime, resource: &Resource) -> Answer {
        if self.filter == 0 {
            return Ok(());
        }
        let is_number =
            |channels: Channels| channels.is_float() || self.mode == AS_FRACTIONS && channels.width() < 32;
        let is_good = resource.filtered(runtime)?.is_none_or(is_number);
        if is_good { Ok(()) } else { Err(Code::INVALID_FILTER) }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateTextureObject(
    texture: Place<u64>,
    resource: In<Resource>,
    reading: In<Reading>,
    view: In<View>,
) -> Status {
    call(|runtime| {
        let (resource, reading) = (resource.read()?, reading.read()?);
        let (for_driver, sampling) = (resource.for_driver()?, reading.for_driver()?);
        let of_view = |view| DriverView { view, _reserved: [0; 16] };
        let view = if view.is_null() { None } else { Some(of_view(view.read()?)) };
        // Another format may well be one of numbers; the driver knows.
        if view.is_none_or(|view| view.view.format == 0) {
            reading.check(runtime, &resource)?;
        }
        runtime.driver.cuTexObjectCreate(texture, &for_driver, &sampling, view.as_ref())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroyTextureObject(texture: u64) -> Status {
    call(|runtime| runtime.driver.cuTexObjectDestroy(texture))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetTextureObjectResourceDesc(to: Place<Resource>, texture: u64) -> Status {
    call(|runtime| {
        let mut told = DriverResource::default();
        runtime.driver.cuTexObjectGetResourceDesc(&mut told, texture)?;
        to.give(Resource::of(&told)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetTextureObjectTextureDesc(to: Place<Reading>, texture: u64) -> Status {
    call(|runtime| {
        let mut told = Sampling::default();
        runtime.driver.cuTexObjectGetTextureDesc(&mut told, texture)?;
        to.give(Reading::of(&told))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetTextureObjectResourceViewDesc(to: Place<View>, texture: u64) -> Status {
    call(|runtime| {
        let mut told = DriverView::default();
        runtime.driver.cuTexObjectGetResourceViewDesc(&mut told, texture)?;
        to.give(told.view)
    })
}
