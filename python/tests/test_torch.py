"""PyTorch on margay's driver: where it is installed, what a program sees; elsewhere, that nothing is touched."""

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import types

import margay
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the driver is for Linux only")

with_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


@pytest.fixture
def ran(tmp_path):
    """Runs Python in an empty folder, with the driver imported before PyTorch; gives what it prints."""

    def run(code, **environment):
        variables = {name: value for name, value in os.environ.items() if name not in ("MARGAY_SANITIZE", "LD_LIBRARY_PATH")}
        variables["XDG_CACHE_HOME"] = str(tmp_path / "cache")
        code = f"import margay.cuda, torch, warnings\nwarnings.simplefilter('error')\n{code}"
        # A file, since Triton reads the source of its kernels.
        program = tmp_path / "program.py"
        program.write_text(code)
        done = subprocess.run(
            [sys.executable, str(program)], capture_output=True, text=True, cwd=tmp_path, env={**variables, **environment}
        )
        assert done.returncode == 0, done.stderr
        run.told.append(done.stderr)
        return done.stdout

    run.told = []
    return run


def fake(monkeypatch, cuda):
    """A PyTorch that says for which CUDA it was built, and nothing more."""
    torch = types.ModuleType("torch")
    torch.version = types.SimpleNamespace(cuda=cuda)
    monkeypatch.setitem(sys.modules, "torch", torch)


def test_import_torch_finds_what_activates(monkeypatch):
    found = [point for point in importlib.metadata.entry_points(group="torch.backends") if point.name == "margay"]
    monkeypatch.delenv("MARGAY_CUDA_PATH", raising=False)
    monkeypatch.delitem(sys.modules, "margay.cuda", raising=False)
    fake(monkeypatch, "13.2")
    # Another driver, or none: nothing is done, and nothing is said.
    assert found[0].load()() is None
    assert not margay.torch.is_active()


def test_a_pytorch_without_cuda_is_left_alone(monkeypatch, recwarn):
    monkeypatch.setenv("MARGAY_CUDA_PATH", "somewhere")
    monkeypatch.setattr("margay.torch.ctypes.CDLL", lambda name: None)
    monkeypatch.setattr("margay.torch.is_loaded", lambda: True)
    fake(monkeypatch, None)
    margay.torch._autoload()
    assert not recwarn.list and not margay.torch.is_active()
    # Of what goes wrong otherwise a program is told, and goes on.
    fake(monkeypatch, "99.1")
    with pytest.warns(UserWarning, match="cannot compute PyTorch's own operations"):
        margay.torch._autoload()


@pytest.mark.parametrize(("cuda", "text"), [(None, "built without CUDA"), ("13.2", "driver is not loaded")])
def test_what_cannot_be_is_refused(monkeypatch, cuda, text):
    fake(monkeypatch, cuda)
    monkeypatch.setattr("margay.torch.is_loaded", lambda: False)
    with pytest.raises(margay.CallError, match=text):
        margay.torch.activate()


def test_another_runtime_library_is_refused(monkeypatch):
    fake(monkeypatch, "99.1")
    monkeypatch.setattr("margay.torch.is_loaded", lambda: True)
    with pytest.raises(margay.CallError, match="`libcudart.so.99` already"):
        margay.torch.activate()


@with_torch
def test_results_are_cuda_tensors_with_the_values_of_the_cpu(ran):
    code = """
a = torch.randn(3, 4, device="cuda")
b = a[:, ::2].t().mul_(2)
assert b.is_cuda and torch.equal(a.cpu()[:, ::2].t(), b.cpu())
for out in (torch.empty(0, device="cuda"), torch.empty(4, 3, device="cuda").t(), torch.empty(99, device="cuda")):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.add(a, 1, out=out) is out and torch.equal(out, a + 1), out.shape
assert (a @ a.t()).is_cuda and a.half().sum().dtype == torch.float16 and a[a > 0].sum().item() > 0
z = torch.view_as_complex(torch.randn(4, 2, device="cuda"))
assert torch.equal(z.conj().cpu(), z.cpu().conj()) and torch.equal(z.conj().imag, -z.imag)
for wrong, kind in ((lambda: a + torch.randn(3, 4), "same device"), (lambda: a @ a, "cannot be multiplied")):
    try:
        wrong()
    except RuntimeError as error:
        assert kind in str(error)
    else:
        raise AssertionError(kind)
y = a.clone().requires_grad_()
(torch.softmax(y, 1) ** 2).sum().backward()
c = a.cpu().requires_grad_()
(torch.softmax(c, 1) ** 2).sum().backward()
assert torch.equal(y.grad.cpu(), c.grad)
print(margay.torch.is_active())
"""
    assert ran(code) == "True\n"


@with_torch
def test_draws_are_repeated_by_seeds_and_leave_the_cpu_alone(ran):
    code = """
def drawn():
    return torch.rand(3, device="cuda"), torch.nn.functional.dropout(torch.ones(50, device="cuda"))
torch.manual_seed(1)
expected = torch.rand(2)
torch.manual_seed(1)
first = drawn()
assert torch.equal(torch.rand(2), expected)
assert not torch.equal(drawn()[0], first[0])
torch.cuda.manual_seed(1)
assert all(map(torch.equal, drawn(), first))
state = torch.cuda.get_rng_state()
second = drawn()
torch.cuda.set_rng_state(state)
assert all(map(torch.equal, drawn(), second))
own = torch.Generator("cuda").manual_seed(7)
third = torch.rand(3, device="cuda", generator=own)
assert torch.equal(third, torch.rand(3, device="cuda", generator=own.manual_seed(7)))
print("right")
"""
    assert ran(code) == "right\n"


@with_torch
def test_graphs_replay_operations(ran):
    code = """
a, b = torch.ones(4, 4, device="cuda"), torch.empty(4, 4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    c = (a @ a).softmax(-1)
    b.copy_(c)
    drawn = torch.rand(4, device="cuda")
a[0, 0] = 5
graph.replay()
assert torch.equal(b, (a @ a).softmax(-1)) and torch.equal(b, c)
before = drawn.clone()
graph.replay()
assert not torch.equal(before, drawn)
warnings.simplefilter("ignore")
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        a.nonzero()
except RuntimeError as error:
    print(error)
"""
    assert ran(code) == "`aten::nonzero` cannot be part of a CUDA graph: what it gives depends on values, not on shapes alone\n"


@with_torch
def test_kernels_of_triton_are_watched(ran):
    code = """
import triton, triton.language as tl
@triton.jit
def doubled(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)
warnings.simplefilter("ignore")
x = torch.rand(1000, device="cuda")
y = torch.empty_like(x)
doubled[(4,)](x, y, 1000, BLOCK=256)
print(torch.equal(y, x + x))
"""
    assert ran(code, MARGAY_SANITIZE="all") == "True\n"


@with_torch
def test_an_access_past_the_end_of_a_tensor_is_told_with_the_line_of_the_program(ran):
    code = """
import triton, triton.language as tl
@triton.jit
def doubled(x, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at) * 2)
warnings.simplefilter("ignore")
x = torch.rand(1000, device="cuda")
y = torch.empty_like(x)
try:
    doubled[(4,)](x, y, BLOCK=256)
    torch.cuda.synchronize()
except Exception as error:
    assert "illegal memory access" in str(error), error
    print("raised")
"""
    assert ran(code, PYTORCH_NO_CUDA_MEMORY_CACHING="1").splitlines() == ["raised"]
    told = ran.told[-1]
    assert "out of bounds: read of" in told and "just past the end of allocation 1 (4000 bytes" in told, told
    assert "program.py:" in told, told


@with_torch
def test_what_a_gpu_refuses_is_refused(ran):
    code = """
c, k, at = torch.ones(3, device="cuda"), torch.ones(3), torch.tensor([0])
def put():
    k[at.cuda()] = 1.0
def captured():
    warnings.simplefilter("ignore")
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        c.cpu()
for wrong, text in (
    (lambda: k[at.cuda()], "indices should be either"),
    (put, "indices should be either"),
    (lambda: torch.stack([c, k]), "same device"),
    (lambda: torch.tensor(1.0).add_(c[0]), "same device"),
    (lambda: torch.add(c, 1, out=k), "same device"),
    (lambda: c.gather(0, torch.tensor(0)), "same device"),
    (lambda: torch.randn(3, device="cuda", generator=torch.Generator()), "device type for generator"),
    (captured, "must be pinned"),
):
    try:
        wrong()
    except RuntimeError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
c[at] = torch.tensor(2.0)
assert c[at].is_cuda and (c + torch.tensor(2.0))[0] == 4
with torch.autocast("cpu", dtype=torch.bfloat16):
    assert (torch.ones(2, 2, device="cuda") @ torch.ones(2, 2, device="cuda")).dtype == torch.float32
print("right")
"""
    assert ran(code) == "right\n"


@with_torch
def test_what_only_gpus_have_is_put_into_other_operations(ran):
    code = """
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
def same(make, *inputs):
    results = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(0)
        run = make().to(device)
        given = [value.to(device).detach().clone().requires_grad_() for value in inputs]
        value = run(*given)
        value = value[0] if isinstance(value, tuple) else value
        value.sum().backward()
        results.append([value.detach().cpu(), *(part.grad.cpu() for part in given)])
    for a, b in zip(*results):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
class Lstm(nn.LSTM):
    def __init__(self):
        super().__init__(4, 5, num_layers=2, bidirectional=True)
class Gru(nn.GRU):
    def __init__(self):
        super().__init__(4, 5, bidirectional=True)
class Norm(nn.RMSNorm):
    def __init__(self):
        super().__init__(4)
for module in (Lstm, Gru, Norm):
    same(module, torch.randn(3, 2, 4))
q = [torch.randn(2, 2, 16, 8) for _ in range(3)]
for backend in (SDPBackend.EFFICIENT_ATTENTION, SDPBackend.FLASH_ATTENTION):
    results = []
    for device, chosen in (("cpu", SDPBackend.MATH), ("cuda", backend)):
        given = [value.to(device).detach().clone().requires_grad_() for value in q]
        halves = [value.half() for value in given] if backend == SDPBackend.FLASH_ATTENTION else given
        with sdpa_kernel(chosen):
            value = nn.functional.scaled_dot_product_attention(*halves, is_causal=True)
        value.float().sum().backward()
        results.append([value.detach().float().cpu(), *(part.grad.cpu() for part in given)])
    for a, b in zip(*results):
        torch.testing.assert_close(a, b, rtol=1e-2, atol=1e-2)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()
    x, mask = torch.randn(2, 5, 8), torch.tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]]).bool()
    with torch.no_grad():
        expected = encoder(x, src_key_padding_mask=mask)
        torch.testing.assert_close(encoder.cuda()(x.cuda(), src_key_padding_mask=mask.cuda()).cpu(), expected)
x = torch.randn(4, 6, device="cuda").half().requires_grad_()
nn.functional.multi_margin_loss(x, torch.tensor([1, 2, 0, 5], device="cuda")).backward()
assert x.grad.dtype == torch.float16 and torch.fft.rfft(x.detach()[0, :4]).dtype == torch.complex32
kept = nn.functional.dropout(torch.ones(10000, device="cuda"), 0.25)
assert abs(kept.mean().item() - 1) < 0.05 and set(kept.unique().tolist()) == {0, torch.tensor(1 / 0.75).item()}
for training, share in ((None, 0.5), (True, 0.5), (False, 0.0)):
    value, mask = torch.native_dropout(torch.ones(10000, device="cuda"), 0.5, training)
    assert abs(mask.float().mean().item() + share - 1) < 0.05 and torch.equal(value, mask / (1 - share)), training
print("right")
"""
    assert ran(code, PYTHONWARNINGS="ignore").endswith("right\n")
