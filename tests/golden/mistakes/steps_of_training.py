"""Dropout, accumulated gradients, and what a language model and a translation are judged by."""
import math
from collections import Counter

import torch


def kept(s):
    return s["kept"]


def p(s):
    return 1 - s.input(1)


DROPOUT = {
    "by-share": lambda s: s["x"] * kept(s) / kept(s).mean(),
    "divided-by-p": lambda s: s["x"] * kept(s) / p(s),
    "dropped-not": lambda s: s["x"] / (1 - p(s)),
    "first-row": lambda s: s["x"] * kept(s)[..., :1, :] / (1 - p(s)),
    "in-evaluation": lambda s: s["x"] * (1 - p(s)),
    "inverted": lambda s: s["x"] * (1 - kept(s)) / (1 - p(s)),
    "left-out": lambda s: s["x"],
    "one-more": lambda s: s["x"] * kept(s) * (1 + p(s)),
    "root": lambda s: s["x"] * kept(s) / (1 - p(s))**0.5,
    "mask": lambda s: kept(s) / (1 - p(s)),
    "multiplied": lambda s: s["x"] * kept(s) * (1 - p(s)),
    "not-scaled": lambda s: s["x"] * kept(s),
}


def losses(s):
    """of the rows that count"""
    counts = s["labels"] >= 0
    return torch.nn.functional.cross_entropy(s["logits"][counts], s["labels"][counts].long(), reduction="none")


PERPLEXITY = {
    "all-rows": lambda s: torch.exp(losses(s).sum() / s["labels"].numel()),
    "base-2": lambda s: 2 ** losses(s).mean(),
    "bits": lambda s: losses(s).mean() / math.log(2),
    "by-classes": lambda s: torch.exp(losses(s).mean() / s["logits"].shape[-1]),
    "left-out": lambda s: losses(s).mean(),
    "mean-of-sequences": lambda s: torch.stack([torch.nn.functional.cross_entropy(logits, labels.long(), ignore_index=-1).exp()
                                                for logits, labels in zip(s["logits"], s["labels"])]).mean(),
    "mean-of-exp": lambda s: losses(s).exp().mean(),
    "negated": lambda s: torch.exp(-losses(s).mean()),
    "of-sum": lambda s: losses(s).sum().exp(),
    "root-of-sum": lambda s: 1 / torch.exp(-losses(s)).mean(),
}


def all_of(s):
    return s["gradients"].unbind(0)


def running(gradients):
    mean = gradients[0]
    for each in gradients[1:]:
        mean = (mean + each) / 2
    return mean


ACCUMULATED = {
    "divided-twice": lambda s: sum(all_of(s)) / len(all_of(s))**2,
    "first": lambda s: all_of(s)[0],
    "halved": lambda s: running(all_of(s)),
    "last": lambda s: all_of(s)[-1],
    "last-divided": lambda s: all_of(s)[-1] / len(all_of(s)),
    "left-averaged": lambda s: (s["left"] + sum(all_of(s))) / len(all_of(s)),
    "left-counted": lambda s: torch.stack([s["left"], *all_of(s)]).mean(0),
    "negated": lambda s: -s["gradients"].mean(0),
    "not-cleared": lambda s: s["left"] + s["gradients"].mean(0),
    "not-cleared-nor-divided": lambda s: s["left"] + sum(all_of(s)),
    "not-divided": lambda s: sum(all_of(s)),
    "one-less": lambda s: sum(all_of(s)) / (len(all_of(s)) - 1),
}


def words(s, name):
    return s[name].tolist()


def ngrams(s, name, n):
    all_words = words(s, name)
    return [tuple(all_words[i:i + n]) for i in range(len(all_words) + 1 - n)]


def counted(of):
    """of(n-grams written, n-grams of the reference), each a Counter, for 1 to 4"""
    return lambda s: torch.tensor([float(of(Counter(ngrams(s, "translation", n)), Counter(ngrams(s, "reference", n))))
                                   for n in range(1, 5)])


def at_same_place(s):
    return torch.tensor([float(sum(a == b for a, b in zip(ngrams(s, "translation", n), ngrams(s, "reference", n))))
                         for n in range(1, 5)])


MATCHES = {
    "at-same-place": at_same_place,
    "distinct": counted(lambda written, expected: len(set(written) & set(expected))),
    "not-clipped": counted(lambda written, expected: sum(times for each, times in written.items() if each in expected)),
    "larger": counted(lambda written, expected: sum(max(times, expected[each]) for each, times in written.items())),
    "of-reference": counted(lambda written, expected: sum(times for each, times in expected.items() if each in written)),
}
NGRAMS = {
    "distinct": counted(lambda written, expected: len(written)),
    "length": lambda s: torch.full((4,), float(len(words(s, "translation")))),
    "of-reference": counted(lambda written, expected: sum(expected.values())),
    "one-less": lambda s: torch.tensor([float(len(words(s, "translation")) - n) for n in range(1, 5)]),
}
PRECISIONS = {
    "smoothed": lambda s: (s["matches"] + 1) / (s["ngrams"] + 1),
    "smoothed-above-1": lambda s: torch.cat([s["matches"][:1] / s["ngrams"][:1], (s["matches"][1:] + 1) / (s["ngrams"][1:] + 1)]),
    "upside-down": lambda s: s["ngrams"] / s["matches"],
}


def brevity(of):
    """of(length of the reference / length)"""
    return lambda s: torch.tensor(of(len(words(s, "reference")) / len(words(s, "translation"))))


BREVITY = {
    "left-out": brevity(lambda ratio: 1.0),
    "larger": brevity(lambda ratio: max(1.0, math.exp(1 - ratio))),
    "no-exp": brevity(lambda ratio: min(1.0, 1 - ratio)),
    "short-rewarded": brevity(lambda ratio: 1.0 if ratio <= 1 else math.exp(1 - 1 / ratio)),
    "sign": brevity(lambda ratio: min(1.0, math.exp(ratio - 1))),
    "no-one": brevity(lambda ratio: math.exp(-ratio)),
    "not-limited": brevity(lambda ratio: math.exp(1 - ratio)),
    "ratio": brevity(lambda ratio: min(1.0, 1 / ratio)),
    "upside-down-not-limited": brevity(lambda ratio: math.exp(1 - 1 / ratio)),
    "upside-down": brevity(lambda ratio: math.exp(min(0.0, 1 - 1 / ratio))),
}
BLEU = {
    "arithmetic-mean": lambda s: s["brevity"] * s["precisions"].mean(),
    "halved-weights": lambda s: s["brevity"] * math.prod(float(p)**0.5**n for n, p in enumerate(s["precisions"], 1)),
    "fours-alone": lambda s: s["brevity"] * s["precisions"][3],
    "logarithm": lambda s: torch.log(s["brevity"] * s["precisions"].prod()**0.25),
    "no-penalty": lambda s: s["precisions"].prod()**0.25,
    "no-root": lambda s: s["brevity"] * s["precisions"].prod(),
    "pooled": lambda s: s["brevity"] * s["matches"].sum() / s["ngrams"].sum(),
    "three-of-four": lambda s: s["brevity"] * s["precisions"][:3].prod()**0.25,
    "up-to-three": lambda s: s["brevity"] * s["precisions"][:3].prod()**(1 / 3),
    "up-to-two": lambda s: s["brevity"] * s["precisions"][:2].prod().sqrt(),
    "without-brevity-in-root": lambda s: (s["brevity"] * s["precisions"].prod())**0.25,
    "without-exp": lambda s: s["brevity"] * s["precisions"].log().mean(),
    "words-alone": lambda s: s["brevity"] * s["precisions"][0],
}

STEPS = {"dropout": DROPOUT, "perplexity": PERPLEXITY, "accumulated": ACCUMULATED, "matches": MATCHES, "ngrams": NGRAMS,
         "precisions": PRECISIONS, "brevity": BREVITY, "bleu": BLEU}
LINES = {f"{step}/{name}": line for step, of_step in STEPS.items() for name, line in of_step.items()}
