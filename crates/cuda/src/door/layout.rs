//! Structures of `cuda.h`, as C lays them out.

use super::pass::{Address, Host, HostFunction, In};

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy2d {
    pub from_x: usize,
    pub from_y: usize,
    pub from_kind: u32,
    pub from_host: Host,
    pub from_device: Address,
    pub from_array: usize,
    pub from_pitch: usize,
    pub to_x: usize,
    pub to_y: usize,
    pub to_kind: u32,
    pub to_host: Host,
    pub to_device: Address,
    pub to_array: usize,
    pub to_pitch: usize,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy3d {
    pub from_x: usize,
    pub from_y: usize,
    pub from_z: usize,
    pub from_lod: usize,
    pub from_kind: u32,
    pub from_host: Host,
    pub from_device: Address,
    pub from_array: usize,
    pub from_nothing: usize,
    pub from_pitch: usize,
    pub from_height: usize,
    pub to_x: usize,
    pub to_y: usize,
    pub to_z: usize,
    pub to_lod: usize,
    pub to_kind: u32,
    pub to_host: Host,
    pub to_device: Address,
    pub to_array: usize,
    pub to_nothing: usize,
    pub to_pitch: usize,
    pub to_height: usize,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

impl Copy3d {
    /// Where a side of it is: memory of the host, of the device, an array, or memory of either.
    pub const HOST: u32 = 1;
    pub const DEVICE: u32 = 2;
    pub const ARRAY: u32 = 3;
    pub const UNIFIED: u32 = 4;

    /// How many bytes are copied.
    pub fn bytes(&self) -> u64 {
        [self.width, self.height, self.depth].iter().fold(1, |bytes, n| bytes.saturating_mul(*n as u64))
    }
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub stream: usize,
    pub attributes: In<Attribute>,
    pub count: u32,
}

/// `CUlaunchAttribute`: its number, and as many bytes as any value has.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Attribute {
    pub number: u32,
    pub padding: u32,
    pub value: [u32; 16],
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Location {
    pub kind: u32,
    pub id: i32,
}

/// `CUmemPoolProps`, as far as it matters.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Properties {
    pub kind: u32,
    pub handle_types: u32,
    pub location: Location,
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Access {
    pub location: Location,
    pub flags: u32,
}

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Kernel1 {
    pub function: usize,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub values: In<Host>,
    pub extra: In<Host>,
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Kernel2 {
    pub first: Kernel1,
    pub kernel: usize,
    pub context: usize,
}

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Fill1 {
    pub address: u64,
    pub pitch: usize,
    pub value: u32,
    pub element: u32,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Host1 {
    pub function: Option<HostFunction>,
    pub data: usize,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Allocate {
    pub properties: Properties,
    /// The rest of the properties of a pool: what only other systems use, its greatest size, and room.
    pub _rest: [u64; 9],
    pub _access: Host,
    pub _access_count: usize,
    pub bytes: usize,
    pub address: u64,
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Instantiate {
    pub flags: u64,
    pub stream: usize,
    pub node: usize,
    pub result: u32,
}

/// `CUgraphEdgeData`: how a node comes after another one. All zeros say that it waits for all of it.
pub type EdgeData = [u8; 8];

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Array2d {
    pub width: usize,
    pub height: usize,
    pub format: u32,
    pub channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array3d {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
}

/// `CUDA_ARRAY_MEMORY_REQUIREMENTS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Requirements {
    pub bytes: usize,
    pub alignment: usize,
    pub _reserved: [u32; 4],
}

/// `CUDA_RESOURCE_DESC`: an array's handle, or the address of memory, and what lies there.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Resource {
    pub kind: u32,
    pub of: [u64; 16],
    pub flags: u32,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Sampling {
    pub address_modes: [u32; 3],
    pub filter: u32,
    pub flags: u32,
    pub anisotropy: u32,
    pub level_filter: u32,
    pub level_bias: f32,
    pub level_range: [f32; 2],
    pub border: [f32; 4],
    pub _reserved: [u32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`: the first and the last one of levels and layers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    pub format: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub levels: [u32; 2],
    pub layers: [u32; 2],
    pub _reserved: [u32; 16],
}
