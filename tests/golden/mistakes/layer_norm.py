"""Layer normalisation."""
import torch
import torch.nn.functional as F


def stats(x, dims=-1):
    return x.mean(dims, keepdim=True), x.var(dims, unbiased=False, keepdim=True)


def norm(s, epsilon):
    return F.layer_norm(s.input(0), s.input(0).shape[-1:], s.input(1), s.input(2), epsilon)


def affine(s, z):
    return z * s.input(1) + s.input(2)


def line(wrong):
    """of a formula of x, mean, var, γ, β and ε"""
    return lambda s: wrong(s.input(0), *stats(s.input(0)), s.input(1), s.input(2), s.settings["epsilon"])


def divided(wrong):
    """of a formula for what stands before γ and β"""
    return lambda s: affine(s, wrong(s.input(0), *stats(s.input(0)), s.settings["epsilon"]))


def over(*dims, rows=slice(None)):
    """mean and variance over other axes, of some of the rows"""
    def wrong(s):
        mean, var = stats(s.input(0)[..., rows, :], dims)
        return affine(s, (s.input(0) - mean) / torch.sqrt(var + s.settings["epsilon"]))
    return wrong


def over_two(of_mean, of_variance):
    """the mean and the variance each over an axis of its own"""
    def wrong(s):
        c = s.input(0) - s.input(0).mean(of_mean, keepdim=True)
        return affine(s, c / torch.sqrt(c.square().mean(of_variance, keepdim=True) + s.settings["epsilon"]))
    return wrong


def whole(s, x):
    return F.layer_norm(x, x.shape[-1:], s.input(1), s.input(2), s.settings["epsilon"])


def plain(s, x):
    return F.layer_norm(x, x.shape[-1:], eps=s.settings["epsilon"])


def rms(x, epsilon):
    return x / torch.sqrt((x**2).mean(-1, keepdim=True) + epsilon)


def gamma_beta(x, y, epsilon):
    """γ and β of a norm that has made y of x: a line through the points of each feature"""
    z = F.layer_norm(x, x.shape[-1:], eps=epsilon).flatten(0, -2)
    A = torch.stack([z, torch.ones_like(z)], -1).transpose(0, 1)
    found = torch.linalg.lstsq(A, y.flatten(0, -2).T.unsqueeze(-1)).solution
    return found[:, 0, 0], found[:, 1, 0]


def first_block(name):
    """γ and β of block 0"""
    def wrong(s):
        block = lambda step: s[f"/encoder/0/{step}"]  # noqa: E731
        pre_norm = torch.allclose(block("norm1"), block("self_attn/x"))
        x1, x2 = (block("residual1") - block("self_attn/output"), block("residual1")) if pre_norm else (
            block("residual1"), block("residual2"))
        gamma, beta = gamma_beta(x1 if name == "norm1" else x2, block(name), s.settings["epsilon"])
        return F.layer_norm(s.input(0), s.input(0).shape[-1:], gamma, beta, s.settings["epsilon"])
    return wrong


def batch_norm(s):
    rows = s.input(0).flatten(0, -2)
    return F.batch_norm(rows, None, None, s.input(1), s.input(2), True, eps=s.settings["epsilon"]).reshape(s.right.shape)


LINES = {
    "layer_norm/affine-exchanged": line(lambda x, mean, var, g, b, e: (x - mean) / torch.sqrt(var + e) * b + g),
    "layer_norm/affine-first": lambda s: plain(s, affine(s, s.input(0))),
    "layer_norm/affine-twice": lambda s: affine(s, s.right),
    "layer_norm/annotated": divided(lambda x, mean, var, e: (x - mean) / (x.std(-1, keepdim=True) + e)),
    "layer_norm/applied-twice": lambda s: affine(s, plain(s, plain(s, s.input(0)))),
    "layer_norm/batch-norm": batch_norm,
    "layer_norm/beta-first": line(lambda x, mean, var, g, b, e: ((x - mean) / torch.sqrt(var + e) + b) * g),
    "layer_norm/beta-subtracted": line(lambda x, mean, var, g, b, e: (x - mean) / torch.sqrt(var + e) * g - b),
    "layer_norm/brackets": divided(lambda x, mean, var, e: x - mean / torch.sqrt(var + e)),
    "layer_norm/divided-by-gamma": line(lambda x, mean, var, g, b, e: (x - mean) / torch.sqrt(var + e) / g + b),
    "layer_norm/epsilon-in-both": divided(lambda x, mean, var, e: (x - mean) / (torch.sqrt(var + e) + e)),
    "layer_norm/epsilon-outside": divided(lambda x, mean, var, e: (x - mean) / (torch.sqrt(var) + e)),
    "layer_norm/epsilon-squared": lambda s: norm(s, s.settings["epsilon"]**2),
    "layer_norm/first-blocks-weights": (first_block("norm1"), first_block("norm2")),
    "layer_norm/first-row": over(-1, rows=slice(0, 1)),
    "layer_norm/flax-epsilon": lambda s: norm(s, 1e-6),
    "layer_norm/gamma-added": line(lambda x, mean, var, g, b, e: (x - mean) / torch.sqrt(var + e) + g + b),
    "layer_norm/gamma-from-one": line(lambda x, mean, var, g, b, e: (x - mean) / torch.sqrt(var + e) * (1 + g) + b),
    "layer_norm/in-halves": lambda s: F.group_norm(s.input(0).flatten(0, -2), 2, s.input(1), s.input(2),
                                                   s.settings["epsilon"]).reshape(s.right.shape),
    "layer_norm/keras-epsilon": lambda s: norm(s, 1e-3),
    "layer_norm/larger-epsilon": lambda s: norm(s, 1000 * s.settings["epsilon"]),
    "layer_norm/mean-absolute": divided(lambda x, mean, var, e: (x - mean) / ((x - mean).abs().mean(-1, keepdim=True) + e)),
    "layer_norm/mean-after-division": divided(lambda x, mean, var, e: x / torch.sqrt(var + e) - mean),
    "layer_norm/mean-added": divided(lambda x, mean, var, e: (x + mean) / torch.sqrt(var + e)),
    "layer_norm/mean-over-batch": over_two(0, -1),
    "layer_norm/mean-over-sequence": over_two(-2, -1),
    "layer_norm/sum-for-mean": divided(lambda x, mean, var, e: (c := x - x.sum(-1, keepdim=True)) /
                                       torch.sqrt(c.square().mean(-1, keepdim=True) + e)),
    "layer_norm/variance-over-batch": over_two(-1, 0),
    "layer_norm/variance-over-sequence": over_two(-1, -2),
    "layer_norm/multiplied": divided(lambda x, mean, var, e: (x - mean) * torch.sqrt(var + e)),
    "layer_norm/no-affine": lambda s: plain(s, s.input(0)),
    "layer_norm/no-beta": lambda s: F.layer_norm(s.input(0), s.input(0).shape[-1:], s.input(1), None, s.settings["epsilon"]),
    "layer_norm/no-epsilon": lambda s: norm(s, 0.0),
    "layer_norm/no-gamma": lambda s: F.layer_norm(s.input(0), s.input(0).shape[-1:], None, s.input(2), s.settings["epsilon"]),
    "layer_norm/no-mean": divided(lambda x, mean, var, e: x / torch.sqrt(var + e)),
    "layer_norm/no-root": divided(lambda x, mean, var, e: (x - mean) / (var + e)),
    "layer_norm/not-divided": divided(lambda x, mean, var, e: x - mean),
    "layer_norm/not-normalised": lambda s: s.input(0),
    "layer_norm/only-affine": lambda s: affine(s, s.input(0)),
    "layer_norm/over-all": over(-2, -1),
    "layer_norm/over-batch": over(0),
    "layer_norm/over-everything": over(0, 1, 2),
    "layer_norm/over-sequence": over(-2),
    "layer_norm/pytorch-epsilon": lambda s: norm(s, 1e-5),
    "layer_norm/range": divided(lambda x, mean, var, e: (x - x.amin(-1, True)) / (x.amax(-1, True) - x.amin(-1, True) + e)),
    "layer_norm/raw-square": divided(lambda x, mean, var, e: (x - mean) / torch.sqrt((x**2).mean(-1, keepdim=True) + e)),
    "layer_norm/rms-norm": lambda s: s.input(1) * rms(s.input(0), s.settings["epsilon"]),
    "layer_norm/root-mean-square": divided(lambda x, mean, var, e: rms(x, e)),
    "layer_norm/sample-variance": divided(lambda x, mean, var, e: (x - mean) / torch.sqrt(x.var(-1, keepdim=True) + e)),
    "layer_norm/sign": divided(lambda x, mean, var, e: (mean - x) / torch.sqrt(var + e)),
    "layer_norm/smaller-epsilon": lambda s: norm(s, s.settings["epsilon"] / 1000),
    "layer_norm/squared": divided(lambda x, mean, var, e: (x - mean) / (var + e)**2),
    "layer_norm/sum-of-squares": divided(
        lambda x, mean, var, e: (x - mean) / torch.sqrt(((x - mean)**2).sum(-1, keepdim=True) + e)),
    "layer_norm/unit-length": divided(lambda x, mean, var, e: x / torch.sqrt((x**2).sum(-1, keepdim=True) + e)),
    "layer_norm/whole-twice": lambda s: whole(s, s.right),
}
