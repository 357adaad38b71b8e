//! Textures and surfaces: where the texels of an access lie, and what is made of them (manual, 9.7.10 and 9.7.11).

mod descriptor;

pub use descriptor::{AddressMode, ChannelFormat, SamplerState, Texels, TextureDescriptor};
