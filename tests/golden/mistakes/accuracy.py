"""The share of right answers."""
import torch

# Labels of the specimens, −1 where there is none: the first has 6, the other 4.
LABELS = torch.tensor([[0, 1, 0, -1], [0, 1, -1, 0]])
UNEQUAL = torch.tensor([[0, 0, 0, -1], [0, -1, -1, -1]])


def accuracy(line):
    """Of what is right and of what has a label, sequence by sequence."""
    def value(s):
        counted = (LABELS if s.input(1) == 6 else UNEQUAL) >= 0
        return line(s["right"], counted.double())
    return value


def answers(line):
    return lambda s: line(s.input(0))


def last_of_ties(logits):
    C = logits.shape[-1]
    return C - 1 - logits.flip(-1).argmax(-1)  # the first one from behind


LINES = {
    "answers/backwards": answers(lambda logits: logits.argmax(-1).flip(-1)),
    "answers/from-one": answers(lambda logits: logits.argmax(-1) + 1),
    "answers/input": lambda s: s["numbers"],
    "answers/labels": lambda s: s["labels"],
    "answers/largest": answers(lambda logits: logits.amax(-1)),
    "answers/last-of-ties": answers(last_of_ties),
    "answers/smallest": answers(lambda logits: logits.argmin(-1)),
    "accuracy/against-input": lambda s: (s["answers"] == s["numbers"]).double().mean(),
    "accuracy/all-places": accuracy(lambda right, counted: right.mean()),
    "accuracy/count": accuracy(lambda right, counted: right.sum()),
    "accuracy/integer-division": accuracy(lambda right, counted: right.sum() // counted.sum()),
    "accuracy/mean-of-means": accuracy(lambda right, counted: (right.sum(-1) / counted.sum(-1)).mean()),
    "accuracy/padding-right": accuracy(lambda right, counted: (right.sum() + (1 - counted).sum()) / right.numel()),
    "accuracy/per-sequence": accuracy(lambda right, counted: right.sum() / len(right)),
    "accuracy/percent": accuracy(lambda right, counted: 100 * right.sum() / counted.sum()),
    "accuracy/sequences": accuracy(lambda right, counted: (right.sum(-1) == counted.sum(-1)).double().mean()),
    "accuracy/wrong": accuracy(lambda right, counted: 1 - right.sum() / counted.sum()),
}
