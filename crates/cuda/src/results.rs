//! The results of calls: numbers, names and what they mean in words, as `cuda.h` and NVIDIA's driver have them.

use std::ffi::CStr;

/// What a call answers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Code(pub u32);

/// Those that calls here answer.
impl Code {
    pub const SUCCESS: Code = Code(0);
    pub const INVALID_VALUE: Code = Code(1);
    pub const OUT_OF_MEMORY: Code = Code(2);
    pub const NOT_INITIALIZED: Code = Code(3);
    pub const INVALID_DEVICE: Code = Code(101);
    pub const INVALID_IMAGE: Code = Code(200);
    pub const INVALID_CONTEXT: Code = Code(201);
    pub const MAP_FAILED: Code = Code(205);
    pub const NO_BINARY_FOR_GPU: Code = Code(209);
    pub const UNSUPPORTED_LIMIT: Code = Code(215);
    pub const INVALID_PTX: Code = Code(218);
    pub const UNSUPPORTED_PTX_VERSION: Code = Code(222);
    pub const FILE_NOT_FOUND: Code = Code(301);
    pub const OPERATING_SYSTEM: Code = Code(304);
    pub const INVALID_HANDLE: Code = Code(400);
    pub const ILLEGAL_STATE: Code = Code(401);
    pub const NOT_FOUND: Code = Code(500);
    pub const ILLEGAL_ADDRESS: Code = Code(700);
    pub const CONTEXT_IS_DESTROYED: Code = Code(709);
    pub const ASSERT: Code = Code(710);
    pub const HOST_MEMORY_ALREADY_REGISTERED: Code = Code(712);
    pub const HOST_MEMORY_NOT_REGISTERED: Code = Code(713);
    pub const MISALIGNED_ADDRESS: Code = Code(716);
    pub const LAUNCH_FAILED: Code = Code(719);
    pub const COOPERATIVE_LAUNCH_TOO_LARGE: Code = Code(720);
    pub const NOT_SUPPORTED: Code = Code(801);
    pub const STREAM_CAPTURE_UNSUPPORTED: Code = Code(900);
    pub const STREAM_CAPTURE_INVALIDATED: Code = Code(901);
    pub const STREAM_CAPTURE_MERGE: Code = Code(902);
    pub const STREAM_CAPTURE_UNMATCHED: Code = Code(903);
    pub const STREAM_CAPTURE_UNJOINED: Code = Code(904);
    pub const STREAM_CAPTURE_ISOLATION: Code = Code(905);
    pub const STREAM_CAPTURE_IMPLICIT: Code = Code(906);
    pub const CAPTURED_EVENT: Code = Code(907);
    pub const STREAM_CAPTURE_WRONG_THREAD: Code = Code(908);
    pub const GRAPH_EXEC_UPDATE_FAILURE: Code = Code(910);
    pub const INVALID_CLUSTER_SIZE: Code = Code(912);
    pub const UNKNOWN: Code = Code(999);

    /// The name in `cuda.h`.
    pub fn name(self) -> Option<&'static CStr> {
        find(self).map(|(_, name, _)| *name)
    }

    /// What it means in words.
    pub fn text(self) -> Option<&'static CStr> {
        find(self).map(|(_, _, text)| *text)
    }
}

fn find(code: Code) -> Option<&'static (Code, &'static CStr, &'static CStr)> {
    ALL.binary_search_by_key(&code, |(code, ..)| *code).ok().map(|at| &ALL[at])
}

/// In the order of the numbers.
#[rustfmt::skip]
const ALL: &[(Code, &CStr, &CStr)] = &[
    (Code(0), c"CUDA_SUCCESS", c"no error"),
    (Code(1), c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (Code(2), c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (Code(3), c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (Code(4), c"CUDA_ERROR_DEINITIALIZED", c"driver shutting down"),
    (Code(5), c"CUDA_ERROR_PROFILER_DISABLED", c"profiler disabled while using external profiling tool"),
    (Code(6), c"CUDA_ERROR_PROFILER_NOT_INITIALIZED", c"profiler not initialized"),
    (Code(7), c"CUDA_ERROR_PROFILER_ALREADY_STARTED", c"profiler already started"),
    (Code(8), c"CUDA_ERROR_PROFILER_ALREADY_STOPPED", c"profiler already stopped"),
    (Code(34), c"CUDA_ERROR_STUB_LIBRARY", c"CUDA driver is a stub library"),
    (Code(36), c"CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", c"this call needs a newer driver"),
    (Code(46), c"CUDA_ERROR_DEVICE_UNAVAILABLE", c"CUDA-capable device(s) is/are busy or unavailable"),
    (Code(47), c"CUDA_ERROR_MULTICAST_RESOURCE_FULL", c"multicast resource full"),
    (Code(100), c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (Code(101), c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (Code(102), c"CUDA_ERROR_DEVICE_NOT_LICENSED", c"device doesn't have a valid license"),
    (Code(200), c"CUDA_ERROR_INVALID_IMAGE", c"device kernel image is invalid"),
    (Code(201), c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
    (Code(202), c"CUDA_ERROR_CONTEXT_ALREADY_CURRENT", c"context already current"),
    (Code(205), c"CUDA_ERROR_MAP_FAILED", c"mapping of buffer object failed"),
    (Code(206), c"CUDA_ERROR_UNMAP_FAILED", c"unmapping of buffer object failed"),
    (Code(207), c"CUDA_ERROR_ARRAY_IS_MAPPED", c"array is mapped"),
    (Code(208), c"CUDA_ERROR_ALREADY_MAPPED", c"resource already mapped"),
    (Code(209), c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for execution on the device"),
    (Code(210), c"CUDA_ERROR_ALREADY_ACQUIRED", c"resource already acquired"),
    (Code(211), c"CUDA_ERROR_NOT_MAPPED", c"resource not mapped"),
    (Code(212), c"CUDA_ERROR_NOT_MAPPED_AS_ARRAY", c"resource not mapped as array"),
    (Code(213), c"CUDA_ERROR_NOT_MAPPED_AS_POINTER", c"resource not mapped as pointer"),
    (Code(214), c"CUDA_ERROR_ECC_UNCORRECTABLE", c"uncorrectable ECC error encountered"),
    (Code(215), c"CUDA_ERROR_UNSUPPORTED_LIMIT", c"limit is not supported on this architecture"),
    (Code(216), c"CUDA_ERROR_CONTEXT_ALREADY_IN_USE", c"exclusive-thread device already in use by a different thread"),
    (Code(217), c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", c"peer access is not supported between these two devices"),
    (Code(218), c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
    (Code(219), c"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", c"invalid OpenGL or DirectX context"),
    (Code(220), c"CUDA_ERROR_NVLINK_UNCORRECTABLE", c"uncorrectable NVLink error detected during the execution"),
    (Code(221), c"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", c"PTX JIT compiler library not found"),
    (Code(222), c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", c"the provided PTX was compiled with an unsupported toolchain."),
    (Code(223), c"CUDA_ERROR_JIT_COMPILATION_DISABLED", c"PTX JIT compilation was disabled"),
    (Code(224), c"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", c"unsupported exec affinity"),
    (Code(225), c"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", c"unsupported devside sync"),
    (Code(226), c"CUDA_ERROR_CONTAINED", c"contained"),
    (Code(227), c"CUDA_ERROR_INSUFFICIENT_LOADER_VERSION", c"insufficient loader version"),
    (Code(300), c"CUDA_ERROR_INVALID_SOURCE", c"device kernel image is invalid"),
    (Code(301), c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found"),
    (Code(302), c"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", c"shared object symbol not found"),
    (Code(303), c"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", c"shared object initialization failed"),
    (Code(304), c"CUDA_ERROR_OPERATING_SYSTEM", c"OS call failed or operation not supported on this OS"),
    (Code(400), c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    (Code(401), c"CUDA_ERROR_ILLEGAL_STATE", c"the operation cannot be performed in the present state"),
    (Code(402), c"CUDA_ERROR_LOSSY_QUERY", c"lossy query"),
    (Code(500), c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    (Code(600), c"CUDA_ERROR_NOT_READY", c"device not ready"),
    (Code(700), c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    (Code(701), c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
    (Code(702), c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch timed out and was terminated"),
    (Code(703), c"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", c"launch uses incompatible texturing mode"),
    (Code(704), c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", c"peer access is already enabled"),
    (Code(705), c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", c"peer access has not been enabled"),
    (Code(708), c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", c"cannot set while device is active in this process"),
    (Code(709), c"CUDA_ERROR_CONTEXT_IS_DESTROYED", c"context is destroyed"),
    (Code(710), c"CUDA_ERROR_ASSERT", c"device-side assert triggered"),
    (Code(711), c"CUDA_ERROR_TOO_MANY_PEERS", c"peer mapping resources exhausted"),
    (Code(712), c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", c"part or all of the requested memory range is already mapped"),
    (Code(713), c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", c"pointer does not correspond to a registered memory region"),
    (Code(714), c"CUDA_ERROR_HARDWARE_STACK_ERROR", c"hardware stack error"),
    (Code(715), c"CUDA_ERROR_ILLEGAL_INSTRUCTION", c"an illegal instruction was encountered"),
    (Code(716), c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address"),
    (Code(717), c"CUDA_ERROR_INVALID_ADDRESS_SPACE", c"operation not supported on global/shared address space"),
    (Code(718), c"CUDA_ERROR_INVALID_PC", c"invalid program counter"),
    (Code(719), c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
    (Code(720), c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", c"too many blocks in cooperative launch"),
    (Code(721), c"CUDA_ERROR_TENSOR_MEMORY_LEAK", c"tensor memory leak"),
    (Code(800), c"CUDA_ERROR_NOT_PERMITTED", c"operation not permitted"),
    (Code(801), c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
    (Code(802), c"CUDA_ERROR_SYSTEM_NOT_READY", c"system not yet initialized"),
    (Code(803), c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", c"system has unsupported display driver / cuda driver combination"),
    (Code(804), c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", c"forward compatibility was attempted on non supported HW"),
    (Code(805), c"CUDA_ERROR_MPS_CONNECTION_FAILED", c"mps connection failed"),
    (Code(806), c"CUDA_ERROR_MPS_RPC_FAILURE", c"mps rpc failure"),
    (Code(807), c"CUDA_ERROR_MPS_SERVER_NOT_READY", c"mps server not ready"),
    (Code(808), c"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", c"mps max clients reached"),
    (Code(809), c"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", c"mps max connections reached"),
    (Code(810), c"CUDA_ERROR_MPS_CLIENT_TERMINATED", c"mps client terminated"),
    (Code(811), c"CUDA_ERROR_CDP_NOT_SUPPORTED", c"cdp not supported"),
    (Code(812), c"CUDA_ERROR_CDP_VERSION_MISMATCH", c"cdp version mismatch"),
    (Code(900), c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", c"operation not permitted when stream is capturing"),
    (Code(901), c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", c"operation failed due to a previous error during capture"),
    (Code(902), c"CUDA_ERROR_STREAM_CAPTURE_MERGE", c"operation would result in a merge of separate capture sequences"),
    (Code(903), c"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", c"capture was not ended in the same stream as it began"),
    (Code(904), c"CUDA_ERROR_STREAM_CAPTURE_UNJOINED", c"capturing stream has unjoined work"),
    (Code(905), c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION", c"dependency created on uncaptured work in another stream"),
    (Code(906), c"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", c"operation would make the legacy stream depend on a capturing blocking stream"),
    (Code(907), c"CUDA_ERROR_CAPTURED_EVENT", c"operation not permitted on an event last recorded in a capturing stream"),
    (Code(908), c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", c"attempt to terminate a thread-local capture sequence from another thread"),
    (Code(909), c"CUDA_ERROR_TIMEOUT", c"wait operation timed out"),
    (Code(910), c"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"),
    (Code(911), c"CUDA_ERROR_EXTERNAL_DEVICE", c"an async error has occurred in external entity outside of CUDA"),
    (Code(912), c"CUDA_ERROR_INVALID_CLUSTER_SIZE", c"a kernel launch error has occurred due to cluster misconfiguration"),
    (Code(913), c"CUDA_ERROR_FUNCTION_NOT_LOADED", c"the function is not loaded"),
    (Code(914), c"CUDA_ERROR_INVALID_RESOURCE_TYPE", c"the resource type is not supported by the operation"),
    (Code(915), c"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", c"the resource configuration is not supported by the operation"),
    (Code(916), c"CUDA_ERROR_KEY_ROTATION", c"key rotation"),
    (Code(917), c"CUDA_ERROR_STREAM_DETACHED", c"stream detached"),
    (Code(918), c"CUDA_ERROR_GRAPH_RECAPTURE_FAILURE", c"graph recapture failure"),
    (Code(919), c"CUDA_ERROR_FABRIC_NOT_READY", c"fabric not ready"),
    (Code(999), c"CUDA_ERROR_UNKNOWN", c"unknown error"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_name_and_words() {
        assert!(ALL.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(Code::NOT_SUPPORTED.name(), Some(c"CUDA_ERROR_NOT_SUPPORTED"));
        assert_eq!(Code::INVALID_VALUE.text(), Some(c"invalid argument"));
        assert_eq!(Code(12345).name(), None);
    }
}
