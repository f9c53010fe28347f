"""What a model learns from: sentences with teacher forcing, turned sequences, sets with an anomaly."""
import torch

PAD, START, END, IGNORED = 0.0, 1.0, 2.0, -1.0


def replaced(x, old, new):
    return x.masked_fill(x == old, new)


def in_front(token, x):
    return torch.cat([torch.full_like(x[:, :1], token), x], -1)


def behind(x, token):
    return torch.cat([x, torch.full_like(x[:, :1], token)], -1)


def sentence(s):
    return s["sentence"]


def to_the_right(row):
    words = row[row != PAD]
    return torch.cat([torch.full((len(row) - len(words),), PAD, dtype=row.dtype), words])


def end_behind_padding(s):
    out = replaced(s.right, END, IGNORED)
    out[:, -1] = END
    return out


TEACHER_FORCING = {
    "inputs/end-dropped": lambda s: replaced(in_front(START, s.right), END, PAD)[:, :-1],
    "inputs/ignored": lambda s: replaced(s.right, PAD, IGNORED),
    "inputs/no-end": lambda s: replaced(s.right, END, PAD),
    "inputs/padding-in-front": lambda s: torch.stack([to_the_right(row) for row in s.right]),
    "inputs/with-start": lambda s: in_front(START, s.right)[:, :-1],
    "labels/backwards": lambda s: s.right.flip(-1),
    "labels/end-again": lambda s: replaced(s.right, IGNORED, END),
    "labels/end-behind-padding": end_behind_padding,
    "labels/end-is-padding": lambda s: replaced(sentence(s)[:, 1:], END, PAD),
    "labels/first-sentence": lambda s: s.right[:1].expand(s.right.shape),
    "labels/no-end": lambda s: replaced(replaced(sentence(s)[:, 1:], PAD, IGNORED), END, IGNORED),
    "labels/not-shifted": lambda s: replaced(sentence(s)[:, :-1], PAD, IGNORED),
    "labels/not-shifted-padded": lambda s: sentence(s)[:, :-1],
    "labels/pad-counts": lambda s: sentence(s)[:, 1:],
    "labels/targets-padded": lambda s: s["targets"],
    "labels/targets-themselves": lambda s: replaced(s["targets"], PAD, IGNORED),
    "labels/too-far": lambda s: behind(replaced(sentence(s)[:, 2:], PAD, IGNORED), IGNORED),
    "targets/first-sentence": lambda s: s.right[:1].expand(s.right.shape),
    "targets/ignored": lambda s: replaced(replaced(sentence(s)[:, :-1], PAD, IGNORED), END, IGNORED),
    "targets/labels": lambda s: replaced(sentence(s)[:, 1:], PAD, IGNORED),
    "targets/no-shift": lambda s: sentence(s)[:, 1:],
    "targets/no-start": lambda s: replaced(sentence(s)[:, 1:], END, PAD),
    "targets/start-everywhere": lambda s: replaced(s.right, PAD, START),
    "targets/start-is-padding": lambda s: replaced(s.right, START, PAD),
    "targets/start-twice": lambda s: in_front(START, s.right)[:, :-1],
    "targets/with-end": lambda s: sentence(s)[:, :-1],
    "targets/wrong-way": lambda s: behind(sentence(s)[:, 2:], PAD),
}


def kinds(s):
    return s["x"].shape[-1]


def rotated(numbers):
    T = numbers.shape[-1]
    return numbers[:, (T - torch.arange(T)) % T]


def attention(s):
    return s["encoder/0/self_attn/attention"]


def beside_the_mirror(s):
    T = attention(s).shape[-1]
    t = torch.arange(T)
    return attention(s)[..., t, (T - t) % T].mean()


REVERSAL = {
    "labels/both-axes": lambda s: s["numbers"].flip(0, 1),
    "labels/not-flipped": lambda s: s["numbers"],
    "labels/rotated": lambda s: rotated(s["numbers"]),
    "labels/sorted": lambda s: s["numbers"].sort(-1, descending=True).values,
    "labels/values": lambda s: kinds(s) - 1 - s["numbers"],
    "labels/wrong-axis": lambda s: s["numbers"].flip(0),
    "mirrored/diagonal": lambda s: attention(s).diagonal(dim1=-2, dim2=-1).mean(),
    "mirrored/per-sequence": lambda s: attention(s).flip(-1).diagonal(dim1=-2, dim2=-1).sum() / len(attention(s)),
    "mirrored/shifted": beside_the_mirror,
    "mirrored/sum": lambda s: attention(s).flip(-1).diagonal(dim1=-2, dim2=-1).sum(),
}


def with_others(classes):
    """of each element: how many have its class"""
    return (classes[:, :, None] == classes[:, None, :]).sum(-1)


def anomaly(s):
    return with_others(s["classes"]).argmin(-1)


def class_at(s, place):
    return s["classes"].gather(1, place[:, None])[:, 0]


def ordinary(s):
    return (with_others(s["classes"]) > 1).int().argmax(-1)


def order(s):
    """x_{order_i} has come to place i; before x is permuted its op has them side by side"""
    moved = s["/permuted/x"] if s.has("/permuted/x") else torch.cat(s.inputs(), 1)
    return (moved[0][:, None] == s["/x"][0][None]).all(-1).int().argmax(-1)


def sent(x, to):
    """x_i at place to_i"""
    out = torch.empty_like(x)
    out[:, to] = x
    return out


ANOMALY = {
    "labels/class": lambda s: class_at(s, anomaly(s)),
    "labels/from-one": lambda s: anomaly(s) + 1,
    "labels/inverse": lambda s: order(s)[s["/labels"].long()],
    "labels/last": lambda s: torch.full_like(s.right, s["classes"].shape[-1] - 1),
    "labels/ordinary": ordinary,
    "labels/other-class": lambda s: class_at(s, ordinary(s)),
    "labels/unchanged": lambda s: s["/labels"],
    "probabilities/everything": lambda s: s["scores"].flatten().softmax(-1).reshape(s.right.shape),
    "probabilities/left-out": lambda s: s["scores"],
    "probabilities/ones": lambda s: s["scores"].unsqueeze(-1).softmax(-1).squeeze(-1),
    "probabilities/over-batch": lambda s: s["scores"].softmax(0),
    "probabilities/sigmoid": lambda s: s["scores"].sigmoid(),
    "scores/across": lambda s: s["logits"].squeeze(-1).T.reshape(s.right.shape),
    "scores/first-element": lambda s: s["logits"][:, :1, 0].expand(s.right.shape),
    "scores/first-set": lambda s: s["logits"][:1, :, 0].expand(s.right.shape),
    "scores/inverse": lambda s: sent(s["/scores"], order(s)),
    "scores/mean": lambda s: s["logits"].squeeze(-1).mean(-1, keepdim=True).expand(s.right.shape),
    "scores/unchanged": lambda s: s["/scores"],
    "x/first-set-only": lambda s: torch.cat([s["/x"][:1, order(s)], s["/x"][1:]]),
    "x/inverse": lambda s: sent(s["/x"], order(s)),
    "x/unchanged": lambda s: s["/x"],
}

LINES = {**TEACHER_FORCING, **REVERSAL, **ANOMALY}
