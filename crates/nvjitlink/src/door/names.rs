//! The names of the functions: their own, and those that programs are linked with, since NVIDIA's header gives each function the
//! header's version. All of them call a function that has no name outside, which no other library's can replace.

use super::pass::{Bytes, Place, Room, Text, Texts};
use super::*;

macro_rules! names {
    ($($function:ident $parameters:tt $arguments:tt: $($name:ident)*;)*) => {
        $($(#[unsafe(no_mangle)]
        extern "C" fn $name $parameters -> Status {
            $function $arguments
        })*)*
    };
}

#[cfg(major = "12")]
names! {
    create (handle: Place<usize>, count: u32, options: Texts) (handle, count, options):
        nvJitLinkCreate
        __nvJitLinkCreate_12_0 __nvJitLinkCreate_12_1 __nvJitLinkCreate_12_2 __nvJitLinkCreate_12_3
        __nvJitLinkCreate_12_4 __nvJitLinkCreate_12_5 __nvJitLinkCreate_12_6 __nvJitLinkCreate_12_7
        __nvJitLinkCreate_12_8 __nvJitLinkCreate_12_9;
    destroy (handle: Place<usize>) (handle):
        nvJitLinkDestroy
        __nvJitLinkDestroy_12_0 __nvJitLinkDestroy_12_1 __nvJitLinkDestroy_12_2 __nvJitLinkDestroy_12_3
        __nvJitLinkDestroy_12_4 __nvJitLinkDestroy_12_5 __nvJitLinkDestroy_12_6 __nvJitLinkDestroy_12_7
        __nvJitLinkDestroy_12_8 __nvJitLinkDestroy_12_9;
    add_data (handle: usize, kind: u32, data: Bytes, bytes: usize, name: Text) (handle, kind, data, bytes, name):
        nvJitLinkAddData
        __nvJitLinkAddData_12_0 __nvJitLinkAddData_12_1 __nvJitLinkAddData_12_2 __nvJitLinkAddData_12_3
        __nvJitLinkAddData_12_4 __nvJitLinkAddData_12_5 __nvJitLinkAddData_12_6 __nvJitLinkAddData_12_7
        __nvJitLinkAddData_12_8 __nvJitLinkAddData_12_9;
    add_file (handle: usize, kind: u32, path: Text) (handle, kind, path):
        nvJitLinkAddFile
        __nvJitLinkAddFile_12_0 __nvJitLinkAddFile_12_1 __nvJitLinkAddFile_12_2 __nvJitLinkAddFile_12_3
        __nvJitLinkAddFile_12_4 __nvJitLinkAddFile_12_5 __nvJitLinkAddFile_12_6 __nvJitLinkAddFile_12_7
        __nvJitLinkAddFile_12_8 __nvJitLinkAddFile_12_9;
    complete (handle: usize) (handle):
        nvJitLinkComplete
        __nvJitLinkComplete_12_0 __nvJitLinkComplete_12_1 __nvJitLinkComplete_12_2 __nvJitLinkComplete_12_3
        __nvJitLinkComplete_12_4 __nvJitLinkComplete_12_5 __nvJitLinkComplete_12_6 __nvJitLinkComplete_12_7
        __nvJitLinkComplete_12_8 __nvJitLinkComplete_12_9;
    cubin_size (handle: usize, bytes: Place<usize>) (handle, bytes):
        nvJitLinkGetLinkedCubinSize
        __nvJitLinkGetLinkedCubinSize_12_0 __nvJitLinkGetLinkedCubinSize_12_1
        __nvJitLinkGetLinkedCubinSize_12_2 __nvJitLinkGetLinkedCubinSize_12_3
        __nvJitLinkGetLinkedCubinSize_12_4 __nvJitLinkGetLinkedCubinSize_12_5
        __nvJitLinkGetLinkedCubinSize_12_6 __nvJitLinkGetLinkedCubinSize_12_7
        __nvJitLinkGetLinkedCubinSize_12_8 __nvJitLinkGetLinkedCubinSize_12_9;
    cubin (handle: usize, room: Room) (handle, room):
        nvJitLinkGetLinkedCubin
        __nvJitLinkGetLinkedCubin_12_0 __nvJitLinkGetLinkedCubin_12_1 __nvJitLinkGetLinkedCubin_12_2
        __nvJitLinkGetLinkedCubin_12_3 __nvJitLinkGetLinkedCubin_12_4 __nvJitLinkGetLinkedCubin_12_5
        __nvJitLinkGetLinkedCubin_12_6 __nvJitLinkGetLinkedCubin_12_7 __nvJitLinkGetLinkedCubin_12_8
        __nvJitLinkGetLinkedCubin_12_9;
    ptx_size (handle: usize, bytes: Place<usize>) (handle, bytes):
        nvJitLinkGetLinkedPtxSize
        __nvJitLinkGetLinkedPtxSize_12_0 __nvJitLinkGetLinkedPtxSize_12_1 __nvJitLinkGetLinkedPtxSize_12_2
        __nvJitLinkGetLinkedPtxSize_12_3 __nvJitLinkGetLinkedPtxSize_12_4 __nvJitLinkGetLinkedPtxSize_12_5
        __nvJitLinkGetLinkedPtxSize_12_6 __nvJitLinkGetLinkedPtxSize_12_7 __nvJitLinkGetLinkedPtxSize_12_8
        __nvJitLinkGetLinkedPtxSize_12_9;
    ptx (handle: usize, room: Room) (handle, room):
        nvJitLinkGetLinkedPtx
        __nvJitLinkGetLinkedPtx_12_0 __nvJitLinkGetLinkedPtx_12_1 __nvJitLinkGetLinkedPtx_12_2
        __nvJitLinkGetLinkedPtx_12_3 __nvJitLinkGetLinkedPtx_12_4 __nvJitLinkGetLinkedPtx_12_5
        __nvJitLinkGetLinkedPtx_12_6 __nvJitLinkGetLinkedPtx_12_7 __nvJitLinkGetLinkedPtx_12_8
        __nvJitLinkGetLinkedPtx_12_9;
    error_log_size (handle: usize, bytes: Place<usize>) (handle, bytes):
        nvJitLinkGetErrorLogSize
        __nvJitLinkGetErrorLogSize_12_0 __nvJitLinkGetErrorLogSize_12_1 __nvJitLinkGetErrorLogSize_12_2
        __nvJitLinkGetErrorLogSize_12_3 __nvJitLinkGetErrorLogSize_12_4 __nvJitLinkGetErrorLogSize_12_5
        __nvJitLinkGetErrorLogSize_12_6 __nvJitLinkGetErrorLogSize_12_7 __nvJitLinkGetErrorLogSize_12_8
        __nvJitLinkGetErrorLogSize_12_9;
    error_log (handle: usize, room: Room) (handle, room):
        nvJitLinkGetErrorLog
        __nvJitLinkGetErrorLog_12_0 __nvJitLinkGetErrorLog_12_1 __nvJitLinkGetErrorLog_12_2
        __nvJitLinkGetErrorLog_12_3 __nvJitLinkGetErrorLog_12_4 __nvJitLinkGetErrorLog_12_5
        __nvJitLinkGetErrorLog_12_6 __nvJitLinkGetErrorLog_12_7 __nvJitLinkGetErrorLog_12_8
        __nvJitLinkGetErrorLog_12_9;
    info_log_size (handle: usize, bytes: Place<usize>) (handle, bytes):
        nvJitLinkGetInfoLogSize
        __nvJitLinkGetInfoLogSize_12_0 __nvJitLinkGetInfoLogSize_12_1 __nvJitLinkGetInfoLogSize_12_2
        __nvJitLinkGetInfoLogSize_12_3 __nvJitLinkGetInfoLogSize_12_4 __nvJitLinkGetInfoLogSize_12_5
        __nvJitLinkGetInfoLogSize_12_6 __nvJitLinkGetInfoLogSize_12_7 __nvJitLinkGetInfoLogSize_12_8
        __nvJitLinkGetInfoLogSize_12_9;
    info_log (handle: usize, room: Room) (handle, room):
        nvJitLinkGetInfoLog
        __nvJitLinkGetInfoLog_12_0 __nvJitLinkGetInfoLog_12_1 __nvJitLinkGetInfoLog_12_2
        __nvJitLinkGetInfoLog_12_3 __nvJitLinkGetInfoLog_12_4 __nvJitLinkGetInfoLog_12_5
        __nvJitLinkGetInfoLog_12_6 __nvJitLinkGetInfoLog_12_7 __nvJitLinkGetInfoLog_12_8
        __nvJitLinkGetInfoLog_12_9;
    version (major: Place<u32>, minor: Place<u32>) (major, minor):
        nvJitLinkVersion;
}

#[cfg(major = "13")]
names! {
    create (handle: Place<usize>, count: u32, options: Texts) (handle, count, options):
        nvJitLinkCreate
        __nvJitLinkCreate_13_0 __nvJitLinkCreate_13_1 __nvJitLinkCreate_13_2 __nvJitLinkCreate_13_3
        __nvJitLinkCreate_13_4 __nvJitLinkCreate_13_5;
    destroy (handle: Place<usize>) (handle):
        nvJitLinkDestroy
        __nvJitLinkDestroy_13_0 __nvJitLinkDestroy_13_1 __nvJitLinkDestroy_13_2 __nvJitLinkDestroy_13_3
        __nvJitLinkDestroy_13_4 __nvJitLinkDestroy_13_5;
    add_data (handle: usize, kind: u32, data: Bytes, bytes: usize, name: Text) (handle, kind, data, bytes, name):
        nvJitLinkAddData
        __nvJitLinkAddData_13_0 __nvJitLinkAddData_13_1 __nvJitLinkAddData_13_2 __nvJitLinkAddData_13_3
        __nvJitLinkAddData_13_4 __nvJitLinkAddData_13_5;
    add_file (handle: usize, kind: u32, path: Text) (handle, kind, path):
        nvJitLinkAddFile
        __nvJitLinkAddFile_13_0 __nvJitLinkAddFile_13_1 __nvJitLinkAddFile_13_2 __nvJitLinkAddFile_13_3
        __nvJitLinkAddFile_13_4 __nvJitLinkAddFile_13_5;
    complete (handle: usize) (handle):
        nvJitLinkComplete
        __nvJitLinkComplete_13_0 __nvJitLinkComplete_13_1 __nvJitLinkComplete_13_2 __nvJitLinkComplete_13_3
        __nvJitLinkComplete_13_4 __nvJitLinkComplete_13_5;
    cubin_size (handle: usize, bytes: Place<usize>) (handle, bytes):
        nvJitLinkGetLinkedCubinSize
        __nvJitLinkGetLinkedCubinSize_13_0 __nvJitLinkGetLinkedCubinSize_13_1
        __nvJitLinkGetLinkedCubinSize_13_2 __nvJitLinkGetLinkedCubinSize_13_3
        __nvJitLinkGetLinkedCubinSize_13_4 __nvJitLinkGetLinkedCubinSize_13_5;
    cubin (handle: usize, room: Room) (handle, room):
        nvJitLinkGetLinkedCubin
        __nvJitLinkGetLinkedCubin_13_0 __nvJitLinkGetLinkedCubin_13_1 __nvJitLinkGetLinkedCubin_13_2
        __nvJitLinkGetLinkedCubin_13_3 __nvJitLinkGetLinkedCubin_13_4 __nvJitLinkGetLinkedCubin_13_5;
    ptx_size (handle: usize, bytes: Place<usize>) (handle, bytes):
        nvJitLinkGetLinkedPtxSize
        __nvJitLinkGetLinkedPtxSize_13_0 __nvJitLinkGetLinkedPtxSize_13_1 __nvJitLinkGetLinkedPtxSize_13_2
        __nvJitLinkGetLinkedPtxSize_13_3 __nvJitLinkGetLinkedPtxSize_13_4 __nvJitLinkGetLinkedPtxSize_13_5;
    ptx (handle: usize, room: Room) (handle, room):
        nvJitLinkGetLinkedPtx
        __nvJitLinkGetLinkedPtx_13_0 __nvJitLinkGetLinkedPtx_13_1 __nvJitLinkGetLinkedPtx_13_2
        __nvJitLinkGetLinkedPtx_13_3 __nvJitLinkGetLinkedPtx_13_4 __nvJitLinkGetLinkedPtx_13_5;
    error_log_size (handle: usize, bytes: Place<usize>) (handle, bytes):
        nvJitLinkGetErrorLogSize
        __nvJitLinkGetErrorLogSize_13_0 __nvJitLinkGetErrorLogSize_13_1 __nvJitLinkGetErrorLogSize_13_2
        __nvJitLinkGetErrorLogSize_13_3 __nvJitLinkGetErrorLogSize_13_4 __nvJitLinkGetErrorLogSize_13_5;
    error_log (handle: usize, room: Room) (handle, room):
        nvJitLinkGetErrorLog
        __nvJitLinkGetErrorLog_13_0 __nvJitLinkGetErrorLog_13_1 __nvJitLinkGetErrorLog_13_2
        __nvJitLinkGetErrorLog_13_3 __nvJitLinkGetErrorLog_13_4 __nvJitLinkGetErrorLog_13_5;
    info_log_size (handle: usize, bytes: Place<usize>) (handle, bytes):
        nvJitLinkGetInfoLogSize
        __nvJitLinkGetInfoLogSize_13_0 __nvJitLinkGetInfoLogSize_13_1 __nvJitLinkGetInfoLogSize_13_2
        __nvJitLinkGetInfoLogSize_13_3 __nvJitLinkGetInfoLogSize_13_4 __nvJitLinkGetInfoLogSize_13_5;
    info_log (handle: usize, room: Room) (handle, room):
        nvJitLinkGetInfoLog
        __nvJitLinkGetInfoLog_13_0 __nvJitLinkGetInfoLog_13_1 __nvJitLinkGetInfoLog_13_2
        __nvJitLinkGetInfoLog_13_3 __nvJitLinkGetInfoLog_13_4 __nvJitLinkGetInfoLog_13_5;
    lto_ir_size (handle: usize, bytes: Place<usize>) (handle, bytes):
        nvJitLinkGetLinkedLTOIRSize
        __nvJitLinkGetLinkedLTOIRSize_13_0 __nvJitLinkGetLinkedLTOIRSize_13_1
        __nvJitLinkGetLinkedLTOIRSize_13_2 __nvJitLinkGetLinkedLTOIRSize_13_3
        __nvJitLinkGetLinkedLTOIRSize_13_4 __nvJitLinkGetLinkedLTOIRSize_13_5;
    lto_ir (handle: usize, room: Room) (handle, room):
        nvJitLinkGetLinkedLTOIR
        __nvJitLinkGetLinkedLTOIR_13_0 __nvJitLinkGetLinkedLTOIR_13_1 __nvJitLinkGetLinkedLTOIR_13_2
        __nvJitLinkGetLinkedLTOIR_13_3 __nvJitLinkGetLinkedLTOIR_13_4 __nvJitLinkGetLinkedLTOIR_13_5;
    version (major: Place<u32>, minor: Place<u32>) (major, minor):
        nvJitLinkVersion;
}
