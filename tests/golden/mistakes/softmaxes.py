"""Softmax, at once and block by block (the online softmax)."""
import torch


def x(s):
    return s["/x"]


def last_m(s):
    """the largest of all: of the last block merged"""
    return s["/merged/m"][..., -1:]


def last_s(s):
    return s["/merged/s"][..., -1:]


def blocks(s, numbers=None):
    """x, or other numbers in its place, in blocks, (…, blocks, width); what the last one lacks has no share"""
    count = s["/block/m"].shape[-1] if s.has("/block/m") else s.right.shape[-1]
    width = -(-x(s).shape[-1] // count)
    padded = torch.nn.functional.pad(x(s) if numbers is None else numbers, (0, count * width - x(s).shape[-1]), value=-torch.inf)
    return padded.unflatten(-1, (count, width))


def sums(s, m):
    """Σ exp(x − m) of each block, 0 of a hidden one"""
    return torch.exp(blocks(s) - m.nan_to_num(neginf=0).unsqueeze(-1)).sum(-1)


def row_by_row(s, line):
    """s of all blocks so far by line(before, m_before, new, m_new, m), in plain numbers, row by row"""
    count = s.right.shape[-1]
    new, m_new, largest = (s[name].reshape(-1, count) for name in ("/block/s", "/block/m", "/merged/m"))
    return torch.stack([torch.stack(line(list(zip(*each)))) for each in zip(new, m_new, largest)]).view_as(s.right)


def merged(step, from_nothing=False):
    """step(s before, m before, m, the block's s, the block's m), block by block, from the first one or from (−∞, 0)"""
    def of_row(row):
        total, before = [], (torch.tensor(0.0, dtype=torch.float64), torch.tensor(-torch.inf, dtype=torch.float64))
        for k, (new, m_new, m) in enumerate(row):
            total.append(new if k == 0 and not from_nothing else step(*before, m, new, m_new))
            before = total[-1], m
        return total
    return lambda s: row_by_row(s, of_row)


def seen(s, m_of_s, exponent):
    """a sum in another unit: nothing seen stays nothing"""
    return s * 0 if m_of_s == -torch.inf else s * torch.exp(exponent)


def of_its_block(s, name):
    """the block's m or s, for each number of the block"""
    return s[name].repeat_interleave(-(-x(s).shape[-1] // s[name].shape[-1]), -1)[..., : x(s).shape[-1]]


def weights(s, m, total):
    return torch.where(x(s) == -torch.inf, 0, torch.exp(x(s) - m) / total)


def single(line):
    """in single precision, where exp of a large score is infinite"""
    return lambda s: line(s).float()


def over(of_largest, of_sum):
    """exp(x − m) and its sum, the largest number m and the sum each over an axis of its own"""
    def of(s):
        powers = torch.exp(s.input(0) - s.input(0).amax(of_largest, keepdim=True))
        return powers, powers.sum(of_sum, keepdim=True)
    return of


def divided(of):
    return lambda s: torch.div(*of(s))


def logarithm(of):
    return lambda s: of(s)[0].log() - of(s)[1].log()


def centred(s):
    return s.input(0) - s.input(0).amax(-1, keepdim=True)


SOFTMAX = {
    "largest-of-batch": divided(over(0, -1)),
    "largest-of-column": divided(over(-2, -1)),
    "mean": lambda s: torch.exp(s.input(0)) / torch.exp(s.input(0)).mean(-1, keepdim=True),
    "summed-over-batch": divided(over(-1, 0)),
    "summed-over-rows": divided(over(-1, -2)),
    "everything": lambda s: torch.softmax(s.input(0).flatten(), 0).view_as(s.right),
    "left-out": lambda s: s.input(0),
    "log": lambda s: torch.log_softmax(s.input(0), -1),
    "negated": lambda s: torch.softmax(-s.input(0), -1),
    "scaled": lambda s: torch.softmax(s.input(0) / s.input(0).shape[-1]**0.5, -1),
    "sigmoid": lambda s: torch.sigmoid(s.input(0)),
    "base-2": lambda s: 2**s.input(0) / (2**s.input(0)).sum(-1, keepdim=True),
    "not-rescaled": lambda s: (torch.exp(s.input(0) - s.input(0).max(-1, keepdim=True).values) /
                               torch.exp(s.input(0) - s.input(0).cummax(-1).values).sum(-1, keepdim=True)),
    "largest-in-denominator": lambda s: (
        torch.exp(s.input(0)) / torch.exp(s.input(0) - s.input(0).max(-1, keepdim=True).values).sum(-1, keepdim=True)),
    "largest-in-numerator": lambda s: (torch.exp(s.input(0) - s.input(0).max(-1, keepdim=True).values) /
                                       torch.exp(s.input(0)).sum(-1, keepdim=True)),
    "no-exp": lambda s: s.input(0) / s.input(0).sum(-1, keepdim=True),
    "not-normalised": lambda s: torch.exp(s.input(0) - s.input(0).max(-1, keepdim=True).values),
    "over-batch": lambda s: torch.softmax(s.input(0), 0),
    "plus-one": lambda s: torch.exp(s.input(0)) / (1 + torch.exp(s.input(0)).sum(-1, keepdim=True)),
    "twice": lambda s: torch.softmax(torch.softmax(s.input(0), -1), -1),
    "wrong-axis": lambda s: torch.softmax(s.input(0).mT, -1).mT,
}

LOG = {
    "added-centred": lambda s: centred(s) + torch.logsumexp(centred(s), -1, keepdim=True),
    "largest-of-batch": logarithm(over(0, -1)),
    "largest-of-column": logarithm(over(-2, -1)),
    "sum-without-log-centred": lambda s: centred(s) - torch.exp(centred(s)).sum(-1, keepdim=True),
    "summed-over-batch": logarithm(over(-1, 0)),
    "summed-over-rows": logarithm(over(-1, -2)),
    "softmax-twice": lambda s: torch.log_softmax(torch.softmax(s.input(0), -1), -1),
    "added": lambda s: s.input(0) + torch.logsumexp(s.input(0), -1, keepdim=True),
    "base-10": lambda s: torch.log10(torch.softmax(s.input(0), -1)),
    "base-2": lambda s: torch.log2(torch.softmax(s.input(0), -1)),
    "everything": lambda s: s.input(0) - torch.logsumexp(s.input(0).flatten(), 0),
    "largest-in-sum": lambda s: s.input(0) - torch.logsumexp(s.input(0) - s.input(0).max(-1, keepdim=True).values, -1, keepdim=True),
    "largest-twice": lambda s: torch.log_softmax(s.input(0), -1) - s.input(0).max(-1, keepdim=True).values,
    "with-epsilon": lambda s: torch.log(torch.softmax(s.input(0), -1) + 1e-6),
    "left-out": lambda s: s.input(0),
    "mean": lambda s: s.input(0) - torch.log(torch.exp(s.input(0)).mean(-1, keepdim=True)),
    "negated": lambda s: -torch.log_softmax(s.input(0), -1),
    "not-log": lambda s: torch.softmax(s.input(0), -1),
    "only-largest": lambda s: s.input(0) - s.input(0).max(-1, keepdim=True).values,
    "over-batch": lambda s: torch.log_softmax(s.input(0), 0),
    "sigmoid": lambda s: torch.nn.functional.logsigmoid(s.input(0)),
    "sum-of-scores": lambda s: s.input(0) - torch.log(s.input(0).abs().sum(-1, keepdim=True)),
    "sum-without-log": lambda s: s.input(0) - torch.exp(s.input(0)).sum(-1, keepdim=True),
    "wrong-axis": lambda s: torch.log_softmax(s.input(0), -2),
}

MAXIMUM = {
    "not-low-enough": lambda s: s.right.clamp(min=-1e9),
    "whole-row": lambda s: s.right.max(-1, keepdim=True).values.expand_as(s.right),
    "zero": lambda s: s.right.clamp(min=0),
}

BLOCK_M = {
    "smallest": lambda s: -blocks(s, -x(s)).max(-1).values,
    "so-far": lambda s: s.right.cummax(-1).values,
}

BLOCK_S = {
    "hidden": lambda s: torch.exp(blocks(s) - s["/block/m"].unsqueeze(-1)).sum(-1),
    "largest-left-out": lambda s: torch.where(s["/block/m"] == -torch.inf, 0, sums(s, s["/block/m"]).float() - 1),
    "not-subtracted": single(lambda s: torch.exp(blocks(s)).sum(-1)),
    "overflow": lambda s: torch.where(s["/block/m"] == -torch.inf, 0, BLOCK_S["overflow-nan"](s)),
    "overflow-nan": lambda s: torch.exp(blocks(s).float()).sum(-1) / torch.exp(s["/block/m"].float()),
    "subtracted-behind": single(lambda s: torch.exp(blocks(s)).sum(-1).float() - s["/block/m"]),
    "whole-row": lambda s: sums(s, s["/block/m"].max(-1, keepdim=True).values.expand_as(s.right)),
}

MERGED_M = {
    "first": lambda s: s["/block/m"][..., :1].expand_as(s.right),
    "of-block": lambda s: s["/block/m"],
    "two-only": lambda s: torch.maximum(s["/block/m"], s["/block/m"].roll(1, -1).index_fill(-1, torch.tensor([0]), -torch.inf)),
}


def exchanged(before, m_before, m, new, m_new):
    return seen(before, m_new, m_new - m) + seen(new, m_before, m_before - m)


def with_nan(before, m_before, m, new, m_new):
    return before * torch.exp(m_before - m) + new * torch.exp(m_new - m)


def divided_behind(before, m_before, m, new, m_new):
    return (before.float() * torch.exp(m_before.float()) + new.float() * torch.exp(m_new.float())) / torch.exp(m.float())


MERGED_S = {
    "exchanged": merged(exchanged),
    "hidden": merged(with_nan),
    "maximum": merged(lambda before, m_before, m, new, m_new: torch.maximum(
        seen(before, m_before, m_before - m), seen(new, m_new, m_new - m))),
    "maximum-as-it-is": merged(lambda before, m_before, m, new, m_new: torch.maximum(before, new)),
    "new-not-rescaled": merged(lambda before, m_before, m, new, m_new: seen(before, m_before, m_before - m) + new),
    "not-rescaled": merged(lambda before, m_before, m, new, m_new: before + new),
    "of-block": lambda s: s["/block/s"],
    "old-not-rescaled": merged(lambda before, m_before, m, new, m_new: before + seen(new, m_new, m_new - m)),
    "overflow": single(merged(divided_behind)),
    "replaced": merged(lambda before, m_before, m, new, m_new: new if m_new > m_before else before + new),
    "sign": single(merged(
        lambda before, m_before, m, new, m_new: seen(before, m_before, m - m_before) + seen(new, m_new, m - m_new))),
}

FROM_NOTHING = {
    "exchanged": merged(exchanged, from_nothing=True),
    "hidden": merged(with_nan, from_nothing=True),
    "overflow": single(merged(
        lambda *all: all[0] * 0 if all[2] == -torch.inf else divided_behind(*all), from_nothing=True)),
}

ONLINE = {
    "block": lambda s: weights(s, of_its_block(s, "/block/m"), of_its_block(s, "/block/s")),
    "log": lambda s: x(s) - last_m(s) - torch.log(last_s(s)),
    "m-not-subtracted": single(lambda s: torch.exp(x(s)) / last_s(s)),
    "maximum-of-block": single(lambda s: weights(s, of_its_block(s, "/block/m"), last_s(s))),
    "not-normalised": lambda s: torch.exp(x(s) - last_m(s)),
    "overflow": lambda s: torch.exp(x(s).float()) / (last_s(s).float() * torch.exp(last_m(s).float())),
    "sum-of-block": lambda s: weights(s, last_m(s), of_its_block(s, "/block/s")),
    "too-early": single(lambda s: weights(s, of_its_block(s, "/merged/m"), of_its_block(s, "/merged/s"))),
}

STEPS = {"softmax": SOFTMAX, "log_softmax": LOG, "maximum": MAXIMUM, "block_m": BLOCK_M, "block_s": BLOCK_S, "merged_m": MERGED_M,
         "merged_s": MERGED_S, "merged_s_from_nothing": FROM_NOTHING, "online_softmax": ONLINE}
LINES = {f"{step}/{name}": line for step, of_step in STEPS.items() for name, line in of_step.items()}
