"""Golden values and gradients of every op, by real PyTorch in double.

    python3 tests/golden/make_ops.py [more]        (needs numpy, torch)

Writes ops_torch.npz, and ops_torch_more.npz of ops that came later: "matmul_2/a", "matmul_2/b" (inputs), "matmul_2/y", "matmul_2/w", and "matmul_2/grad/a":
d sum(y * w) / d a. Inputs are numbers that a float holds exactly. "versions" is text as bytes.
"""
import os
import sys
import zipfile

import numpy as np
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(3)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32).astype(np.float64)


def away_from_zero(*shape):
    return (np.sign(normal(*shape)) * rng.uniform(0.5, 3, shape)).astype(np.float32).astype(np.float64)


def positive(*shape):
    return np.abs(away_from_zero(*shape))


def bits(*shape):
    return (rng.random(shape) < 0.6).astype(np.float64)


# name: (inputs, function); the same names as in tests/ops/test_golden_ops.cpp.
OPS = {
    "add": lambda: ([normal(2, 3), normal(2, 3)], lambda a, b: a + b),
    "add_broadcast": lambda: ([normal(4, 1, 3), normal(2, 1)], lambda a, b: a + b),
    "sub_broadcast": lambda: ([normal(3), normal(2, 4, 1)], lambda a, b: a - b),
    "mul_broadcast": lambda: ([normal(2, 1, 3), normal(5, 1)], lambda a, b: a * b),
    "div_broadcast": lambda: ([normal(2, 3), away_from_zero(3)], lambda a, b: a / b),
    "scale": lambda: ([normal(2, 3)], lambda a: a * 1.7),
    "exp": lambda: ([normal(3, 4)], torch.exp),
    "log": lambda: ([positive(3, 4)], torch.log),
    "sqrt": lambda: ([positive(3, 4)], torch.sqrt),
    "tanh": lambda: ([normal(3, 4)], torch.tanh),
    "relu": lambda: ([np.append(normal(11), 0.0)], torch.relu),
    "matmul": lambda: ([normal(3, 4), normal(4, 2)], torch.matmul),
    "matmul_batch": lambda: ([normal(2, 3, 4, 5), normal(2, 3, 5, 2)], torch.matmul),
    "matmul_broadcast": lambda: ([normal(3, 1, 2, 4), normal(2, 4, 3)], torch.matmul),
    "matmul_weight": lambda: ([normal(2, 3, 4), normal(4, 5)], torch.matmul),
    "matmul_transposed": lambda: ([normal(4, 3), normal(2, 4)], lambda a, b: torch.matmul(a.T, b.T)),
    "softmax": lambda: ([normal(2, 3, 5) * 3], lambda a: torch.softmax(a, -1)),
    "softmax_long": lambda: ([normal(2, 70)], lambda a: torch.softmax(a, -1)),
    "log_softmax": lambda: ([normal(2, 3, 5) * 3], lambda a: torch.log_softmax(a, -1)),
    "masked_fill": lambda: ([normal(2, 3, 4), bits(3, 4)],
                            lambda a, mask: a.masked_fill(mask.detach() == 0, -2.5) + 0 * mask.sum()),
    "sum": lambda: ([normal(2, 3, 4)], lambda a: a.sum()),
    "sum_axis": lambda: ([normal(2, 3, 4)], lambda a: a.sum(1)),
    "sum_axis_keep": lambda: ([normal(2, 3, 4)], lambda a: a.sum(-1, keepdim=True)),
    "mean": lambda: ([normal(2, 3, 4)], lambda a: a.mean()),
    "mean_axis": lambda: ([normal(2, 3, 4)], lambda a: a.mean(0)),
    "transpose": lambda: ([normal(2, 3, 4)], lambda a: a.transpose(-2, -1)),
    "permute": lambda: ([normal(2, 3, 4, 2)], lambda a: a.permute(2, 0, 3, 1)),
    "reshape": lambda: ([normal(2, 3, 4)], lambda a: a.transpose(0, 2).reshape(6, 4)),
    "slice": lambda: ([normal(2, 5, 3)], lambda a: a[:, 1:4]),
    "split": lambda: ([normal(2, 6)], lambda a: torch.chunk(a, 3, -1)[0] * torch.chunk(a, 3, -1)[2]),
    "concat": lambda: ([normal(2, 1, 3), normal(2, 4, 3), normal(2, 2, 3)], lambda a, b, c: torch.cat([a, b, c], 1)),
    "broadcast_to": lambda: ([normal(3, 1)], lambda a: a.expand(2, 3, 4)),
    "used_twice": lambda: ([normal(3, 3)], lambda a: torch.softmax(a @ a, -1) @ a + a * a),
    "sin": lambda: ([normal(3, 4) * 3], torch.sin),
    "cos": lambda: ([normal(3, 4) * 3], torch.cos),
    "erf": lambda: ([normal(3, 4)], torch.erf),
    "gelu_erf": lambda: ([normal(3, 5) * 2], F.gelu),
    "gelu_tanh": lambda: ([normal(3, 5) * 2], lambda a: F.gelu(a, approximate="tanh")),
    "linear": lambda: ([normal(2, 3, 4), normal(5, 4), normal(5)], F.linear),
    "linear_without_bias": lambda: ([normal(2, 3, 4), normal(5, 4)], F.linear),
    "linear_of_a_row": lambda: ([normal(4), normal(5, 4), normal(5)], F.linear),
    "layer_norm": lambda: ([normal(2, 3, 6), normal(6), normal(6)], lambda a, b, c: F.layer_norm(a, (6,), b, c)),
    "layer_norm_wide": lambda: ([normal(3, 70), normal(70), normal(70)], lambda a, b, c: F.layer_norm(a, (70,), b, c)),
    "embedding": lambda: ([normal(4, 3), np.array([[3.0, 0, 3], [1, 1, 3]])],
                          lambda a, ids: F.embedding(ids.detach().long(), a) + 0 * ids.sum()),
    "max_axis": lambda: ([np.round(normal(3, 6))], lambda a: a.amax(1)),  # with ties
}

# In a separate file, made with another version of torch; with it the others would change in their last digits.
MORE_OPS = {
    "number_minus": lambda: ([normal(2, 3)], lambda a: 2.5 - a),
    "number_over": lambda: ([away_from_zero(2, 3)], lambda a: 2.5 / a),
    "number_plus": lambda: ([normal(2, 3)], lambda a: 2.5 + a),
    "sigmoid": lambda: ([np.append(normal(11) * 4, 0.0)], torch.sigmoid),
    "silu": lambda: ([np.append(normal(11) * 4, 0.0)], F.silu),
    "pow_2": lambda: ([np.append(normal(11), 0.0)], lambda a: a ** 2),
    "pow_3": lambda: ([np.append(normal(11), 0.0)], lambda a: a ** 3),
    "pow_0": lambda: ([np.append(normal(11), 0.0)], lambda a: a ** 0),
    "pow_minus_2": lambda: ([away_from_zero(12)], lambda a: a ** -2),
    "pow_half": lambda: ([positive(12)], lambda a: a ** 0.5),
    "pow_2.7": lambda: ([positive(12)], lambda a: a ** 2.7),
    "abs": lambda: ([np.append(normal(11), 0.0)], torch.abs),
    "clip": lambda: ([np.append(normal(9) * 2, [0.0, -0.5, 1.25])], lambda a: torch.clamp(a, -0.5, 1.25)),
    "var": lambda: ([normal(3, 4)], lambda a: a.var(unbiased=False)),
    "var_axis": lambda: ([normal(3, 4)], lambda a: a.var(0, unbiased=False)),
    "var_axis_corrected": lambda: ([normal(3, 4)], lambda a: a.var(-1, unbiased=True, keepdim=True)),
    "where": lambda: ([bits(3, 1), normal(2, 1, 4), normal(4)],
                      lambda c, a, b: torch.where(c.detach() != 0, a, b) + 0 * c.sum()),
    "min_axis": lambda: ([np.round(normal(3, 6))], lambda a: a.amin(1)),  # with ties
    "reshape_free": lambda: ([normal(2, 3, 4)], lambda a: a.transpose(0, 2).reshape(2, -1)),
}


def write(file_name, ops):
    arrays = {"versions": np.frombuffer(f"numpy {np.__version__}, torch {torch.__version__}".encode(), np.uint8)}
    for name, make in ops.items():
        inputs, f = make()
        tensors = [torch.from_numpy(x).requires_grad_(True) for x in inputs]
        y = f(*tensors)
        w = normal(*y.shape)
        (y * torch.from_numpy(w)).sum().backward()
        arrays[f"{name}/y"], arrays[f"{name}/w"] = y.detach().numpy(), w
        for letter, x in zip("abc", tensors):
            arrays[f"{name}/{letter}"], arrays[f"{name}/grad/{letter}"] = x.detach().numpy(), x.grad.numpy()
    path = os.path.join(HERE, file_name)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for key, value in arrays.items():
            member = zipfile.ZipInfo(key + ".npy", (1980, 1, 1, 0, 0, 0))  # reproducible bytes
            member.compress_type = zipfile.ZIP_DEFLATED
            with file.open(member, "w") as out:
                np.lib.format.write_array(out, np.ascontiguousarray(value).reshape(np.shape(value)))
    print(path, os.path.getsize(path), "bytes,", len(arrays), "arrays")


if __name__ == "__main__":
    if sys.argv[1:] != ["more"]:
        write("ops_torch.npz", OPS)
    rng = np.random.default_rng(4)
    write("ops_torch_more.npz", MORE_OPS)
