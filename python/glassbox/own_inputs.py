"""A caller's own inputs in the form that a layer's command takes: sentences as ids, a mask of padding as lengths."""
import numpy as np

from .errors import Error
from .options import OF_FEW, options_of_layer
from .probing import probe_of

SENTENCES = ("translation", "reference")


def suit(asked, layer, is_of_function=False):
    """Changes what a caller asked for; refuses an input that another layer has."""
    if layer == "decode" and "prompt" in asked.inputs and "table" not in asked.inputs:  # a table is drawn: tokens in a row
        asked.options["prompt"] = asked.inputs.pop("prompt").ravel().astype(int).tolist()
    for name in [each for each in asked.inputs if each in OF_FEW]:
        known = list(probe_of(layer, ()).inputs)
        if name not in known:
            what = f"; its inputs are {', '.join(known)}" if known else ""
            table = ", and its table is weights={\"weight\": table}" if layer == "embedding" else ""
            raise Error(f"{name}: the layer {layer} has no input of this name{what}{table}")
    if layer == "bleu" and is_of_function and set(SENTENCES) & set(asked.options):
        with_ids(asked)
    if layer == "pooling" and asked.mask is not None:
        asked.options["lengths"], asked.mask = lengths_of(asked.mask), None
    if layer == "mask" and isinstance(asked.options.get("lengths"), (list, tuple, np.ndarray)):
        asked.options.setdefault("batch", len(asked.options["lengths"]))


def with_ids(asked):
    """Words as numbers, the same for both sentences: so a function takes them."""
    defaults, known = options_of_layer("bleu"), {}
    for name in SENTENCES:
        if name in asked.inputs:
            raise Error("translation and reference: expected words in both, or numbers in both")
        words = asked.options.pop(name, defaults[name])
        words = words.split() if isinstance(words, str) else words
        asked.inputs[name] = np.array([known.setdefault(word, len(known)) for word in words])


def lengths_of(mask):
    """How many elements of each row are real, by a mask (batch, T) of 1, and 0 behind them."""
    rows = np.atleast_2d(mask != 0)
    rows = rows.reshape(-1, rows.shape[-1])
    lengths = rows.sum(-1)
    if not np.array_equal(rows, np.arange(rows.shape[-1]) < lengths[:, None]):
        raise Error("mask: expected 1 for each real element and then 0 for padding, in every row; lengths=… says the same")
    return lengths.tolist()
