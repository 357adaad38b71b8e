"""PyTorch's own operations on CUDA tensors, computed by its kernels for the CPU: what `margay.torch` registers."""
