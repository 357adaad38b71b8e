//! Objects for textures and surfaces: what they are made of, and their descriptions in the device's memory.

use super::Driver;
use crate::array::{Array, Mipmapped, SURFACE_LDST};
use crate::door::layout::{Resource, Sampling, View};
use crate::failed::{Answer, Failed};
use crate::places::Kind;
use crate::results::Code;
use crate::texture::{Object, texel};
use margay_isa::Handle;
use margay_isa::texture::{SamplerState, Texels, TextureDescriptor};

/// Attributes that limit textures in memory: what they and their rows begin at multiples of, their texels, rows, and bytes of a row.
const ALIGNMENT: u32 = 14;
const PITCH_ALIGNMENT: u32 = 51;
const LINE_WIDTH: u32 = 69;
const PLANE_WIDTH: u32 = 70;
const PLANE_HEIGHT: u32 = 71;
const PLANE_PITCH: u32 = 72;

impl Driver {
    /// Makes a texture object; its handle is where its description lies.
    pub fn create_texture(&self, resource: Resource, sampling: Sampling, view: Option<View>) -> Answer<u64> {
        let texels = self.texels_of(&resource)?;
        let texels = match view {
            Some(_) if resource.kind > Resource::MIPMAPPED => {
                return Err(Failed::because(Code::INVALID_VALUE, "a view of memory that is no array"));
            }
            Some(view) => view.of(texels)?,
            None => texels,
        };
        let sampler = sampling.sampler(&texels)?;
        let descriptor = TextureDescriptor { kind: Handle::Texture, texels, sampler };
        self.create_object(descriptor, resource, sampling, view)
    }

    /// Makes a surface object.
    pub fn create_surface(&self, resource: Resource) -> Answer<u64> {
        let texels = self.surface_of(&resource)?;
        let descriptor =
            TextureDescriptor { kind: Handle::Surface, texels, sampler: SamplerState::default() };
        self.create_object(descriptor, resource, Sampling::USUAL, None)
    }

    fn create_object(
        &self,
        descriptor: TextureDescriptor,
        resource: Resource,
        sampling: Sampling,
        view: Option<View>,
    ) -> Answer<u64> {
        let context = self.current()?.handle;
        let address = self.allocate(TextureDescriptor::BYTES as u64, Kind::Description, context)?;
        self.write(address, &descriptor.to_bytes())?;
        self.objects.put(address, Object { kind: descriptor.kind, context, resource, sampling, view });
        Ok(address)
    }

    /// An object of a kind.
    pub fn object(&self, address: u64, kind: Handle) -> Answer<Object> {
        self.objects.at(address, kind).ok_or(Failed::from(Code::INVALID_VALUE))
    }

    /// Frees an object of a kind.
    pub fn destroy_object(&self, address: u64, kind: Handle) -> Answer {
        self.object(address, kind)?;
        self.objects.take(address);
        self.free(address, |kind| kind == Kind::Description)
    }

    /// The texels of what surfaces are made of.
    pub fn surface_of(&self, resource: &Resource) -> Answer<Texels> {
        if resource.kind != Resource::ARRAY || resource.flags != 0 {
            return Err(Failed::because(Code::INVALID_VALUE, "surfaces are of arrays alone"));
        }
        let array = self.handles.find::<Array>(resource.of[0] as usize)?;
        if array.flags & SURFACE_LDST == 0 {
            let text = "a surface of an array that was not made for surfaces: `CUDA_ARRAY3D_SURFACE_LDST` is missing";
            return Err(Failed::because(Code::INVALID_VALUE, text));
        }
        Ok(array.texels)
    }

    /// The texels of what textures are made of.
    pub fn texels_of(&self, resource: &Resource) -> Answer<Texels> {
        if resource.flags != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        let handle = resource.of[0] as usize;
        match resource.kind {
            Resource::ARRAY => Ok(self.handles.find::<Array>(handle)?.texels),
            Resource::MIPMAPPED => Ok(self.handles.find::<Mipmapped>(handle)?.texels),
            Resource::LINE => self.line(resource),
            Resource::PLANE => self.plane(resource),
            _ => {
                Err(Failed::because(Code::INVALID_VALUE, "a texture of a kind of resource that there is not"))
            }
        }
    }

    fn limit(&self, attribute: u32) -> u64 {
        self.device.attribute(attribute).unwrap_or(0).into()
    }

    /// Memory as one row of texels.
    fn line(&self, resource: &Resource) -> Answer<Texels> {
        let Resource { of: [address, _, bytes, ..], .. } = *resource;
        let texels = Texels { is_buffer: true, ..resource.texel()? };
        let width = bytes / u64::from(texels.texel_bytes());
        if width == 0 || width > self.limit(LINE_WIDTH) {
            return Err(Failed::because(
                Code::INVALID_VALUE,
                format!("a texture of {width} texels in memory"),
            ));
        }
        self.check_base(address)?;
        self.memory().readable(address, bytes)?;
        Ok(Texels { width: width as u32, ..texels })
    }

    /// Memory as rows of texels.
    fn plane(&self, resource: &Resource) -> Answer<Texels> {
        let Resource { of: [address, _, width, height, pitch, ..], .. } = *resource;
        let texels = resource.texel()?;
        let wrong = |text: String| Err(Failed::because(Code::INVALID_VALUE, text));
        let is_size = |size: u64, most: u32| size > 0 && size <= self.limit(most);
        if !is_size(width, PLANE_WIDTH) || !is_size(height, PLANE_HEIGHT) {
            return wrong(format!("a texture of {width} x {height} texels in memory"));
        }
        let row = width * u64::from(texels.texel_bytes());
        let is_pitch = pitch >= row && pitch.is_multiple_of(self.limit(PITCH_ALIGNMENT).max(1));
        if !is_pitch || pitch > self.limit(PLANE_PITCH) {
            return wrong(format!("a texture in memory whose rows of {row} bytes are {pitch} bytes apart"));
        }
        self.check_base(address)?;
        self.memory().readable(address, (height - 1) * pitch + row)?;
        Ok(Texels { width: width as u32, height: height as u32, pitch, ..texels })
    }

    /// How far an address lies behind one where a texture can begin. Allocations begin at such ones, for they do so on every device.
    pub fn misaligned(&self, address: u64) -> u64 {
        let is_own = |kind: Kind| kind.is_device() || matches!(kind, Kind::Host(_));
        let around = self.places().around(address).filter(|(_, place)| is_own(place.kind));
        let inside = address - around.map_or(0, |(start, _)| start);
        inside % self.limit(ALIGNMENT).max(1)
    }

    fn check_base(&self, address: u64) -> Answer {
        if self.misaligned(address) == 0 {
            return Ok(());
        }
        let alignment = self.limit(ALIGNMENT);
        let text = format!("a texture at {address:#x}, which is not aligned to {alignment} bytes");
        Err(Failed::because(Code::INVALID_VALUE, text))
    }
}

impl Resource {
    /// Kinds of resources: arrays, memory as one row, and memory as rows.
    pub const ARRAY: u32 = 0;
    pub const MIPMAPPED: u32 = 1;
    pub const LINE: u32 = 2;
    pub const PLANE: u32 = 3;

    /// A resource of a kind, told by some words.
    pub fn new<const N: usize>(kind: u32, words: [u64; N]) -> Resource {
        let of = std::array::from_fn(|k| words.get(k).copied().unwrap_or(0));
        Resource { kind, of, flags: 0 }
    }

    /// The same memory with texels of a format and of channels, both in one word.
    pub fn of_texels(mut self, texel: u64) -> Resource {
        self.of[1] = texel;
        self
    }

    /// A row of no texels in memory, of the format that is said.
    fn texel(&self) -> Answer<Texels> {
        let (format, channels) = (self.of[1] as u32, (self.of[1] >> 32) as u32);
        let (format, channels) = (texel::format(format)?, texel::channels(channels)?);
        Ok(Texels::plane(self.of[0], 0, 0, format, channels))
    }
}
