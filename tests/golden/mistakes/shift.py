"""The shift of the sinusoidal encoding by a rotation M."""
import math

import torch
from mistakes.positions import encoding, power, size


def pairs(a, b, c, d):
    """the matrices [a, b; c, d]"""
    return torch.stack([torch.stack([a, b], -1), torch.stack([c, d], -1)], -2)


def shift(s):
    """φ: the angle of the first pair, whose frequency is 1"""
    return round(math.atan2(s.right[0, 0, 1], s.right[0, 0, 0]))


def M(matrix, frequency=power(), phi=shift):
    def wrong(s):
        n = len(s.right)
        angle = phi(s) * frequency(torch.arange(n, dtype=torch.float64), 2 * n)
        return matrix(angle.cos(), angle.sin())
    return wrong


def rotation(cos, sin):
    return pairs(cos, sin, -sin, cos)


def from_the_right(s):
    PE = s["encoding"].unflatten(-1, (-1, 2))
    return torch.einsum("tpi,pij->tpj", PE, s["M"]).flatten(-2)


def halves(s):
    PE = s["encoding"].unflatten(-1, (2, -1))
    return torch.einsum("pij,tjp->tip", s["M"], PE).flatten(-2)


def earlier(s):
    phi = round(math.atan2(s["M"][0, 0, 1], s["M"][0, 0, 0]))
    return encoding(*size(s), first=s.settings["first"] - 2 * phi)


LINES = {
    "M/backwards": M(lambda cos, sin: pairs(cos, -sin, sin, cos)),
    "M/by-one": M(rotation, phi=lambda s: 1),
    "M/exchanged": M(lambda cos, sin: pairs(sin, cos, cos, -sin)),
    "M/frequency": M(rotation, lambda i, d: torch.ones_like(i)),
    "M/frequency-doubled": M(rotation, power(factor=-4.0)),
    "M/frequency-halved": M(rotation, power(factor=-1.0)),
    "M/no-minus": M(lambda cos, sin: pairs(cos, sin, sin, cos)),
    "M/not-moved": lambda s: torch.eye(2, dtype=torch.float64).expand(s.right.shape),
    "dots/columns": lambda s: s["encoding"].T @ s["encoding"],
    "dots/cosine": lambda s: s["encoding"] @ s["encoding"].T / (s["encoding"].shape[-1] / 2),
    "later/earlier": earlier,
    "rotated/from-the-right": from_the_right,
    "rotated/halves": halves,
}
