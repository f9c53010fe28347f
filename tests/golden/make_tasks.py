"""Writes tasks.npz beside this file: what real NumPy draws where the tutorials' data sets use it, for tests/tasks. Run with a
Python that has numpy; 1.24 and 2.4 give the same.

reversal/C/T/seed          (4, T)       the first rows of default_rng(seed).integers(C, size=(50, T))
choice/n/k                 (3, k)       three calls in a row of choice(n, k, replace=False), then one integers(1000)
seeds/...                  (8,)         default_rng([...]).integers(1000, size=8)
anomaly/labels             (60,)        classes in a mixed order
anomaly/fixed/seed         (60, 9)      the rows that stand beside each anomaly, drawn as the tutorial draws its test sets
anomaly/fresh/epoch        (60, 9)      the same, each set from default_rng([42, epoch, row])
"""
import pathlib

import numpy as np


def reversal(out):
    for categories, length, seed in [(10, 16, 42), (10, 16, 43), (2, 5, 0), (256, 3, 1), (7, 33, 2**32 + 7)]:
        rows = np.random.default_rng(seed).integers(categories, size=(50, length))
        out[f"reversal/{categories}/{length}/{seed}"] = rows[:4]


def choices(out):
    for n, k in [(450, 9), (9, 9), (1, 1), (50, 1), (10000, 30), (10001, 200), (20000, 9), (20000, 500)]:
        rng = np.random.default_rng(7)
        out[f"choice/{n}/{k}"] = np.stack([rng.choice(n, size=k, replace=False) for _ in range(3)])
        out[f"choice/{n}/{k}/then"] = rng.integers(1000)


def lists_of_seeds(out):
    for seeds in [[0], [42, 0], [42, 3, 17], [2**32 + 7, 1, 2], [1, 2, 3, 4, 5, 2**40], [2**64 - 1, 2**64 - 1, 0]]:
        out["seeds/" + ",".join(map(str, seeds))] = np.random.default_rng(seeds).integers(1000, size=8)


def a_set(rng, rows_of_class, anomaly):
    """The rows of an anomaly's set: first another class, then some of its rows."""
    classes, size = rows_of_class.shape
    other = rng.integers(classes - 1)
    other += other >= anomaly
    return rows_of_class[other, rng.choice(size, size=9, replace=False)]


def anomalies(out):
    classes, size = 5, 12
    labels = np.random.default_rng(3).permutation(np.repeat(np.arange(classes), size))
    rows_of_class = np.argsort(labels, kind="stable").reshape(classes, size)
    out["anomaly/labels"] = labels
    for seed in (43, 123):
        rng = np.random.default_rng(seed)
        out[f"anomaly/fixed/{seed}"] = np.stack([a_set(rng, rows_of_class, label) for label in labels])
    for epoch in (0, 1):
        rngs = [np.random.default_rng([42, epoch, row]) for row in range(len(labels))]
        out[f"anomaly/fresh/{epoch}"] = np.stack([a_set(rng, rows_of_class, c) for rng, c in zip(rngs, labels)])


if __name__ == "__main__":
    arrays = {}
    for make in (reversal, choices, lists_of_seeds, anomalies):
        make(arrays)
    np.savez_compressed(pathlib.Path(__file__).with_name("tasks.npz"),
                        **{key: np.asarray(value, np.int32) for key, value in arrays.items()})
