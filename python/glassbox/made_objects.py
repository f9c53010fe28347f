"""An object of a class that was handed in itself: made with its defaults, and with what the names of its parameters say."""
import inspect

from .errors import Error
from .options import options_of_layer
from .probing import probe_of
from .signature import CALLED, plain
from .tokenizer_calls import CALLED as OF_WORDS
from .tokenizer_calls import LEARNING, method_of
from .tokenizers import MERGES

WIDTH, HEADS, INNER, LAYERS, POSITIONS, WORDS = 12, 3, 20, 2, 64, 30  # WIDTH and HEADS as the probes have them
INNER_NAMES = ("dff", "ffdim", "ffndim", "dimfeedforward", "feedforwarddim", "dinner", "intermediatesize", "mlpdim", "ffnhidden",
               "hiddenfeatures", "mlphidden", "hidden", "hiddendim", "hiddensize", "dhidden")
LAYER_NAMES = ("layers", "nlayers", "numlayers", "nlayer", "depth", "nblocks", "numblocks")
WORD_NAMES = ("vocabsize", "numembeddings", "nwords", "vocab", "nvocab", "numwords", "ntokens", "numtokens", "srcvocabsize", "tgtvocabsize",
              "srcvocab", "tgtvocab", "inputvocabsize", "targetvocabsize")
DROPOUT_NAMES = ("dropout", "p", "dropoutrate", "pdrop", "dropprob", "rate", "prob")
IN_NAMES, OUT_NAMES = ("infeatures", "din", "inputdim", "indim", "nin", "inputsize"), ("outfeatures", "dout", "outputdim", "outdim", "nout",
                                                                                     "outputsize")
FEW, BYTES = 32, 256  # letters of a small vocabulary; those that stand for bytes


def takes_classes(layer, kind):
    """Whether the layer's own check has a use for the class itself: it makes one for each time."""
    is_data = hasattr(kind, "__getitem__") and hasattr(kind, "__len__")
    return layer in ("adam", "schedule", "training-step") or (layer == "windows" and is_data)


def made(kind, layer, options):
    """The object; an error that says what to type where it cannot be made."""
    values, missing = arguments_of(kind, layer, options)
    shown = ", ".join([*(f"{name}={value}" for name, value in values.items()), *(f"{name}=…" for name in missing)])
    typed = f"check: expected an object, {kind.__name__}({shown or '…'}), got the class {kind.__name__}"
    if missing:
        raise Error(f"{typed}; nothing says what {' and '.join(missing)} should be: type check(\"{layer}\", {kind.__name__}({shown}))")
    try:
        return kind(**values)
    except Exception as problem:
        raise Error(f"{typed}, which fails: {type(problem).__name__}: {problem}; type check(\"{layer}\", {kind.__name__}(…)) with what "
                    "it needs") from None


def tokenizers_of(kind, options):
    """Of a class of tokenizers one that begins with letters, and one that begins with all bytes, where it is told a size."""
    one, other = (made(kind, "bpe", {**options, "letters": letters}) for letters in (FEW, BYTES))
    is_told = any(plain(name) in OF_WORDS["size"] for name in arguments_of(kind, "bpe", options)[0])
    return [one, other] if is_told else [one]


def arguments_of(kind, layer, options):
    """({parameter: value}, those that have to be given and that no name says)."""
    try:
        parameters = inspect.signature(kind).parameters
    except (TypeError, ValueError):
        parameters = {}
    values, missing = {}, []
    for name, each in parameters.items():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            continue
        is_needed = each.default is each.empty
        is_asked = is_needed or (isinstance(each.default, int) and is_count(plain(name), layer))
        is_learned = plain(name) == "merges" and method_of(kind, LEARNING) is None  # pairs, and not how many
        value = value_of(plain(name), layer, options, set(values.values())) if is_asked and not is_learned else None
        if value is not None:
            values[name] = value
        elif is_needed:
            missing.append(name)
    return values, missing


def is_count(name, layer):
    """Whether a default is not taken: how much is learned is asked of each tokenizer."""
    return layer == "bpe" and name in (*OF_WORDS["count"], *OF_WORDS["size"])


def value_of(name, layer, options, taken):
    """What a parameter is called with; None where its name says nothing."""
    if layer == "bpe":
        count = options.get("merges", MERGES)
        return count if name in OF_WORDS["count"] else options.get("letters", FEW) + count if name in OF_WORDS["size"] else None
    own = {"dmodel": WIDTH, "heads": HEADS, "dff": INNER, "layers": LAYERS, "dropout": 0.0, **options}
    if layer == "dropout" and name in DROPOUT_NAMES:
        return options.get("dropout", float(options_of_layer(layer)["dropout"]))
    if layer == "linear" and name in (*IN_NAMES, *OUT_NAMES):
        weight = probe_of(layer, ()).weights["weight"].shape
        return options.get("din", weight[1]) if name in IN_NAMES else options.get("dout", weight[0])
    is_inner = name in INNER_NAMES and (own["dmodel"] in taken or name not in CALLED["dmodel"])
    found = [(is_inner, "dff"), (name in LAYER_NAMES, "layers"), (name in CALLED["heads"], "heads"), (name in DROPOUT_NAMES, "dropout"),
             (name in (*CALLED["dmodel"], *CALLED["normalized_shape"], *IN_NAMES, *OUT_NAMES), "dmodel")]
    option = next((word for fits, word in found if fits), None)
    if option is not None:
        return own[option]
    if name in CALLED["dk"]:
        return own["dmodel"] // own["heads"]
    return WORDS if name in WORD_NAMES else POSITIONS if name in CALLED["seq"] else None
