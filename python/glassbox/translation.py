"""A whole Transformer from words to words, layer transformer, as PyTorch's users write it: its parts within others, embeddings by
any names, and masks that its caller has to give."""
import contextlib
import inspect
import itertools
import re
import sys

import numpy as np

from .activations import COMMANDS, of_callable
from .module_names import canonical
from .names import NORM, split

SOURCE, TARGET = r"src|source|enc|input", r"tgt|trg|target|dec|output"
BLOCKS = r"s?(?:_?(?:layers?|blocks?|stack))?\d*"
SIDES = {"encoder": rf"(?:\w*_)?enc(?:oder)?{BLOCKS}", "decoder": rf"(?:\w*_)?dec(?:oder)?{BLOCKS}"}
EMBEDDINGS = {"source": "source_embedding.weight", "target": "target_embedding.weight"}
MASKS_GIVEN = "its masks are given to it: that of the target hides later words"


def is_embedding(part):
    return isinstance(part, sys.modules["torch"].nn.Embedding)


def parameters_of(module, arrays):
    """{usual name: array} of a whole Transformer; as they are where its parts do not tell."""
    tables = {path: part for path, part in module.named_modules() if is_embedding(part)}
    found = embeddings_of(tables, arrays)
    left = {name: array for name, array in arrays.items() if name.rpartition(".")[0] not in tables}
    for side in SIDES:
        own = {name: array for name, array in left.items() if side_of(name) == side}
        inside = canonical(within(own))
        if not own or not found or any(not re.match(r"layers\.|norm\.", name) for name in inside):
            return arrays
        found.update({f"{side}.{name}": array for name, array in inside.items()})
        left = {name: array for name, array in left.items() if name not in own}
    for side, pattern in SIDES.items():  # the norms behind the last blocks, beside these
        own = [name for name in left if re.fullmatch(rf"(?:{pattern})_?(?:{NORM})|(?:{NORM})_?(?:{pattern})", name.lower().rpartition(".")[0])]
        found.update({f"{side}.norm.{split(name, left[name])[1]}": left.pop(name) for name in own})
    last = last_layer(module, left, tables)
    return arrays if last is None else {**found, **last}


def side_of(name):
    """Whether a parameter is the encoder's or the decoder's, by the first part of its path that says it; "" if none does."""
    for part in name.split(".")[:-1]:
        for side, pattern in SIDES.items():
            if re.fullmatch(pattern, part.lower()):
                return side
    return ""


def within(arrays):
    """The same by their paths inside of the encoder or the decoder."""
    names = {}
    for name in arrays:
        parts = name.split(".")
        place = next(place for place, part in enumerate(parts) if any(re.fullmatch(each, part.lower()) for each in SIDES.values()))
        is_list = parts[place + 1].isdigit()
        names[name] = ".".join(["layers"] * is_list + parts[place + 1:])
    return {names[name]: array for name, array in arrays.items()}


def embeddings_of(tables, arrays):
    """The tables of source and target: by their names, or else in their order; one may be for both. {} where others are there."""
    paths = list(tables)
    if len(paths) == 1:
        return {usual: arrays[f"{paths[0]}.weight"] for usual in EMBEDDINGS.values()}
    if len(paths) != 2:
        return {}
    is_target = [bool(re.search(TARGET, path.lower())) and not re.search(SOURCE, path.lower()) for path in paths]
    source, target = paths[::-1] if is_target == [True, False] else paths
    return {EMBEDDINGS["source"]: arrays[f"{source}.weight"], EMBEDDINGS["target"]: arrays[f"{target}.weight"]}


def last_layer(module, left, tables):
    """The generator: what is left, or a matrix that is the target's table as well. None where more is left, or nothing."""
    if left:
        kinds = {name.rpartition(".")[2]: array for name, array in left.items()}
        is_one = len({name.rpartition(".")[0] for name in left}) == 1 and set(kinds) <= {"weight", "bias"} and kinds["weight"].ndim == 2
        return of_generator(**kinds) if is_one else None
    shared = {id(part.weight): path for path, part in tables.items()}
    own = [part for part in module.modules() if not is_embedding(part) and id(getattr(part, "weight", None)) in shared]
    if not own:  # x @ embedding.weight.T, in its own lines
        return of_generator(list(tables.values())[-1].weight.detach().cpu().numpy()) if len(tables) == 1 else None
    return of_generator(*(each.detach().cpu().numpy() for each in (own[0].weight, own[0].bias) if each is not None)) if own else None


def of_generator(weight, bias=None):
    return {"generator.weight": weight, "generator.bias": np.zeros(len(weight), weight.dtype) if bias is None else bias}


def options_of(module, arrays):
    """The command's options that follow from PyTorch's blocks inside, and from the norms behind the last ones."""
    options = {"final_norm": True} if "encoder.norm.weight" in arrays and "decoder.norm.weight" in arrays else {}
    block = block_inside(module)
    if block is None:
        return options
    activation = of_callable(block.activation)
    return {**options, **({"norm": "pre"} if block.norm_first else {}), **({"activation": activation} if activation in COMMANDS else {})}


def block_inside(module):
    """The first of PyTorch's own blocks in it; None where it has none."""
    kinds = tuple(getattr(sys.modules["torch"].nn, name) for name in ("TransformerEncoderLayer", "TransformerDecoderLayer"))
    return next((part for part in module.modules() if isinstance(part, kinds)), None)


def masks_of(module):
    """(those of later words, those that its caller has to give) of the parameters behind source and target; None where anything else
    has to be given."""
    masks = list(inspect.signature(module.forward).parameters.values())[2:]
    masks = [each for each in masks if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    later = [each.name for each in masks if re.search("mask", each.name) and not re.search("pad|mem", each.name)
             and re.search(rf"{TARGET}|look|causal|future", each.name)]
    needed = [each.name for each in masks if each.default is each.empty]
    return None if any(not re.search("mask|pad", name) for name in needed) else (later, needed)


def takes_masks(module):
    return any(re.search("mask|pad", name) for name in list(inspect.signature(module.forward).parameters)[2:])


def called_with(module, words_of):
    """A function of source and target alone, which remembers what else the module is given."""
    def call(source, target):
        return module(source, target, **words_of(source, target))
    call.words_of = words_of
    return call


def with_masks(module):
    """(a function of source and target, what is said of it) of a module whose caller gives the masks: that of the target where it is
    needed, or where later words show without it. (None, "") where there are none, or where none of the usual forms hides them."""
    found = masks_of(module)
    if found is None or not takes_masks(module):
        return None, ""
    if not (found[0] or found[1]):  # what it hides of the source may be said, and need not be
        return called_with(module, lambda source, target: {}), ""
    (later, needed), is_square = found, block_inside(module) is not None
    forms = itertools.product(range(1 if is_square else MOST_IN_FRONT + 1), FORMS)
    for in_front, form in ([] if needed else [(0, None)]) + list(forms):
        def words_of(source, target, form=form, in_front=(None, ) * in_front):
            axis = axis_of_positions(source, target)
            words = dict.fromkeys(needed)
            words.update({name: FORMS[form](target.shape[axis], target)[in_front] for name in later if form})
            words.update({name: all_seen(FORMS[form], source, axis, is_square)[in_front] for name in needed
                          if re.search(SOURCE, name) and name not in later and not (is_square and re.search("pad|mem", name))})
            return words

        call = called_with(module, words_of)
        if hides_later_words(call):
            return call, MASKS_GIVEN if form else ""
    return None, ""


MOST_IN_FRONT = 2  # axes of 1 in front of a mask: (1, 1, query, key), for the batch and the heads


def later_than(size, like):
    return sys.modules["torch"].ones(size, size, device=like.device).triu(1)


# Masks of later words, whose last row hides nothing: added, and of 1 and 0, as they are usual inside and outside of PyTorch.
FORMS = {"add": lambda size, like: later_than(size, like) * -1e9, "keep": lambda size, like: later_than(size, like) == 0,
         "hide": lambda size, like: later_than(size, like) != 0}


def all_seen(form, source, axis, is_square):
    """A mask that hides nothing: for PyTorch's own attention with a row for each word."""
    size = source.shape[axis]
    return form(size, source)[-1:].expand(size if is_square else 1, size)


def hides_later_words(call):
    """Whether later words change nothing before them, with the batch first or second."""
    torch = sys.modules["torch"]
    for source, target in (((2, 4), (2, 3)), ((4, 2), (3, 2))):
        with contextlib.suppress(Exception), torch.no_grad():
            return not sees_later_words(call, *(torch.full(size, 2, dtype=torch.long) for size in (source, target)))
    return False


def axis_of_positions(source, target):
    """Batches are of one size, and lengths are not."""
    return 0 if source.shape[-1] == target.shape[-1] and source.shape[0] != target.shape[0] else target.ndim - 1


def sees_later_words(call, source, target):
    """Whether another last word changes what comes before it."""
    torch, axis = sys.modules["torch"], axis_of_positions(source, target)
    other = target.clone()
    last = other.select(axis, -1)
    last.copy_(torch.where(last > 0, last - 1, last + 1))
    one, two = (call(source, each).narrow(axis, 0, target.shape[axis] - 1) for each in (target, other))
    return not torch.allclose(one, two, atol=1e-6)
