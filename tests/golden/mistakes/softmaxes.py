"""Softmax, at once and block by block (the online softmax)."""
import torch


def x(s):
    return s["/x"]


def last_m(s):
    """the largest of all: of the last block merged"""
    return s["/merged/m"][..., -1, :]


def last_s(s):
    return s["/merged/s"][..., -1, :]


def blocks(s):
    """x in blocks, (…, blocks, width); what the last one lacks has no share"""
    count = s["/block/m"].shape[-2]
    width = -(-x(s).shape[-1] // count)
    padded = torch.nn.functional.pad(x(s), (0, count * width - x(s).shape[-1]), value=-torch.inf)
    return padded.unflatten(-1, (count, width))


def sums(s):
    return torch.exp(blocks(s) - s["/block/m"]).sum(-1, keepdim=True)


def merged(step):
    """s of the first block, and then step(s before, m before, m, the block's s, the block's m), block by block"""
    def line(s):
        new, m_new, largest = s["/block/s"].unbind(-2), s["/block/m"].unbind(-2), s["/merged/m"].unbind(-2)
        total = [new[0]]
        for k in range(1, len(new)):
            total.append(step(total[-1], largest[k - 1], largest[k], new[k], m_new[k]))
        return torch.stack(total, -2)
    return line


def single(line):
    """in single precision, where exp of a large score is infinite"""
    return lambda s: line(s).float()


SOFTMAX = {
    "everything": lambda s: torch.softmax(s.input(0).flatten(), 0).view_as(s.right),
    "left-out": lambda s: s.input(0),
    "log": lambda s: torch.log_softmax(s.input(0), -1),
    "negated": lambda s: torch.softmax(-s.input(0), -1),
    "sigmoid": lambda s: torch.sigmoid(s.input(0)),
    "twice": lambda s: torch.softmax(torch.softmax(s.input(0), -1), -1),
    "wrong-axis": lambda s: torch.softmax(s.input(0).mT, -1).mT,
}

BLOCK_S = {
    "largest-left-out": lambda s: sums(s).float() - 1,
    "not-subtracted": single(lambda s: torch.exp(blocks(s)).sum(-1, keepdim=True)),
}

MERGED_M = {
    "first": lambda s: s["/block/m"][..., :1, :].expand_as(s.right),
    "of-block": lambda s: s["/block/m"],
}

MERGED_S = {
    "new-not-rescaled": merged(lambda before, m_before, m, new, m_new: before * torch.exp(m_before - m) + new),
    "not-rescaled": merged(lambda before, m_before, m, new, m_new: before + new),
    "of-block": lambda s: s["/block/s"],
    "old-not-rescaled": merged(lambda before, m_before, m, new, m_new: before + new * torch.exp(m_new - m)),
    "sign": single(merged(
        lambda before, m_before, m, new, m_new: before * torch.exp(m - m_before) + new * torch.exp(m - m_new))),
}

ONLINE = {
    "log": lambda s: x(s) - last_m(s) - torch.log(last_s(s)),
    "m-not-subtracted": single(lambda s: torch.exp(x(s)) / last_s(s)),
    "not-normalised": lambda s: torch.exp(x(s) - last_m(s)),
}

STEPS = {"softmax": SOFTMAX, "block_s": BLOCK_S, "merged_m": MERGED_M, "merged_s": MERGED_S, "online_softmax": ONLINE}
LINES = {f"{step}/{name}": line for step, of_step in STEPS.items() for name, line in of_step.items()}
