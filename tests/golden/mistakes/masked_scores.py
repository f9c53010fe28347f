"""Scores of attention whose mask is wrong: the step masked."""
import torch

FILL = -9e15


def scaled(s):
    return s.input(0)


def mask(s):
    """1 where a key may be seen, of the shape of the scores"""
    return s.input(1).expand_as(scaled(s))


def i(s):
    return torch.arange(s.right.shape[-2]).unsqueeze(-1)


def j(s):
    return torch.arange(s.right.shape[-1])


def length(s):
    """of each sequence: under a causal mask the last query sees all of its keys"""
    return mask(s)[..., -1:, :].sum(-1, keepdim=True)


def padded(s):
    return j(s) >= length(s)


def where(hidden, fill=FILL):
    """scaled, but fill where hidden"""
    return lambda s: torch.where(hidden(s).bool(), fill, scaled(s))


def hidden(s):
    return mask(s) == 0


def only(s, axis):
    """1 in the first of an axis"""
    first = torch.zeros_like(scaled(s))
    first.select(axis, 0).fill_(1)
    return first == 1


def before(m):
    """the mask at j − 1; nothing is seen in front"""
    return torch.nn.functional.pad(m, (1, 0))[..., :-1]


def after(m):
    """the mask at j + 1; nothing is seen behind"""
    return torch.nn.functional.pad(m, (0, 1))[..., 1:]


def of_other_sequences(which):
    """The mask of sequence b and head i is that of sequence which(b, i, n, h)."""
    def at(s):
        n, h = scaled(s).shape[:2]
        return torch.stack([torch.stack([hidden(s)[which(b, k, n, h), 0] for k in range(h)]) for b in range(n)])
    return at


MASKED = {
    "added": lambda s: scaled(s) + mask(s),
    "added-low": lambda s: scaled(s) + (mask(s) - 1) * 1e4,
    "after-softmax": (lambda s: scaled(s), lambda s: torch.softmax(scaled(s), -1).tril()),  # both places are causal
    "another-fill": where(hidden, -1e9),
    "batch-as-heads": where(lambda s: s.input(1).transpose(0, 1) == 0),
    "both-ways": where(lambda s: mask(s) * mask(s).mT == 0),
    "causal": where(lambda s: j(s) > i(s)),
    "causal-alone": where(lambda s: j(s) > i(s)),
    "first-head": where(lambda s: hidden(s) & only(s, -3)),
    "first-row": where(lambda s: (mask(s)[..., :1, :] == 0).expand_as(scaled(s))),
    "first-sequence": where(lambda s: hidden(s) & only(s, 0)),
    "from-the-end": where(lambda s: j(s) - s.right.shape[-1] > i(s) - s.right.shape[-2]),
    "half-precision-fill": where(hidden, -1e4),
    "hidden-added": lambda s: scaled(s) + (1 - mask(s)),
    "ignored": lambda s: scaled(s),
    "infinity": where(hidden, -torch.inf),
    "infinity-multiplied": lambda s: scaled(s) + (1 - mask(s)) * -torch.inf,
    "interleaved": where(of_other_sequences(lambda b, k, n, h: (k * n + b) // h)),
    "inverted": where(lambda s: mask(s) == 1),
    "last-key-hidden": where(lambda s: (j(s) > i(s)) | (j(s) >= length(s) - 1)),
    "later-keys": where(lambda s: (j(s) < i(s)) | padded(s)),
    "minus-five": where(hidden, -5.0),
    "minus-one": where(hidden, -1.0),
    "minus-two": where(hidden, -2.0),
    "multiplied": lambda s: scaled(s) * mask(s),
    "next-too": where(lambda s: (j(s) > i(s) + 1) | padded(s)),
    "not-itself": where(lambda s: hidden(s) | (i(s) == j(s))),
    "not-itself-later": where(lambda s: hidden(s) | ((i(s) == j(s)) & (i(s) > 0))),
    "one-key-of-padding": where(lambda s: (j(s) > i(s)) | (j(s) > length(s))),
    "one-less": where(lambda s: hidden(s) | (after(mask(s)) == 0)),
    "one-mask": where(lambda s: hidden(s)[:1]),
    "one-more": where(lambda s: hidden(s) & (before(mask(s)) == 0)),
    "padding-alone": where(padded),
    "padding-of-queries": where(lambda s: (j(s) > i(s)) | (i(s) >= length(s))),
    "sign": where(hidden, 9e15),
    "tiled": where(of_other_sequences(lambda b, k, n, h: (b * h + k) % n)),
    "tiny": where(hidden, 1e-9),
    "transposed": where(lambda s: mask(s).mT == 0),
    "zero": where(hidden, 0.0),
}

LINES = {f"masked/{name}": line for name, line in MASKED.items()}
