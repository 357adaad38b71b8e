"""Which operations of PyTorch have kernels for CUDA, and what stands in for each."""

from __future__ import annotations

import numbers
from typing import Any, Callable

from . import captured, devices, random
from .tensors import Tensors, is_watched, mapped, note_written
from .widened import is_refused, widened

# What only gives out, describes or releases memory is the driver's, as it is.
KEPT = frozenset(
    f"aten::{name}"
    for name in (
        "_efficientzerotensor",
        "empty.memory_format",
        "empty_strided",
        "record_stream",
        "resize_",
        "set_",
        "set_.source_Storage",
        "set_.source_Storage_storage_offset",
        "set_.source_Tensor",
    )
)

# What goes by the kind of a device within one function, beside those that have kernels for CUDA by name.
WITHIN = ("aten::convolution", "aten::copy_", "aten::ldexp.Tensor", "aten::ldexp_")

MISSING = "`{name}` has no kernel for the CPU, which stands in for PyTorch's own kernels on margay"


def names(torch: Any) -> list[str]:
    """The operations that run on the CPU instead."""
    registered = torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
    found = [name for name in registered if name.startswith("aten::") and name not in KEPT]
    # What is made of other operations needs no stand-in, and would have no gradient by one.
    made = torch._C._dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd")
    return [name for name in found if not is_view(operation(torch, name))] + [name for name in WITHIN if name not in made]


def operation(torch: Any, name: str) -> Any:
    """The operation of a name such as `aten::add.Tensor`."""
    space, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, space), base), overload or "default")


def is_view(found: Any) -> bool:
    """Whether an operation's results are views, which take no kernel."""
    return any(result.alias_info is not None and not result.alias_info.is_write for result in found._schema.returns)


def stand_in(torch: Any, name: str) -> Callable[..., Any]:
    """What an operation does instead: itself, on tensors of the CPU that lie at the same bytes."""
    found = operation(torch, name)
    overloads = found.overloadpacket
    base = overloads.__name__
    draw = random.drawing(torch, found)
    places = [place for place, argument in enumerate(found._schema.arguments) if str(argument.type) == "Tensor"]
    watched = is_watched()
    written = [
        (place, argument.name)
        for place, argument in enumerate(found._schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    ]

    def note(value: Any) -> None:
        if isinstance(value, torch.Tensor) and value.is_cuda and value.layout is torch.strided:
            note_written(value)

    def changed(arguments: Any, named: dict[str, Any]) -> list[Any]:
        """The tensors that it writes to, of its arguments."""
        values = (arguments[place] if place < len(arguments) else named.get(key) for place, key in written)
        every = (part for value in values for part in (value if isinstance(value, (list, tuple)) else [value]))
        return [value for value in every if isinstance(value, torch.Tensor)]

    def direct(*arguments: Any, **options: Any) -> Any:
        # PyTorch gives a number where a tensor stands for one, which only the other overloads take.
        has_number = any(isinstance(arguments[place], numbers.Number) for place in places if place < len(arguments))
        return (overloads if has_number else found)(*arguments, **options)

    def computed(arguments: list[Any], options: dict[str, Any]) -> Any:
        try:
            return direct(*arguments, **options) if draw is None else draw(arguments, options)
        except NotImplementedError as error:
            if "backend" in str(error):
                raise NotImplementedError(MISSING.format(name=name)) from None
            raise

    def compute(arguments: list[Any], options: dict[str, Any]) -> Any:
        # What is cast for CUDA tensors was cast before.
        if torch.is_autocast_enabled("cpu"):
            with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)):
                return computed(arguments, options)
        return computed(arguments, options)

    wide = widened(torch, compute, written)

    def run(*arguments: Any, **named: Any) -> Any:
        captured.check()
        tensors = Tensors(torch)
        lowered = [mapped(tensors.lower_any, value) for value in arguments]
        options = {key: mapped(tensors.lower_any, value) for key, value in named.items()}
        if tensors.host:
            devices.check(name, base, tensors.host, arguments, changed(arguments, named))
        if torch.cuda.is_current_stream_capturing():
            return captured.record(torch, name, direct, compute, arguments, named)
        try:
            result = compute(lowered, options)
        except RuntimeError as error:
            if "not resizable" in str(error):
                # An `out=` of another shape, whose bytes are not enough: it gets others.
                for key in {key for _, key in written} & named.keys():
                    options[key] = mapped(tensors.lower_empty, named[key])
                result = compute(lowered, options)
            elif is_refused(error):
                result = wide(lowered, options)
            else:
                raise
        tensors.resize()
        results = mapped(tensors.lift, result)
        if watched:
            for value in [*changed(arguments, named), results]:
                mapped(note, value)
        return results

    return run
