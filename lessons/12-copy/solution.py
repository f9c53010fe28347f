"""Lesson 12: the reference solution."""
import numpy as np

from lesson import end, ignored, pad, softmax, start, transformer_logits


def make_batch(answers, lengths, steps):
    B, L = answers.shape
    steps.target = np.hstack([np.full((B, 1), start), answers])
    steps.labels = np.hstack([answers, np.full((B, 1), pad)])
    steps.labels[np.arange(B), lengths] = end
    steps.labels[np.arange(L + 1) > lengths[:, None]] = ignored


def measure(source, w, steps):
    steps.logits = transformer_logits(source, steps.target, w)

    counts = steps.labels != ignored
    labels = np.where(counts, steps.labels, 0)
    probabilities = np.take_along_axis(softmax(steps.logits), labels[..., None], axis=-1)[..., 0]
    steps.losses = np.where(counts, -np.log(probabilities), 0)

    steps.loss = steps.losses.sum() / counts.sum()
    correct = steps.logits.argmax(axis=-1) == steps.labels
    steps.accuracy = correct.sum() / counts.sum()


def decode(source, w, longest, steps):
    B = len(source)
    steps.written = np.full((B, longest), pad)
    steps.certainty = np.zeros((B, longest))
    for b in range(B):  # one by one: each stops at its own end
        for n in range(longest):
            so_far = np.concatenate([[start], steps.written[b, :n]])
            probabilities = softmax(transformer_logits(source[b], so_far, w))[-1]
            steps.written[b, n] = probabilities.argmax()
            steps.certainty[b, n] = probabilities.max()
            if steps.written[b, n] == end:
                break
