"""numba-cuda: a kernel in integers and one in floating point."""

import numpy as np
from numba import cuda


@cuda.jit
def collatz(numbers, steps):
    i = cuda.grid(1)
    if i < numbers.size:
        n, count = numbers[i], 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def length(n):
    count = 0
    while n != 1:
        n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
    return count


numbers = np.arange(1, 501, dtype=np.int64)
steps = np.zeros_like(numbers)
collatz[4, 128](numbers, steps)
assert steps.tolist() == [length(int(n)) for n in numbers]

x, y = np.linspace(0, 1, 1000, dtype=np.float32), np.ones(1000, dtype=np.float32)
exact = np.float64(2.5) * x + y
saxpy[8, 128](np.float32(2.5), x, y)
assert np.array_equal(y, exact.astype(np.float32))
print("right")
