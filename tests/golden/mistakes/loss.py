"""The cross-entropy, its labels and its gradient."""
import math

import torch
import torch.nn.functional as F

SMOOTHING = 0.3  # of the specimens whose labels are smoothed


def labelled(s):
    """Which rows have a label: the others, of padding, have −1."""
    return s["labels"] >= 0


def where_labelled(s, values):
    mask = labelled(s)
    return torch.where(mask.unsqueeze(-1) if values.dim() > mask.dim() else mask, values, 0.0)


def loss_of(line):
    """Of the losses, of the rows with a label, and of its sizes."""
    return lambda s: line(s["losses"], labelled(s))


def mean_of(losses, mask):
    return losses[mask].mean()


def log_terms(logits, of_largest, of_sum):
    """logits − m and ln Σ exp of that, the largest number m and the sum each over an axis of its own"""
    less = logits - logits.amax(of_largest, keepdim=True)
    return less, less.logsumexp(of_sum, keepdim=True)


def losses_of(line):
    """Of logits, probabilities and q, where there is a label."""
    return lambda s: where_labelled(s, line(s["logits"], s["probabilities"], s["q"]))


def against(s, labels):
    """−ln of the label's probability, 0 where the label is −1."""
    probabilities = s["probabilities"]
    C = probabilities.shape[-1]
    log = probabilities.log().reshape(-1, C)
    return F.nll_loss(log, labels.long().reshape(-1), ignore_index=-1, reduction="none").reshape(labels.shape)


def dlogits_of(line):
    """Of probabilities, q and the number of labels, where there is a label."""
    return lambda s: where_labelled(s, line(s["probabilities"], s["q"], labelled(s).sum()))


def one_hot(s):
    return F.one_hot(s["labels"].long().clamp(min=0), s["logits"].shape[-1]).double()


def q_of(line):
    """Of 1 at the label, of ε and the number of classes, where there is a label."""
    return lambda s: where_labelled(s, line(one_hot(s), SMOOTHING, s["logits"].shape[-1]))


LINES = {
    "q/exchanged": q_of(lambda hot, e, C: e * hot + (1 - e) / C),
    "q/label-keeps-all": q_of(lambda hot, e, C: hot + e / C),
    "q/label-keeps-more": q_of(lambda hot, e, C: torch.where(hot > 0, 1, e / C)),
    "q/next-class": lambda s: where_labelled(s, one_hot(s).roll(1, -1)),
    "q/not-divided": q_of(lambda hot, e, C: (1 - e) * hot + e),
    "q/not-smoothed": q_of(lambda hot, e, C: hot),
    "q/nothing-spread": q_of(lambda hot, e, C: (1 - e) * hot),
    "q/over-others": q_of(lambda hot, e, C: torch.where(hot > 0, 1 - e, e / (C - 1))),
    "q/over-others-and-label": q_of(lambda hot, e, C: (1 - e) * hot + e / (C - 1)),
    "q/label-without-share": q_of(lambda hot, e, C: torch.where(hot > 0, 1 - e, e / C)),
    "q/padding-too": lambda s: torch.where(labelled(s).unsqueeze(-1), s.right, SMOOTHING / s.right.shape[-1]),
    "q/whole-spread": q_of(lambda hot, e, C: (1 - e) * hot + 1 / C),
    "q/without-padding": q_of(lambda hot, e, C: torch.where(hot > 0, 1 - e, e / (C - 2))),
    "losses/against-input": lambda s: against(s, s["/numbers"]),
    "losses/target": lambda s: where_labelled(s, against(s, s["targets"])),
    "losses/largest-of-positions": losses_of(lambda logits, p, q: -(q * torch.sub(*log_terms(logits, -2, -1))).sum(-1)),
    "losses/mean-of-exp": losses_of(lambda logits, p, q: -(q * (logits - logits.exp().mean(-1, keepdim=True).log())).sum(-1)),
    "losses/only-largest": losses_of(lambda logits, p, q: -(q * (logits - logits.amax(-1, keepdim=True))).sum(-1)),
    "losses/over-batch": losses_of(lambda logits, p, q: -(q * logits.log_softmax(-3)).sum(-1)),
    "losses/sum-added": losses_of(lambda logits, p, q: -(q * torch.add(*log_terms(logits, -1, -1))).sum(-1)),
    "losses/sum-without-logarithm": losses_of(
        lambda logits, p, q: -(q * ((terms := log_terms(logits, -1, -1))[0] - terms[1].exp())).sum(-1)),
    "losses/summed-over-positions": losses_of(lambda logits, p, q: -(q * torch.sub(*log_terms(logits, -1, -2))).sum(-1)),
    "losses/all-elements": losses_of(lambda logits, p, q: -p.log().mean(-1)),
    "losses/answer": losses_of(lambda logits, p, q: -p.amax(-1).log()),
    "losses/base-ten": losses_of(lambda logits, p, q: -(q * p.log10()).sum(-1)),
    "losses/binary": losses_of(
        lambda logits, p, q: F.binary_cross_entropy_with_logits(logits, q, reduction="none").mean(-1)),
    "losses/binary-of-probabilities": losses_of(
        lambda logits, p, q: F.binary_cross_entropy(p, q, reduction="none").mean(-1)),
    "losses/by-classes": losses_of(lambda logits, p, q: -(q * p.log()).sum(-1) / p.shape[-1]),
    "losses/divergence-summed": (losses_of(lambda logits, p, q: F.kl_div(p.log(), q, reduction="none").sum(-1)),
                                 loss_of(lambda losses, mask: losses.sum())),
    "losses/divergence": losses_of(lambda logits, p, q: F.kl_div(p.log(), q, reduction="none").sum(-1)),
    "losses/entropy": losses_of(lambda logits, p, q: torch.distributions.Categorical(p).entropy()),
    "losses/label-before": lambda s: against(s, s["labels"].roll(1, -1)),
    "losses/next-label": lambda s: against(s, s["labels"].roll(-1, -1)),
    "losses/no-logarithm": losses_of(lambda logits, p, q: 1 - (q * p).sum(-1)),
    "losses/of-probabilities": losses_of(lambda logits, p, q: F.kl_div(p, q, reduction="none").sum(-1) - (q.xlogy(q)).sum(-1)),
    "losses/no-logit": losses_of(lambda logits, p, q: logits.logsumexp(-1)),
    "losses/other-logarithm": losses_of(lambda logits, p, q: -(q * p.log2()).sum(-1)),
    "losses/over-positions": losses_of(lambda logits, p, q: -(q * logits.log_softmax(-2)).sum(-1)),
    "losses/overflow": losses_of(lambda logits, p, q: logits.exp().sum(-1).log() - (q * logits).sum(-1)),
    "losses/padding-counted": lambda s: against(s, s["labels"].clamp(min=0)),
    "losses/probability": losses_of(lambda logits, p, q: (q * p).sum(-1)),
    "losses/score": losses_of(lambda logits, p, q: -(q * logits).sum(-1)),
    "losses/sign": losses_of(lambda logits, p, q: (q * p.log()).sum(-1)),
    "losses/smoothed": losses_of(lambda logits, p, q: -((0.9 * q + 0.1 / p.shape[-1]) * p.log()).sum(-1)),
    "losses/softmax-twice": losses_of(lambda logits, p, q: -(q * p.log_softmax(-1)).sum(-1)),
    "losses/squared": losses_of(lambda logits, p, q: ((p - q) ** 2).sum(-1)),
    "loss/all-counted": loss_of(lambda losses, mask: losses.mean()),
    "loss/by-classes": lambda s: s["losses"].sum() / s["logits"].shape[-1],
    "loss/first-sequence": loss_of(lambda losses, mask: mean_of(losses[0], mask[0])),
    "loss/last-position": loss_of(lambda losses, mask: losses[:, -1].mean()),
    "loss/mean-of-means": loss_of(lambda losses, mask: (losses.sum(-1) / mask.sum(-1)).mean()),
    "loss/per-position": loss_of(lambda losses, mask: losses.sum() / losses.shape[1]),
    "loss/per-sequence": loss_of(lambda losses, mask: losses.sum() / losses.shape[0]),
    "loss/perplexity": loss_of(lambda losses, mask: math.exp(mean_of(losses, mask))),
    "loss/shifted-again": lambda s: F.cross_entropy(
        s["logits"][..., :-1, :].flatten(0, -2), torch.where(labelled(s), s["labels"], -100)[..., 1:].flatten().long()),
    "loss/sum": loss_of(lambda losses, mask: losses.sum()),
    "dlogits/all-counted": lambda s: where_labelled(s, s["probabilities"] - s["q"]) / s["losses"].numel(),
    "dlogits/by-classes": dlogits_of(lambda p, q, counted: (p - q) / (counted * p.shape[-1])),
    "dlogits/derivative-again": dlogits_of(lambda p, q, counted: (p - q) * p * (1 - p) / counted),
    "dlogits/from-logits": lambda s: where_labelled(s, (s["logits"] - s["q"]) / labelled(s).sum()),
    "dlogits/label-only": dlogits_of(lambda p, q, counted: -q / counted),
    "dlogits/no-label": dlogits_of(lambda p, q, counted: p / counted),
    "dlogits/not-divided": dlogits_of(lambda p, q, counted: p - q),
    "dlogits/of-probabilities": dlogits_of(lambda p, q, counted: -q / p / counted),
    "dlogits/padding": lambda s: (s["probabilities"] - s["q"]) / labelled(s).sum(),
    "dlogits/per-sequence": dlogits_of(lambda p, q, counted: (p - q) / len(p)),
    "dlogits/sign": dlogits_of(lambda p, q, counted: (q - p) / counted),
    "dlogits/twice": dlogits_of(lambda p, q, counted: 2 * (p - q) / counted),
}
