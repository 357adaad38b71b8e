"""Operations on halves that the CPU has no kernel for: computed in `float32` and rounded, as kernels for CUDA compute inside."""

from __future__ import annotations

from typing import Any, Callable

from .tensors import mapped

# How kernels for the CPU say so.
REFUSALS = (
    "not implemented for 'Half'",
    "not implemented for 'BFloat16'",
    "not implemented for 'ComplexHalf'",
    "doesn't support tensors of type: Half",
    "doesn't support tensors of type: BFloat16",
    "doesn't support tensors of type: ComplexHalf",
)

Compute = Callable[[list[Any], dict[str, Any]], Any]


def is_refused(error: BaseException) -> bool:
    """Whether an operation has no kernel for the types of its tensors, which are halves."""
    return any(text in str(error) for text in REFUSALS)


def widened(torch: Any, compute: Compute, written: list[tuple[int, str]]) -> Compute:
    """The same operation by way of `float32`. What it changes, the arguments of these places and names, is changed."""
    wider = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.complex32: torch.complex64}

    def through(arguments: list[Any], options: dict[str, Any]) -> Any:
        wide: dict[int, tuple[Any, Any]] = {}

        def widen(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or value.dtype not in wider:
                return value
            return wide.setdefault(id(value), (value, value.to(wider[value.dtype])))[1]

        result = compute([mapped(widen, value) for value in arguments], {key: mapped(widen, value) for key, value in options.items()})
        half = next(iter(wide.values()))[0].dtype
        narrower = {torch.float32: torch.float16 if half == torch.complex32 else half, torch.complex64: torch.complex32}

        def change(value: Any) -> None:
            given, used = wide.get(id(value), (None, None))
            if given is not None:
                given.resize_(used.shape).copy_(used) if given.shape != used.shape else given.copy_(used)

        for place, name in written:
            mapped(change, arguments[place] if place < len(arguments) else options.get(name))

        def narrow(value: Any) -> Any:
            same = next((given for given, used in wide.values() if used is value), None)
            if same is not None or not isinstance(value, torch.Tensor):
                return value if same is None else same
            return value.to(narrower.get(value.dtype, value.dtype))

        return mapped(narrow, result)

    return through
