"""Masks by themselves: given, causal, padding, window, and their product."""
import torch


def i(s):
    return torch.arange(s.right.shape[-2]).unsqueeze(-1)


def j(s):
    return torch.arange(s.right.shape[-1])


def length(s):
    """of each sequence, (…, 1, 1)"""
    return s.right.sum(-1, keepdim=True)


def reach(s):
    """The first query of a window sees itself and so many more."""
    return s.right[..., 0, :].sum() - 1


def one_where(condition):
    return lambda s: condition(s).expand_as(s.right).double()


def ones(s):
    return torch.ones_like(s.right)


MASK = {
    "added": lambda s: sum(s.inputs()),
    "all-inverted": lambda s: 1 - s.right,
    "all-transposed": lambda s: s.right.mT,
    "causal": lambda s: s.right.tril(),
    "either": lambda s: (sum(s.inputs()) > 0).double(),
    "from-the-end": one_where(lambda s: j(s) - s.right.shape[-1] <= i(s) - s.right.shape[-2]),
    "inverted": one_where(lambda s: j(s) > i(s)),
    "itself-alone": one_where(lambda s: j(s) == i(s)),
    "no-causal": ones,
    "not-itself": one_where(lambda s: j(s) < i(s)),
    "nothing-hidden": ones,
    "sees-next": one_where(lambda s: j(s) <= i(s) + 1),
    "transposed": one_where(lambda s: j(s) >= i(s)),
}

GIVEN = {
    "inverted": lambda s: 1 - s.right,
    "not-used": ones,
    "transposed": lambda s: s.right.mT,
}

PADDING = {
    "at-the-front": one_where(lambda s: j(s) >= s.right.shape[-1] - length(s)),
    "first-hidden": one_where(lambda s: (0 < j(s)) & (j(s) < length(s))),
    "first-length": one_where(lambda s: j(s) < length(s)[:1]),
    "inverted": one_where(lambda s: j(s) >= length(s)),
    "longest": one_where(lambda s: j(s) < length(s).amax()),
    "no-padding": ones,
    "one-less": one_where(lambda s: j(s) < length(s) - 1),
    "one-more": one_where(lambda s: j(s) <= length(s)),
    # The rows: the scores are square in both places.
    "rows": lambda s: (j(s).unsqueeze(-1) < length(s)).double(),
}

WINDOW = {
    "future-only": one_where(lambda s: (0 <= j(s) - i(s)) & (j(s) - i(s) <= reach(s))),
    "half": one_where(lambda s: (i(s) - j(s)).abs() <= reach(s) / 2),
    "no-lower-end": one_where(lambda s: j(s) - i(s) <= reach(s)),
    "no-upper-end": one_where(lambda s: i(s) - j(s) <= reach(s)),
    "no-window": ones,
    "not-itself": one_where(lambda s: (0 < (i(s) - j(s)).abs()) & ((i(s) - j(s)).abs() <= reach(s))),
    "one-less": one_where(lambda s: (i(s) - j(s)).abs() < reach(s)),
    "one-more": one_where(lambda s: (i(s) - j(s)).abs() <= reach(s) + 1),
    "wrong-side": one_where(lambda s: (j(s) <= i(s)) | (j(s) > i(s) + reach(s))),
    "past-only": one_where(lambda s: (0 <= i(s) - j(s)) & (i(s) - j(s) <= reach(s))),
}

STEPS = {"mask": MASK, "given": GIVEN, "padding": PADDING, "window": WINDOW}
LINES = {f"{step}/{name}": line for step, of_step in STEPS.items() for name, line in of_step.items()}
