"""Learning rates along a run, and the clipping of gradients."""
import math

import torch


def scheduled(line):
    """Of done updates n (the t-th is next), warm-up W, run length N, width d and least rate r."""
    def value(s):
        n, W, N, d, r = (s.settings[name] for name in ("n", "W", "N", "d_model", "r"))
        return torch.tensor(line(n, n + 1, W, N, d, r), dtype=torch.float64)
    return value


def of_share(line):
    """Of n, t, W, N, r, the last D updates and the share s at the beginning."""
    return lambda s: torch.tensor(line(*(s.settings[name] for name in ("n", "W", "N", "r", "D", "s"))), dtype=torch.float64)


def line_to(share, r):
    return r + (1 - r) * share


def half(angle):
    return 0.5 * (1 + math.cos(math.pi * angle))


def of_angle(line):
    """A cosine, whichever updates it counts: its angle is that of the right factor, ½ (1 + cos angle)."""
    return lambda s: line(torch.acos(2 * s.right - 1))


def factors(s):
    return torch.stack([s[name] for name in s.steps()])


def max_norm(s):
    """The specimens clip to 0.4, 0.9 and 5."""
    factor = s["factor"] if s.has("factor") else s.right
    return round(float(factor * s["norm"]), 3) if factor < 1 else 5


def factor_of(line):
    return lambda s: line(max_norm(s), s["norm"])


def at_most_one(x):
    return x.clamp(max=1)


def by_rows(s):
    return s["gradient"] * at_most_one(max_norm(s) / s["gradient"].norm(dim=-1, keepdim=True))


def batches(s):
    """the micro-batches' gradients, each clipped"""
    rows = s["/gradients"]
    return rows * at_most_one(max_norm(s) / rows.norm(dim=-1, keepdim=True))


def as_it_grows(s):
    """the sum so far, clipped after every micro-batch"""
    rows = s["/gradients"]
    total = torch.zeros_like(rows[0])
    for row in rows:
        total = total + row / len(rows)
        total = total * at_most_one(max_norm(s) / total.norm())
    return total


def norm_of(line):
    return lambda s: line(s["gradient"])


LINES = {
    "rate/no-peak": scheduled(lambda n, t, W, N, d, r: 1),
    "learning_rate/last-left-out": lambda s: factors(s)[:-1].prod(),
    "warmup/from-one": scheduled(lambda n, t, W, N, d, r: (n + 1) / W),
    "warmup/integer-division": scheduled(lambda n, t, W, N, d, r: n // W),
    "warmup/next-update": scheduled(lambda n, t, W, N, d, r: (n + 1) / W),
    "warmup/no-warmup": scheduled(lambda n, t, W, N, d, r: 1),
    "warmup/over-all": scheduled(lambda n, t, W, N, d, r: n / N),
    "warmup/printed": scheduled(lambda n, t, W, N, d, r: half(n / N) * (n / W if n < W else 1)),
    "warmup/squared": scheduled(lambda n, t, W, N, d, r: (n / W) ** 2),
    "warmup/upside-down": scheduled(lambda n, t, W, N, d, r: 1 - n / W),
    "cosine/after-warmup": scheduled(lambda n, t, W, N, d, r: half(max(0, n - W) / (N - W))),
    "cosine/all-steps": scheduled(lambda n, t, W, N, d, r: half(n / N)),
    "cosine/cut-off": scheduled(lambda n, t, W, N, d, r: max(r, half((n - W) / (N - W)))),
    "cosine/least-for-peak": scheduled(lambda n, t, W, N, d, r: r * half((n - W) / (N - W))),
    "cosine/least-on-top": scheduled(lambda n, t, W, N, d, r: r + half((n - W) / (N - W))),
    "cosine/linear": scheduled(lambda n, t, W, N, d, r: 1 - (n - W) / (N - W)),
    "cosine/never": scheduled(lambda n, t, W, N, d, r: 1),
    "cosine/no-half": of_angle(lambda angle: 1 + torch.cos(angle)),
    "cosine/no-half-to-least": scheduled(lambda n, t, W, N, d, r: r + (1 - r) * 2 * half((n - W) / (N - W))),
    "cosine/no-least": scheduled(lambda n, t, W, N, d, r: half((n - W) / (N - W))),
    "cosine/no-offset": scheduled(lambda n, t, W, N, d, r: half(n / (N - W))),
    "cosine/no-one": of_angle(lambda angle: 0.5 * torch.cos(angle)),
    "cosine/no-pi": scheduled(lambda n, t, W, N, d, r: 0.5 * (1 + math.cos((n - W) / (N - W)))),
    "cosine/not-in-warmup": scheduled(lambda n, t, W, N, d, r: 1 if n <= W else half(n / N)),
    "cosine/one-ahead": scheduled(lambda n, t, W, N, d, r: half((n + 1 - W) / (N - W))),
    "cosine/over-all": scheduled(lambda n, t, W, N, d, r: half((n - W) / N)),
    "cosine/quarter": of_angle(lambda angle: torch.cos(angle / 2)),
    "cosine/rises": scheduled(lambda n, t, W, N, d, r: 1 - (1 - r) * half((n - W) / (N - W))),
    "cosine/to-last": scheduled(lambda n, t, W, N, d, r: half((n - W) / (N - W - 1))),
    "cosine/wrong-sign": of_angle(lambda angle: 0.5 * (1 - torch.cos(angle))),
    "line/all-steps": of_share(lambda n, W, N, r, D, s: line_to(1 - n / N, r)),
    "line/cosine": of_share(lambda n, W, N, r, D, s: line_to(half((n - W) / (N - W)), r)),
    "line/cut-off": of_share(lambda n, W, N, r, D, s: max(r, (N - n) / (N - W))),
    "line/never": of_share(lambda n, W, N, r, D, s: 1),
    "line/no-least": of_share(lambda n, W, N, r, D, s: (N - n) / (N - W)),
    "line/no-offset": of_share(lambda n, W, N, r, D, s: line_to(1 - n / (N - W), r)),
    "line/rises": of_share(lambda n, W, N, r, D, s: line_to((n - W) / (N - W), r)),
    "line/to-last": of_share(lambda n, W, N, r, D, s: line_to((N - 1 - n) / (N - 1 - W), r)),
    "decay/cosine": of_share(lambda n, W, N, r, D, s: line_to(half((n - N + D) / D), r)),
    "decay/never": of_share(lambda n, W, N, r, D, s: 1),
    "decay/rises": of_share(lambda n, W, N, r, D, s: line_to((n - N + D) / D, r)),
    "decay/root": of_share(lambda n, W, N, r, D, s: line_to(1 - math.sqrt((n - N + D) / D), r)),
    "decay/to-last": of_share(lambda n, W, N, r, D, s: line_to((N - 1 - n) / D, r)),
    "decay/whole-run": of_share(lambda n, W, N, r, D, s: line_to((N - n) / (N - W), r)),
    "up/from-zero": of_share(lambda n, W, N, r, D, s: 1 - half(n / W)),
    "up/linear": of_share(lambda n, W, N, r, D, s: line_to(n / W, s)),
    "up/next-update": of_share(lambda n, W, N, r, D, s: line_to(1 - half((n + 1) / W), s)),
    "up/wrong-sign": of_share(lambda n, W, N, r, D, s: line_to(half(n / W), s)),
    "down/all-steps": of_share(lambda n, W, N, r, D, s: line_to(half(n / (N - 1)), r)),
    "down/linear": of_share(lambda n, W, N, r, D, s: line_to((N - 1 - n) / (N - 1 - W), r)),
    "down/to-end": of_share(lambda n, W, N, r, D, s: line_to(half((n - W) / (N - W)), r)),
    "down/to-start": of_share(lambda n, W, N, r, D, s: line_to(half((n - W) / (N - 1 - W)), s)),
    "warmup/between-from-zero": of_share(lambda n, W, N, r, D, s: n / W),
    "warmup/between-to-peak": of_share(lambda n, W, N, r, D, s: (n + 1) / W),
    "warmup/current-from-zero": of_share(lambda n, W, N, r, D, s: n / W),
    "warmup/larger": of_share(lambda n, W, N, r, D, s: max(s, n / W)),
    "warmup/start-added": of_share(lambda n, W, N, r, D, s: s + n / W),
    "warmup/start-left-out": of_share(lambda n, W, N, r, D, s: n / W),
    "width/left-out": scheduled(lambda n, t, W, N, d, r: 1),
    "width/multiplied": scheduled(lambda n, t, W, N, d, r: d**0.5),
    "width/no-root": scheduled(lambda n, t, W, N, d, r: 1 / d),
    "rising/from-zero": scheduled(lambda n, t, W, N, d, r: n * W**-1.5),
    "rising/largest": scheduled(lambda n, t, W, N, d, r: max(t**-0.5, t * W**-1.5)),
    "rising/other-power": scheduled(lambda n, t, W, N, d, r: t * W**-0.5),
    "rising/least-of-other-power": scheduled(lambda n, t, W, N, d, r: min(t**-0.5, t * W**-0.5)),
    "rising/share": scheduled(lambda n, t, W, N, d, r: t / W),
    "falling/after-warmup": scheduled(lambda n, t, W, N, d, r: (t - W) ** -0.5),
    "falling/from-zero": scheduled(lambda n, t, W, N, d, r: n**-0.5),
    "falling/no-root": scheduled(lambda n, t, W, N, d, r: 1 / t),
    "norm/by-batch": norm_of(lambda g: g.norm() / len(g)),
    "norm/largest": norm_of(lambda g: g.norm(p=math.inf)),
    "norm/mean": norm_of(lambda g: (g**2).mean().sqrt()),
    "norm/no-root": norm_of(lambda g: (g**2).sum()),
    "norm/one-parameter": norm_of(lambda g: g[0].norm()),
    "norm/root-of-norms": norm_of(lambda g: g.norm(dim=-1).sum().sqrt()),
    "norm/sum-of-means": norm_of(lambda g: g.square().mean(-1).sum().sqrt()),
    "norm/sum-of-norms": norm_of(lambda g: g.norm(dim=-1).sum()),
    "norm/sum-of-sizes": norm_of(lambda g: g.norm(p=1)),
    "factor/always": factor_of(lambda most, norm: most / norm),  # the specimens' ε is 0
    "factor/always-with-epsilon": factor_of(lambda most, norm: most / (norm + 1e-6)),
    "factor/epsilon": factor_of(lambda most, norm: at_most_one(most / (norm + 1e-6))),
    "factor/max-norm-squared": factor_of(lambda most, norm: at_most_one(most**2 / norm)),
    "factor/multiplied": factor_of(lambda most, norm: at_most_one(most * norm)),
    "factor/one-added": factor_of(lambda most, norm: most / (norm + most)),
    "factor/short-ones": factor_of(lambda most, norm: (most / norm).clamp(min=1)),
    "factor/squared-norm": factor_of(lambda most, norm: at_most_one(most**2 / norm**2)),
    "factor/to-one": factor_of(lambda most, norm: at_most_one(1 / norm)),
    "factor/upside-down": factor_of(lambda most, norm: at_most_one(norm / most)),
    "factor/zero": factor_of(lambda most, norm: (norm <= most).double()),
    "clipped/as-it-grows": as_it_grows,
    "clipped/by-value": lambda s: s["gradient"].clamp(-max_norm(s), max_norm(s)),
    "clipped/each-batch": lambda s: batches(s).mean(0),
    "clipped/each-batch-applied": lambda s: batches(s).sum(0),
    "clipped/divided": lambda s: s["gradient"] / s["factor"],
    "clipped/left-out": lambda s: s["gradient"],
    "clipped/per-parameter": by_rows,
    "clipped/sign-lost": lambda s: s["factor"] * s["gradient"].abs(),
}
