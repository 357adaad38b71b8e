"""Operations that draw numbers: seeded by the CUDA generator, drawn by one of the CPU.

The numbers are not those that a GPU draws. They depend on the generator's seed and its offset, which goes on with each call as it does
there, so that seeds, saved states and `fork_rng` repeat them, and draws on the CPU remain what they are without CUDA tensors. Where an
operation takes no generator, the CPU's own one is lent to it meanwhile, so that another thread should not draw then.
"""

from __future__ import annotations

from typing import Any, Callable

# By how much a call moves the offset of the generator on; PyTorch wants a multiple of four.
STEP = 4
# An odd number whose bits are spread evenly, so that neighbouring seeds and offsets give unlike ones.
SPREAD = 0x9E3779B97F4A7C15


def drawing(torch: Any, found: Any) -> Callable[[list[Any], dict[str, Any]], Any] | None:
    """What carries an operation out that draws numbers; none for those that draw none."""
    names = [argument.name for argument in found._schema.arguments]
    if "generator" in names:
        return _with_generator(torch, found, names.index("generator"))
    if torch.Tag.nondeterministic_seeded in found.tags:
        return _with_seed(torch, found)
    return None


def _with_generator(torch: Any, found: Any, place: int) -> Callable[[list[Any], dict[str, Any]], Any]:
    def draw(arguments: list[Any], options: dict[str, Any]) -> Any:
        if len(arguments) > place:
            arguments[place] = _on_cpu(torch, arguments[place])
        else:
            options["generator"] = _on_cpu(torch, options.get("generator"))
        return found(*arguments, **options)

    return draw


def _with_seed(torch: Any, found: Any) -> Callable[[list[Any], dict[str, Any]], Any]:
    def draw(arguments: list[Any], options: dict[str, Any]) -> Any:
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.set_state(_on_cpu(torch, None).get_state())
            return found(*arguments, **options)

    return draw


def _on_cpu(torch: Any, given: Any) -> Any:
    """A generator of the CPU that stands for one of CUDA, which moves on."""
    if given is None:
        given = torch.cuda.default_generators[torch.cuda.current_device()]
    if given.device.type != "cuda":
        raise RuntimeError(f"Expected a 'cuda' device type for generator but found '{given.device.type}'")
    seed, offset = given.initial_seed(), given.get_offset()
    given.set_offset(offset + STEP)
    generator = torch.Generator()
    generator.manual_seed(((seed + offset // STEP * SPREAD) * SPREAD) % (1 << 63))
    return generator
