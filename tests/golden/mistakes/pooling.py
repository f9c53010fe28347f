"""How a sequence is pooled: [CLS], mean, maximum, attention."""
import torch
from mistakes.positions import encoding


def token(s):
    return s.input(0)


def h(s):
    return s.input(1)


CLS = {
    "cls/at-end": lambda s: torch.cat([h(s), token(s)], -2),
    "cls/first-only": lambda s: torch.cat([torch.cat([token(s)[:1], torch.zeros_like(token(s)[1:])]), h(s)], -2),
    "cls/in-place-of-first": lambda s: torch.cat([token(s), h(s)[:, 1:]], -2),
    "cls/left-out": h,
    "cls/with-positions": lambda s: torch.cat([token(s), h(s) + encoding(*h(s).shape[-2:])], -2),
    "cls/zero": lambda s: torch.cat([torch.zeros_like(token(s)), h(s)], -2),
}


def lengths_with_token(s):
    """how many rows are seen, the token's with them"""
    return (s["encoder/0/self_attn/attention"][:, 0, 0] > 0).sum(-1)


CLS_POOLED = {
    "cls_pooled/first-element": lambda s: s.input(0)[:, 1],
    "cls_pooled/largest": lambda s: s.input(0).amax(1),
    "cls_pooled/last": lambda s: s.input(0)[:, -1],
    "cls_pooled/last-real": lambda s: s.input(0)[torch.arange(len(s.right)), lengths_with_token(s) - 1],
    "cls_pooled/mean": lambda s: s.input(0).mean(1),
    "cls_pooled/without-token": lambda s: s.input(0)[:, 1:].mean(1),
}


def real(s):
    """the elements, without padding, which is −∞ for the maximum"""
    return [each[torch.isfinite(each).all(-1)] for each in s.input(0)]


def each(wrong):
    """of the real elements of each sequence"""
    return lambda s: torch.stack([wrong(elements) for elements in real(s)])


def all_rows(s):
    """padding, too, which is hidden by −∞ in the operand"""
    return s.input(0, 0) if torch.isinf(s.input(0)).any() else s.input(0)


def with_zeros(s):
    return s.input(0).masked_fill(torch.isinf(s.input(0)), 0)


MAX = {
    "max_pooled/absolute": each(lambda h: h.abs().amax(0)),
    "max_pooled/all-sequences": lambda s: s.right.amax(0).expand(s.right.shape),
    "max_pooled/batch": lambda s: s.right.cummax(0).values,
    "max_pooled/first": each(lambda h: h[0]),
    "max_pooled/from-zero": lambda s: s.right.clamp(min=0),
    "max_pooled/last": lambda s: all_rows(s)[:, -1],
    "max_pooled/mean": each(lambda h: h.mean(0)),
    "max_pooled/padding": lambda s: all_rows(s).amax(1),
    "max_pooled/size": each(lambda h: h.gather(0, h.abs().argmax(0, keepdim=True))[0]),
    "max_pooled/smallest": each(lambda h: h.amin(0)),
    "max_pooled/zeroed-padding": lambda s: with_zeros(s).amax(1),
}


def total(s):
    """the sum of the real elements"""
    return s.input(0)


def n(s):
    return s.input(1)


def T(s):
    """the longest sequence has no padding"""
    return n(s).max()


def has_padding(s):
    return n(s).dim() > 0


def rows(s):
    """all that the encoder has made; padding is taken out by a product"""
    return s.input(0, 0, 0) if has_padding(s) else s.input(0, 0)


def of_elements(line):
    """of the elements of each sequence"""
    def of_all(s):
        lengths = n(s).flatten().long() if has_padding(s) else [rows(s).shape[1]] * len(s.right)
        return torch.stack([line(each[:length]) for each, length in zip(rows(s), lengths)])
    return of_all


def before_encoder(s):
    x = s["positional/output"]
    seen = torch.arange(x.shape[1])[:, None] < n(s).reshape(-1, 1, 1)
    return (x * seen).sum(1) / n(s)


MEAN = {
    "mean_pooled/all-lengths": lambda s: total(s) / n(s).sum(),
    "mean_pooled/all": lambda s: rows(s).mean(1),
    "mean_pooled/first": of_elements(lambda h: h[0]),
    "mean_pooled/first-length": lambda s: total(s) / n(s)[0],
    "mean_pooled/largest": of_elements(lambda h: h.amax(0)),
    "mean_pooled/last": lambda s: rows(s)[:, -1],
    "mean_pooled/not-encoded": before_encoder,
    "mean_pooled/not-reset": lambda s: total(s).cumsum(0) / n(s),
    "mean_pooled/one-less": lambda s: total(s) / (n(s) - 1),
    "mean_pooled/padded-length": lambda s: total(s) / T(s),
    "mean_pooled/padding-in-sum": lambda s: rows(s).sum(1) / n(s),
    "mean_pooled/root": lambda s: total(s) / n(s).sqrt(),
    "mean_pooled/sum": total,
    "mean_pooled/wrong-size": lambda s: total(s) / s.right.shape[-1],
}

def sequences(s):
    """the real elements of each; a product with marks has nothing left but the last of them"""
    if torch.equal(s.input(0)[:, -1], s.right):
        return list(s.input(0))
    return [h[:int(real.sum())] for h, real in zip(s.input(0, 0), s.input(0, 1, 0).flatten(1))]


LAST = {
    "last_pooled/first": lambda s: torch.stack([h[0] for h in sequences(s)]),
    "last_pooled/first-length": lambda s: s.input(0, 0)[:, len(sequences(s)[0]) - 1],
    "last_pooled/first-sequence": lambda s: s.right[:1].expand(s.right.shape),
    "last_pooled/largest": lambda s: torch.stack([h.amax(0) for h in sequences(s)]),
    "last_pooled/mean": lambda s: torch.stack([h.mean(0) for h in sequences(s)]),
    "last_pooled/one-before": lambda s: torch.stack([h[-2] for h in sequences(s)]),
    "last_pooled/padding": lambda s: s.input(0, 0)[:, -1],
}

LINES = {**CLS, **CLS_POOLED, **MAX, **MEAN, **LAST}
