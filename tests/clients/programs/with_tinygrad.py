"""tinygrad with its PTX renderer."""

import numpy as np
from tinygrad import Tensor, TinyJit, dtypes

a = Tensor(list(range(64)), dtype=dtypes.int32).reshape(8, 8)
assert (a @ a.T + 3).tolist() == (np.arange(64).reshape(8, 8) @ np.arange(64).reshape(8, 8).T + 3).tolist()
x = Tensor([k / 8 for k in range(100)], dtype=dtypes.float32)
assert ((x * 2 + 1).relu().sum()).item() == sum(k / 4 + 1 for k in range(100))


@TinyJit
def layer(x, w):
    """From the third call on, one launch of a graph."""
    return (x @ w).relu().realize()


for k in range(5):
    x, w = np.arange(k, 16 + k).reshape(4, 4) - 10, np.eye(4) * (k - 2)
    given = [Tensor(array.astype(np.float32)).realize() for array in (x, w)]
    assert (layer(*given).numpy() == np.maximum(x @ w, 0)).all()
print("right")
