"""Operations that PyTorch has for CUDA alone, or with arguments that its kernels for the CPU refuse: said in those that the CPU has."""

from __future__ import annotations

from typing import Any, Callable

from .operations import stand_in
from .tensors import mapped


def stand_ins(torch: Any) -> dict[str, Callable[..., Any]]:
    """What they do instead, by their names. They get CUDA tensors, and use operations that have a stand-in."""
    aten = torch.ops.aten

    def of_halves(found: Callable[..., Any]) -> Callable[..., Any]:
        """A softmax of halves that is given in `float32`."""

        def softmax(value: Any, dimension: int, half_to_float: bool) -> Any:
            return found(value.float() if half_to_float else value, dimension, False)

        return softmax

    def matrices(found: Any) -> Callable[..., Any]:
        """A product of halves whose sums are given in another type."""

        def product(*arguments: Any, **options: Any) -> Any:
            # The type is the last argument that has a place.
            *tensors, out_dtype = arguments
            out = options.pop("out", None)
            result = found(*(tensor.to(out_dtype) for tensor in tensors), **options)
            return result if out is None else out.resize_(result.shape).copy_(result)

        return product

    def lstm_cell(inputs: Any, hidden: Any, cell: Any, input_bias: Any = None, hidden_bias: Any = None) -> Any:
        gates = inputs + hidden
        for bias in (input_bias, hidden_bias):
            gates = gates if bias is None else gates + bias
        enter, forget, new, leave = gates.chunk(4, 1)
        enter, forget, new, leave = enter.sigmoid(), forget.sigmoid(), new.tanh(), leave.sigmoid()
        after = forget * cell + enter * new
        return leave * after.tanh(), after, aten.cat.default([enter, forget, new, leave], 1)

    def lstm_cell_backward(
        hidden: Any, cell: Any, before: Any, after: Any, workspace: Any, has_bias: bool
    ) -> Any:
        if hidden is None and cell is None:
            return None, None, None
        enter, forget, new, leave = workspace.chunk(4, 1)
        squashed = after.tanh()
        through = aten.zeros_like.default(after) if cell is None else cell
        leaving = aten.zeros_like.default(after)
        if hidden is not None:
            through = through + hidden * leave * (1 - squashed * squashed)
            leaving = hidden * squashed * leave * (1 - leave)
        parts = [
            through * new * enter * (1 - enter),
            through * before * forget * (1 - forget),
            through * enter * (1 - new * new),
            leaving,
        ]
        gates = aten.cat.default(parts, 1)
        return gates, through * forget, aten.sum.dim_IntList(gates, [0]) if has_bias else None

    def gru_cell(inputs: Any, hidden: Any, state: Any, input_bias: Any = None, hidden_bias: Any = None) -> Any:
        inputs = inputs if input_bias is None else inputs + input_bias
        hidden = hidden if hidden_bias is None else hidden + hidden_bias
        (r_in, z_in, n_in), (r_hid, z_hid, n_hid) = inputs.chunk(3, 1), hidden.chunk(3, 1)
        reset, update = (r_in + r_hid).sigmoid(), (z_in + z_hid).sigmoid()
        new = (n_in + reset * n_hid).tanh()
        return new + update * (state - new), aten.cat.default([reset, update, new, state, n_hid], 1)

    def gru_cell_backward(gradient: Any, workspace: Any, has_bias: bool) -> Any:
        reset, update, new, state, n_hid = workspace.chunk(5, 1)
        news = gradient * (1 - update) * (1 - new * new)
        updates = gradient * (state - new) * update * (1 - update)
        resets = news * n_hid * reset * (1 - reset)
        inputs = aten.cat.default([resets, updates, news], 1)
        hidden = aten.cat.default([resets, updates, news * reset], 1)
        sums = [aten.sum.dim_IntList(gates, [0]) if has_bias else None for gates in (inputs, hidden)]
        return inputs, hidden, gradient * update, *sums

    def rms_norm_backward(
        gradient: Any, value: Any, shape: Any, inverse: Any, weight: Any, wanted: Any
    ) -> Any:
        scaled = gradient if weight is None else gradient * weight
        normal = value * inverse
        inner = list(range(value.dim() - len(shape), value.dim()))
        outer = list(range(value.dim() - len(shape)))
        mean = aten.mean.dim(scaled * normal, inner, True)
        of_value = ((scaled - normal * mean) * inverse).to(value.dtype) if wanted[0] else None
        of_weight = None
        if weight is not None and wanted[1]:
            products = gradient * normal
            of_weight = (aten.sum.dim_IntList(products, outer) if outer else products).to(weight.dtype)
        return of_value, of_weight

    def native_dropout(value: Any, share: float, is_training: Any) -> Any:
        # Without a word it is training.
        if is_training is False or share == 0 or not value.numel():
            return aten.clone.default(value), aten.ones_like.default(value, dtype=torch.bool)
        kept = aten.empty_like.default(value, dtype=torch.bool).bernoulli_(1 - share)
        return value * kept * (0.0 if share == 1 else 1 / (1 - share)), kept

    def no(*_: Any, **__: Any) -> bool:
        """Whether a library of NVIDIA's is to be used."""
        return False

    def attention(query: Any, key: Any, value: Any, bias: Any, dropout: float, causal: bool, scale: Any) -> Any:
        """The CPU's one, which gives the logarithms of its sums as the others do."""
        if dropout:
            raise NotImplementedError(
                "attention with dropout is there as `SDPBackend.MATH` alone: margay has no GPU to draw for the others"
            )
        return flash(query, key, value, dropout, causal, attn_mask=bias, scale=scale)

    def nothing() -> Any:
        """The seeds of a dropout that is not there."""
        return aten.empty.memory_format([], dtype=torch.int64)

    def flash_attention(
        query: Any, key: Any, value: Any, dropout: float = 0.0, causal: bool = False, debug: bool = False, *, scale: Any = None
    ) -> Any:
        out, sums = attention(query, key, value, None, dropout, causal, scale)
        none = aten.empty.memory_format([0], dtype=query.dtype, device=query.device)
        return out, sums, None, None, query.size(2), key.size(2), nothing(), nothing(), none

    def flash_attention_backward(
        gradient: Any, query: Any, key: Any, value: Any, out: Any, sums: Any, _cq: Any, _ck: Any, _mq: Any, _mk: Any,
        dropout: float, causal: bool, _seed: Any, _offset: Any, *, scale: Any = None,
    ) -> Any:  # fmt: skip
        return flash_backward(gradient, query, key, value, out, sums, dropout, causal, attn_mask=None, scale=scale)

    def efficient_attention(
        query: Any, key: Any, value: Any, bias: Any, sums_wanted: bool, dropout: float = 0.0, causal: bool = False, *, scale: Any = None
    ) -> Any:
        out, sums = attention(query, key, value, bias, dropout, causal, scale)
        return out, sums, nothing(), nothing()

    def efficient_attention_backward(
        gradient: Any, query: Any, key: Any, value: Any, bias: Any, out: Any, sums: Any, _seed: Any, _offset: Any,
        dropout: float, wanted: Any, causal: bool = False, *, scale: Any = None,
    ) -> Any:  # fmt: skip
        if wanted[3]:
            raise NotImplementedError("the gradient of an attention's bias is there as `SDPBackend.MATH` alone")
        given = flash_backward(gradient, query, key, value, out, sums, dropout, causal, attn_mask=bias, scale=scale)
        return *given, None

    flash = stand_in(torch, "aten::_scaled_dot_product_flash_attention_for_cpu")
    flash_backward = stand_in(torch, "aten::_scaled_dot_product_flash_attention_for_cpu_backward")
    return {
        "_scaled_dot_product_flash_attention": flash_attention,
        "_scaled_dot_product_flash_attention_backward": flash_attention_backward,
        "_scaled_dot_product_efficient_attention": efficient_attention,
        "_scaled_dot_product_efficient_attention_backward": efficient_attention_backward,
        "_fused_rms_norm_backward": rms_norm_backward,
        "native_dropout": native_dropout,
        "_use_cudnn_ctc_loss": no,
        "_use_cudnn_ctc_loss.Tensor": no,
        "_use_miopen_ctc_loss": no,
        "_use_miopen_ctc_loss.Tensor": no,
        "_softmax": of_halves(stand_in(torch, "aten::_softmax")),
        "_log_softmax": of_halves(stand_in(torch, "aten::_log_softmax")),
        "mm.dtype": matrices(aten.mm.default),
        "mm.dtype_out": matrices(aten.mm.default),
        "bmm.dtype": matrices(aten.bmm.default),
        "bmm.dtype_out": matrices(aten.bmm.default),
        "addmm.dtype": matrices(aten.addmm.default),
        "addmm.dtype_out": matrices(aten.addmm.default),
        "baddbmm.dtype": matrices(aten.baddbmm.default),
        "baddbmm.dtype_out": matrices(aten.baddbmm.default),
        "_thnn_fused_lstm_cell": lstm_cell,
        "_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
        "_thnn_fused_gru_cell": gru_cell,
        "_thnn_fused_gru_cell_backward": gru_cell_backward,
    }


# Operations on nested tensors that the encoder of transformers uses, and what it ends with.
NESTED = ("_native_multi_head_attention", "_transformer_encoder_layer_fwd", "native_layer_norm", "to_padded_tensor")


def on_copies(torch: Any, name: str) -> Callable[..., Any]:
    """What an operation on nested tensors does instead: itself, on copies."""
    found = getattr(torch.ops.aten, name).default

    def move(device: str) -> Callable[[Any], Any]:
        return lambda value: value.to(device) if isinstance(value, torch.Tensor) else value

    def run(*arguments: Any, **named: Any) -> Any:
        lowered = [mapped(move("cpu"), value) for value in arguments]
        return mapped(move("cuda"), found(*lowered, **{key: mapped(move("cpu"), value) for key, value in named.items()}))

    return run
