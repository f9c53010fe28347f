"""Positions: the sinusoidal encoding and a learned table."""
import math

import torch


def angles(T, d, frequency, first=0):
    """t ω of each position and pair"""
    t, i = torch.arange(first, first + T, dtype=torch.float64), torch.arange((d + 1) // 2, dtype=torch.float64)
    return t[:, None] * frequency(i, d)[None, :]


def alternating(angle, d, even=torch.sin, odd=torch.cos):
    return torch.stack([even(angle), odd(angle)], -1).flatten(-2)[..., :d]


def power(base=10000.0, factor=-2.0, shift=0, less=0):
    return lambda i, d: base**(factor * (i + shift) / (d - less))


def encoding(T, d, frequency=power(), first=0):
    return alternating(angles(T, d, frequency, first), d)


def size(s):
    return s.right.shape[-2:]


def with_frequency(frequency):
    return lambda s: encoding(*size(s), frequency)


def with_angle(change, even=torch.sin, odd=torch.cos):
    return lambda s: alternating(change(angles(*size(s), power())), size(s)[1], even, odd)


def of_columns(share, base=10000.0, first=0, is_swapped=False):
    """every column has the frequency base^(−share c/d)"""
    def wrong(s):
        T, d = size(s)
        c = torch.arange(d, dtype=torch.float64)
        angle = torch.arange(first, first + T, dtype=torch.float64)[:, None] * base**(-share * c / d)
        return torch.where(c % 2 == int(is_swapped), angle.sin(), angle.cos())
    return wrong


def cosines_of_next(s):
    T, d = size(s)
    return torch.where(torch.arange(d) % 2 == 0, encoding(T, d), encoding(T, d, power(shift=1)))


def by_position(s):
    T, d = size(s)
    angle, even = angles(T, d, power()).repeat_interleave(2, -1)[:, :d], torch.arange(T)[:, None] % 2 == 0
    return torch.where(even, angle.sin(), angle.cos())


def last_column(s):
    out = encoding(*size(s))
    if size(s)[1] % 2:
        out[:, -1] = 0
    return out


def concatenated(s):
    T, d = size(s)
    angle = angles(T, d, power())
    return torch.cat([angle.sin(), angle.cos()[:, :d // 2]], -1)


same = lambda angle: angle  # noqa: E731

ENCODING = {
    "backwards": lambda s: encoding(*size(s)).flip(0),
    "base": with_frequency(power(1000.0)),
    "base-10": with_frequency(power(10.0)),
    "base-100000": with_frequency(power(100000.0)),
    "base-and-exponent": of_columns(1, 1000.0),
    "base-e": with_frequency(power(math.e)),
    "by-position": by_position,
    "concatenated": concatenated,
    "cosines-alone": cosines_of_next,
    "degrees": with_angle(torch.deg2rad),
    "exponent-doubled": with_frequency(power(factor=-4.0)),
    "exponent-from-one": with_frequency(power(shift=1)),
    "exponent-halved": with_frequency(power(factor=-1.0)),
    "exponent-of-column": of_columns(2),
    "exponent-of-odd-columns": with_frequency(power(shift=0.5)),
    "exponent-of-pair": with_frequency(lambda i, d: 10000.0**(-2 * i)),
    "exponent-of-cosine": of_columns(1),
    "floor-division-by-width": with_frequency(lambda i, d: torch.exp(2 * i * (-math.log(10000.0) // d))),
    "floor-division": with_frequency(lambda i, d: torch.exp(i * (-math.log(10000.0) / d // 2))),
    "from-one": lambda s: encoding(*size(s), first=1),
    "from-one-and-base": lambda s: encoding(*size(s), power(1000.0), first=1),
    "from-one-and-exponent": of_columns(1, first=1),
    "last-column": last_column,
    "multiplied": with_frequency(power(factor=2.0)),
    "no-frequency": with_frequency(lambda i, d: torch.ones_like(i)),
    "not-a-power": with_frequency(lambda i, d: torch.where(i == 0, 1.0, 1 / (10000 * 2 * i / d))),
    "one-position": lambda s: encoding(*size(s))[:1].expand(s.right.shape),
    "only-cosines": with_angle(same, torch.cos, torch.cos),
    "only-sines": with_angle(same, torch.sin, torch.sin),
    "restarted": lambda s: encoding(*size(s)),
    "row-behind-the-last": lambda s: encoding(1, size(s)[1], first=size(s)[0]).expand(s.right.shape),
    "share-of-length": lambda s: with_angle(lambda angle: angle / size(s)[0])(s),
    "swapped": with_angle(same, torch.cos, torch.sin),
    "swapped-and-base": lambda s: alternating(angles(*size(s), power(1000.0)), size(s)[1], torch.cos, torch.sin),
    "swapped-and-exponent": of_columns(1, is_swapped=True),
    "transposed": lambda s: encoding(size(s)[1], size(s)[1]).T[:size(s)[0]],  # the width is d all the same
    "turns": with_angle(lambda angle: 2 * math.pi * angle),
    "width-less-one": with_frequency(power(less=1)),
    "width-less-two": with_frequency(power(less=2)),
}

LEARNED = {
    "backwards": lambda s: s.right.flip(0),
    "from-one": lambda s: s.input(0)[1:len(s.right) + 1],
    "last-rows": lambda s: s.input(0)[-len(s.right):],
    "one-position": lambda s: s.input(0)[:1].expand(s.right.shape),
    "sinusoidal": lambda s: encoding(*size(s)),
}


LINES = {
    **{f"encoding/{name}": line for name, line in ENCODING.items()},
    **{f"learned/{name}": line for name, line in LEARNED.items()},
}
