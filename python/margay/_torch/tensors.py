"""CUDA tensors seen as tensors of the CPU, and results of the CPU as CUDA tensors.

An address of margay's driver is an address of the process, so that a tensor of the CPU can lie at the same bytes: operations in place,
views and overlaps need nothing more.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Callable


class Tensors:
    """The tensors of one call: which tensor of the CPU stands for which CUDA tensor."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        # By identity: the CUDA tensor, and the one that stands for it.
        self.lent: dict[int, tuple[Any, Any]] = {}
        # Tensors of the CPU that the caller gave.
        self.host: list[Any] = []

    def lower(self, tensor: Any) -> Any:
        """What stands for a tensor on the CPU."""
        if not tensor.is_cuda:
            self.host.append(tensor)
            return tensor
        found = self.lent.get(id(tensor))
        if found is None:
            found = self.lent[id(tensor)] = (tensor, same_bytes(self.torch, tensor))
        return found[1]

    def lower_any(self, value: Any) -> Any:
        """The same for any argument: a device is the CPU, all else remains."""
        if isinstance(value, self.torch.Tensor):
            return self.lower(value)
        return self.torch.device("cpu") if isinstance(value, self.torch.device) else value

    def lower_empty(self, tensor: Any) -> Any:
        """An empty tensor of the CPU for one that an operation gives a shape."""
        empty = self.torch.empty(0, dtype=tensor.dtype, device="cpu")
        self.lent[id(tensor)] = (tensor, empty)
        return empty

    def resize(self) -> None:
        """Gives CUDA tensors the shape that an operation gave what stands for them, as it does with `out=`."""
        for tensor, lowered in self.lent.values():
            if tensor.shape == lowered.shape and tensor.stride() == lowered.stride():
                continue
            last = sum((size - 1) * stride for size, stride in zip(lowered.shape, lowered.stride()))
            tensor.resize_(last + 1 if lowered.numel() else 0)
            tensor.as_strided_(lowered.shape, lowered.stride())
            same_bytes(self.torch, tensor).copy_(lowered)

    def lift(self, result: Any) -> Any:
        """A result as the caller is to have it: a tensor that it gave, a view of one, or a new CUDA tensor."""
        if not isinstance(result, self.torch.Tensor) or any(result is tensor for tensor in self.host):
            return result
        if result.is_nested or result.layout is not self.torch.strided:
            return result.to("cuda")
        address = result.untyped_storage().data_ptr()
        for tensor, lowered in self.lent.values():
            if result is lowered:
                return tensor
            if address and lowered.untyped_storage().data_ptr() == address and tensor.dtype == result.dtype:
                return tensor.as_strided(result.shape, result.stride(), result.storage_offset())
        return on_device(self.torch, result)


def same_bytes(torch: Any, tensor: Any) -> Any:
    """A tensor of the CPU at the bytes of a CUDA tensor. It may be used while that one lives."""
    storage = tensor.untyped_storage()
    size = storage.nbytes()
    if size:
        # PyTorch keeps what it makes a tensor of, not what that lies in.
        bytes_ = torch.frombuffer((ctypes.c_char * size).from_address(storage.data_ptr()), dtype=torch.uint8)
        lent = bytes_.untyped_storage()
    else:
        lent = torch.UntypedStorage(0)
    lowered = torch.empty(0, dtype=tensor.dtype, device="cpu").set_(
        lent, tensor.storage_offset(), tensor.shape, tensor.stride()
    )
    if tensor.is_conj():
        lowered = torch._conj(lowered)
    return torch._neg_view(lowered) if tensor.is_neg() else lowered


def on_device(torch: Any, tensor: Any) -> Any:
    """A new CUDA tensor with the values and strides of one of the CPU."""
    if any(stride == 0 and size > 1 for size, stride in zip(tensor.shape, tensor.stride())):
        tensor = tensor.contiguous()
    new = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cuda")
    same_bytes(torch, new).copy_(tensor)
    return new


def is_watched() -> bool:
    """Whether the driver watches for reads of memory that was never written (`margay cuda --sanitize init`)."""
    return not {"init", "all"}.isdisjoint(os.environ.get("MARGAY_SANITIZE", "").split(","))


def note_written(tensor: Any) -> None:
    """Tells the driver that a CUDA tensor, or what stands for one, has been written: a copy of its bytes to where they are."""
    if tensor.numel():
        last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
        address, size = tensor.data_ptr(), (last + 1) * tensor.element_size()
        ctypes.CDLL("libcuda.so.1").cuMemcpyHtoD_v2(ctypes.c_uint64(address), ctypes.c_void_p(address), ctypes.c_size_t(size))


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """A value, or what a list or tuple holds, through a function."""
    if type(value) is list:
        return [function(element) for element in value]
    if isinstance(value, tuple):
        return tuple(function(element) for element in value)
    return function(value)
