"""Prints the same as `tracer attention --seq 3 --dk 2`, with PyTorch; for bench/startup.sh."""
import math

import torch

torch.manual_seed(42)
Q, K, V = (torch.randn(3, 2) for _ in range(3))
logits = Q @ K.T
scaled = logits / math.sqrt(2)
attention = torch.softmax(scaled, dim=-1)
values = attention @ V
for name, tensor in (("Q", Q), ("K", K), ("V", V), ("logits", logits), ("scaled", scaled), ("attention", attention),
                     ("values", values)):
    print(name, tuple(tensor.shape))
    print(tensor)
