"""tinygrad with its PTX renderer."""

import numpy as np
from tinygrad import Tensor, dtypes

a = Tensor(list(range(64)), dtype=dtypes.int32).reshape(8, 8)
assert (a @ a.T + 3).tolist() == (np.arange(64).reshape(8, 8) @ np.arange(64).reshape(8, 8).T + 3).tolist()
x = Tensor([k / 8 for k in range(100)], dtype=dtypes.float32)
assert ((x * 2 + 1).relu().sum()).item() == sum(k / 4 + 1 for k in range(100))
print("right")
