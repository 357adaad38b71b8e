"""PyTorch on CUDA tensors: a kernel of Triton, a network that learns, and the same network as `torch.compile` compiles it."""

import torch
import triton
import triton.language as tl


@triton.jit
def scaled(x, y, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


def network():
    torch.manual_seed(1)
    layers = torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.GELU(), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 10)
    return torch.nn.Sequential(*layers).cuda()


def learned(model, run, images, labels, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(run(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


x = torch.rand(1000, device="cuda")
y = torch.empty_like(x)
scaled[(triton.cdiv(1000, 256),)](x, y, 3.0, 1000, BLOCK=256)
assert torch.equal(y, x * 3) and torch.equal(y.cpu(), x.cpu() * 3)

images, labels = torch.randn(16, 1, 8, 8, device="cuda"), torch.arange(16, device="cuda") % 10
model = network()
alone = learned(model, model, images, labels, 8)
assert alone[-1] < alone[0] / 4, alone
# `torch.compile` makes kernels of Triton.
model = network()
compiled = learned(model, torch.compile(model), images, labels, 2)
assert all(abs(a - b) < 1e-3 for a, b in zip(alone, compiled)), (alone, compiled)
print("right")
