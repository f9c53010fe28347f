"""How a loss is given its labels: whole numbers, flat or by sequences, or one-hot; padding only where it is told."""
import inspect
import numbers
import re

import numpy as np

from .errors import Error
from .probing import MASKING, without
from .signature import PADDINGS as NAMES
from .signature import plain

IGNORING = {name for option, names in NAMES.items() for name in (option, *names)}
IGNORED = -1  # of a label that does not count
PADDINGS = (IGNORED, -100, 0)  # those that a function may have in its own lines; 0 is also a class


LAYERS = ("loss", "perplexity")


def ignored_in(keywords):
    """The label of what does not count, as the caller says it by any of its names; it is no option of the command."""
    name = next((name for name in keywords if plain(name) in IGNORING), None)
    if name is None:
        return None
    value = keywords.pop(name)
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise Error(f"check: {name}: expected the label of what does not count, a whole number such as -100, got {value!r}")
    return int(value)


def paddings_of(plan):
    """The ways in which a function is told that some labels do not count."""
    told = [option for options in plan.numbers.values() for option in options if option in ("ignored", "pad")]
    return told + ["mask"] * plan.takes_mask + ["lengths"] * plan.takes_lengths


def whole(case, plan, keeps_padding):
    """The case with labels that are whole numbers: of a function that is told of no padding, a class each, unless the
    caller asks for padding."""
    labels = np.asarray(case.inputs["labels"])
    labels = labels.astype(np.int64) if np.array_equal(labels, np.round(labels)) else labels
    if not paddings_of(plan) and not keeps_padding:
        classes = case.inputs["logits"].shape[-1]
        labels = np.where(labels < 0, np.arange(labels.size).reshape(labels.shape) % classes, labels)
    if plan.padding == 0:
        labels = np.where(labels == 0, 1, labels)
    # The labels say themselves what does not count.
    words = case.words if plan.takes_lengths else without(case.words, MASKING)
    return case.changed(inputs={**case.inputs, "labels": labels}, words=words)


def number_of_padding(case, plan):
    """What a function finds where a label does not count: a class that no label has, unless it is told to ignore it."""
    padding, labels = paddings_of(plan), case.inputs["labels"]
    if plan.padding is not None:
        return plan.padding
    if not padding or padding[0] == "ignored":
        return IGNORED
    return next((each for each in range(case.inputs["logits"].shape[-1]) if each not in labels), 0)


def forms(case, plan):
    """(case, {name: array} as a function may be shown them), from the most usual one on."""
    number, classes = number_of_padding(case, plan), case.inputs["logits"].shape[-1]
    is_flat = case.inputs["labels"].ndim > 1 and not plan.takes_lengths
    for one_hot in ([False] if np.any(case.inputs["labels"] < 0) else [False, True]):
        for rows in ([True, False] if is_flat else [False]):
            logits, labels = case.inputs["logits"], case.inputs["labels"]
            if rows:
                logits, labels = logits.reshape(-1, classes), labels.reshape(-1)
            told = np.where(labels < 0, number, labels)
            shown = np.eye(classes, dtype=logits.dtype)[told] if one_hot else told
            yield (case.changed(inputs={"logits": logits, "labels": labels}),
                   {"logits": logits, "labels": shown, "mask": labels >= 0})


OF_PADDING = re.compile(r"ignor|pad|mask|valid|where|nonzero|[=!<>]=\s*-\s*1\b|-\s*100\b|[!<>]=?\s*0\b|!=|\.clip|clamp|maximum")


def speaks_of_padding(function):
    """Whether a loss may know of padding, by its own lines: a row of zeros for the label −100, as one-hot vectors have it, says nothing
    of it. What cannot be read may."""
    try:
        text = inspect.getsource(inspect.unwrap(function))
    except (OSError, TypeError):
        return True
    return OF_PADDING.search(text) is not None


# What is right for rows, (N, C), and wrong for sequences; no function of rows alone gives these numbers by chance.
OF_SEQUENCES = {"perplexity/mean-of-sequences", "loss/mean-of-means"}
BY_SEQUENCES = "right for rows of logits, (N, C), but not for sequences of them, (B, T, C):"


def of_sequences(case, plan):
    """The forms that have an axis for the sequences."""
    return [each for each in forms(case, plan) if each[0].inputs["labels"].ndim > 1]


OVER_ALL = "the losses of padding are in the sum, and only the labels that count are in the number that it is divided by"


def sums_padding(call, steps, right_of):
    """Whether a loss is that of all labels, as the function sees them, divided by the number of those that count."""
    own, told = call.case.inputs["labels"], call.shown["labels"]
    loss = steps.get("", steps.get("loss"))
    count = np.count_nonzero(own >= 0)
    if own.shape != told.shape or not 0 < count < own.size or loss is None or loss.size != 1 or np.any(told < 0):
        return False
    mean = right_of(call.case.changed(inputs={**call.case.inputs, "labels": told})).get("loss")
    return mean is not None and bool(np.allclose(loss, mean * own.size / count, rtol=1e-5))


SHIFTED_BACK = "shifted the wrong way: each row of logits is compared with the token before it, and not with the next one"


def shifts_back(call, steps, right_of):
    """Whether a loss is that of each row and the token before it, of the tokens that the function sees."""
    tokens, loss = call.shown["labels"], steps.get("", steps.get("loss"))
    logits = call.shown["logits"]
    if tokens.shape != logits.shape[:-1] or loss is None or loss.size != 1:
        return False
    before = np.concatenate([np.full_like(tokens[..., :1], IGNORED), np.where(call.shown["mask"], tokens, IGNORED)[..., :-1]], axis=-1)
    back = right_of(call.case.changed(inputs={**call.case.inputs, "logits": logits, "labels": before})).get("loss")
    return back is not None and bool(np.allclose(loss, back, rtol=1e-5))


SHIFTS = "taken as a loss that shifts by itself: given the sequence's own tokens as labels"


def unshifted(case, plan):
    """(case, {name: array}, what is said of it) for a loss that compares each row with the next token: it is given the
    tokens, whose first is nobody's label, and the last row has no label."""
    number, classes = number_of_padding(case, plan), case.inputs["logits"].shape[-1]
    logits, labels = case.inputs["logits"], case.inputs["labels"]
    forms_of = [(logits, labels), (logits.reshape(-1, classes), labels.reshape(-1))]
    for rows, own in forms_of if labels.ndim > 1 and not plan.takes_lengths else ():
        first = (np.maximum(own[..., :1], 0) + 1) % classes
        after = np.concatenate([own[..., :-1], np.full_like(first, IGNORED)], axis=-1)
        tokens = np.concatenate([first, own[..., :-1]], axis=-1)
        shown = {"logits": rows, "labels": np.where(tokens < 0, number, tokens), "mask": tokens >= 0}
        yield case.changed(inputs={"logits": rows, "labels": after}), shown, SHIFTS
