"""Padding in the sentences of a whole Transformer: which word it is, as the model says it, and sentences that have some."""
import copy
import inspect
import re
import sys

import numpy as np

from . import padding_masks
from .judging import in_a_sentence
from .layouts import classes_of, text_of
from .probing import value_of
from .signature import PADDINGS, plain
from .translation import SOURCE, TARGET, block_inside

SIDES = {"source": "--lengths", "target": "--target-lengths"}
OF_SIDE = re.compile(rf"^_*(?:{SOURCE}|{TARGET}|encoder|decoder)_(?=pad)")
OF_TARGET = re.compile(rf"_*(?:{TARGET})", re.IGNORECASE)
COMPARED = r"\b(?:src|source|enc|inputs?|x)\w*\s*(?:[!=]=\s*|\.(?:eq|ne)\(\s*)(\d+|\w*PAD\w*)\b"
SETTINGS = ("config", "cfg", "args", "hparams")
LIKELY = (0, 1)  # where nothing says it
SAID = "its padding is the word {}"
UNSEEN = "right where the source has no padding; with padding, the word {}:"
SEEN = "the padding of the source, the word {}, is hidden nowhere: every other word takes from it"
NOT_TESTED = "padding was not tested: nothing says which word it is"
IS_GIVEN = "padding was not tested: the masks are given to it"
GIVEN = "its padding is tested with a mask as its caller gives it: {}"


def said_by(model):
    """{"source": id, "target": id} of the words that are padding, as attributes, defaults, or its own lines say it."""
    found = {}
    for name, value in [*attributes_of(model), *((name, each.default) for name, each in defaults_of(model).items())]:
        if is_padding(name) and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            found.setdefault("target" if OF_TARGET.match(name) else "source", value)
    if "source" not in found:
        ids = compared_in(model)
        found.update({"source": ids.pop()} if len(ids) == 1 else {"source": found["target"]} if "target" in found else {})
    return found


def is_padding(name):
    """Whether it is called as the word that is padding is, perhaps of one side."""
    return plain(OF_SIDE.sub("", name.lower())) in PADDINGS["pad"]


def attributes_of(model):
    """(name, value) of a module, its parts and its settings."""
    for part in model.modules() if hasattr(model, "modules") else [model]:
        own = getattr(part, "__dict__", {})
        yield from own.items()
        for name in SETTINGS:
            yield from (own[name] if isinstance(own.get(name), dict) else getattr(own.get(name), "__dict__", {})).items()


def compared_in(model):
    """The numbers that its own lines compare the source with, as they are or by a name of the file's."""
    found = set()
    for kind in classes_of(model):
        names = getattr(kind, "__globals__", None) or vars(sys.modules.get(kind.__module__, object))
        values = (names.get(each, each) for each in re.findall(COMPARED, text_of(kind)))
        found |= {int(each) for each in values if str(each).isdigit()}
    return found


def defaults_of(model):
    """The parameters of its call."""
    try:
        return inspect.signature(getattr(model, "forward", model)).parameters
    except (TypeError, ValueError):
        return {}


def takes_masks(model):
    """Whether a mask of the source may be given to it beside its sentences."""
    others = [name.lower() for name in list(defaults_of(model))[2:] if not is_padding(name)]
    return any(re.search("mask|pad|valid|len(?:s|gths)", name) and not re.fullmatch(rf"_*(?:{TARGET})_?mask", name) for name in others)


def other_words(ids, padding):
    """Words of which none is padding: others of the same sentences in its place."""
    left = [each for each in np.unique(ids) if each not in padding]
    return np.where(np.isin(ids, list(padding)), left[-1], ids) if left else ids


def padded(case, lengths, padding, is_seen):
    """The case with padding behind each source, of which the command is told unless it is seen; None where the word is none of
    the model's."""
    table = case.weights.get("source_embedding.weight")
    if lengths is None or (table is not None and padding["source"] >= len(table)):
        return None
    source = case.inputs["source"]
    is_there = np.arange(source.shape[-1]) < lengths[:, None]
    words = case.words if is_seen else [*case.words, "--lengths=" + ",".join(map(str, lengths))]
    return case.changed(inputs={**case.inputs, "source": np.where(is_there, source, padding["source"])}, words=words)


def with_own_padding(case, padding):
    """The caller's own sentences, of which the last words are padding: the command is told their lengths."""
    words = list(case.words)
    for name, flag in SIDES.items():
        ids, word = case.inputs.get(name), padding.get(name, padding.get("source"))
        if word is None or ids is None or np.ndim(ids) != 2 or value_of(words, flag) is not None:
            continue
        lengths = [len(row) - int(np.argmax(np.append(row[::-1] != word, True))) for row in np.asarray(ids)]
        if 0 < min(lengths) < np.shape(ids)[-1]:
            words.append(f"{flag}={','.join(map(str, lengths))}")
    return case.changed(words=words)


def checked(check, prepared):
    """The result of a check: with padding as the model says which word that is, or as its numbers show it, and without; at last
    by what its parts give."""
    check.has_told_by_steps = True
    result = checked_as_a_whole(check, prepared)
    if result or result.is_named or "error" in result.as_json or prepared is None:
        return result
    plain = with_words(check, said_by(check.original), False)
    plain.has_told_by_steps = False
    by_steps = plain.in_meanings(prepared)
    return by_steps if by_steps.is_named else result


def checked_as_a_whole(check, prepared):
    """The same from its result alone."""
    said, is_given = said_by(check.original), takes_masks(check.original)
    plain = with_words(check, said, False)
    if {"lengths", "mask"} & check.given:
        return plain.in_meanings(prepared)
    if "source" in said and not is_given:
        return strictly(check, prepared, said, plain)
    result = plain.in_meanings(prepared)
    if not result and not check.asked.inputs:
        return result
    for padding in [said] if "source" in said else [{"source": word} for word in LIKELY]:
        if with_words(check, padding).is_near(prepared):
            return with_remark(with_words(check, padding).in_meanings(prepared), SAID.format(padding["source"]))
    given = with_given_mask(check, prepared, said) if is_given and not check.asked.inputs else None
    if given is not None and (given or given.is_named):
        return given
    result.remarks += [] if check.asked.inputs else [IS_GIVEN if is_given else NOT_TESTED]
    return result


def with_given_mask(check, prepared, said):
    """The result with padding in the source, and the mask of it that a caller would give; None where no usual form does anything."""
    word, module = said.get("source", LIKELY[0]), getattr(prepared, "module", None)
    if not hasattr(module, "modules"):
        return None
    words_of = getattr(prepared.function.function, "words_of", lambda source, target: {})
    found = padding_masks.given_to(module, words_of, block_inside(module) is not None, word)
    if found is None:
        return None
    call, hides = found
    other = copy.copy(prepared)
    other.function = prepared.function.around(call)
    result = with_words(check, {**said, "source": word}).in_meanings(other)
    if not result and hides and not result.is_named:  # the numbers of its padding may be free
        return None
    with_remark(result, GIVEN.format(call.said()))
    return result if result else with_remark(result, UNSEEN.format(word))


def strictly(check, prepared, said, plain):
    """Of a model that says its padding, and that nobody else can hide it for."""
    result = with_words(check, said).in_meanings(prepared)
    if not result and check.asked.inputs:  # what is made of the target's padding is nobody's word
        other = with_words(check, {**said, "target": None})
        result = other.in_meanings(prepared) if other.is_near(prepared) else result
    if not result and plain.is_near(prepared):
        is_seen = not result.is_named and with_words(check, said, "seen").is_near(prepared)
        return in_a_sentence(result.case, SEEN.format(said["source"])) if is_seen else with_remark(result, UNSEEN.format(said["source"]))
    result = with_remark(result, SAID.format(said["source"]))
    return result if result or (result.is_named and result.size() <= 1) else min(
        result, plain.in_meanings(prepared), key=lambda each: (not each.is_named, each.size()))


def with_remark(result, line):
    result.remarks.insert(0, line)
    return result


def with_words(check, padding, has_padding=True):
    """The same check, of sentences with this padding, or without any; "seen": with padding, as of other words."""
    other = check.with_options({}, [])
    other.padding, other.has_padding, other.remarks = padding, has_padding, []
    return other
