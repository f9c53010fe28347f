"""Which of a function's parameters takes which array: by its own words, else by its name, else by its place."""
import inspect
import re

from .errors import Error

# What people call them. The mask stands apart, for its meaning is a question of its own.
CALLED = {
    "Q": ("q", "query", "queries", "qs"),
    "K": ("k", "key", "keys", "ks"),
    "V": ("v", "value", "values", "val", "vs"),
    "x": ("x", "inputs", "input", "src", "hiddenstates", "hidden", "tokens", "embeddings", "embedding", "xs",
          "sequence", "tgt", "inp", "infeatures", "inputtensor", "emb", "inputembeddings", "data", "xq"),
    "memory": ("memory", "encoderoutput", "encoderoutputs", "encoutput", "encoderhiddenstates", "context", "enc", "mem",
               "encout", "memories", "encoderout"),
    "source": ("source", "src", "sourceids", "sourcetokens", "encoderinput"),
    "target": ("target", "tgt", "trg", "targetids", "targettokens", "decoderinput"),
    "labels": ("labels", "targets", "target", "y", "label", "ytrue"),
    "logits": ("logits", "scores", "inputs", "predictions", "yhat", "output"),
    "gradient": ("gradient", "gradients", "grad", "grads", "g"),
    "lengths": ("lengths", "validlens", "validlen", "seqlens", "seqlengths", "lens"),
    "heads": ("heads", "numheads", "nheads", "nhead", "h", "nhead"),
    "seq": ("seqlen", "length", "maxlen", "seqlength", "sequencelength", "npositions", "nposition", "maxlength",
            "maxseqlen", "numpositions", "t", "n", "pos", "positions"),
    "dmodel": ("dmodel", "dim", "embeddim", "hiddendim", "hiddensize", "embedsize", "d", "dembed", "nembd", "depth",
               "size", "modeldim"),
    "dk": ("dk", "headdim", "dimk", "dhead"),
}
MASKS = ("mask", "attnmask", "attentionmask", "srcmask", "tgtmask", "causalmask", "keypaddingmask", "paddingmask",
         "keep", "visible", "hide", "hidden", "maskout", "pad", "padding")
HIDING = re.compile(r"hid|ignore|forbid|mask_?out|block|^pad(ding)?$")  # names of masks whose 1 hides


def plain(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


def what_is(name, known):
    """The array that a parameter of this name takes, of those that are known; None if that cannot be told. Of
    self-attention queries, keys and values are all made from x, of cross-attention keys and values from the memory."""
    if name in known:
        return name
    short = plain(name)
    for each in known:
        if short == plain(each) or short in CALLED.get(each, ()):
            return each
    for each in ("Q", "K", "V"):
        if "x" in known and short in CALLED[each]:
            return "memory" if "memory" in known and each != "Q" else "x"
    return None


class Plan:
    """For each parameter what it takes: a name of an array, "mask", or a value as it is."""
    def __init__(self, function, known, arguments=None, fixed=None):
        self.positional, self.named, self.masks = [], {}, []
        parameters = parameters_of(function)
        if parameters is None or all(each.kind is each.VAR_POSITIONAL for each in parameters.values()):
            # A function that does not say its parameters: all arrays in order.
            self.positional = [name for name in known if name not in SIZES and name not in PARTS]
            return
        self._fill(parameters, list(known), arguments or {}, fixed or {})

    def _fill(self, parameters, known, arguments, fixed):
        missing_word = [name for name in arguments if name not in parameters and not takes_any_word(parameters)]
        if missing_word:
            raise Error(f"arguments: the function has no parameter {missing_word[0]!r}; it has {', '.join(parameters)}")
        taken = {}
        for name, parameter in parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if name in arguments:
                taken[name] = arguments[name] if isinstance(arguments[name], str) else Fixed(arguments[name])
            elif name in fixed:
                taken[name] = Fixed(fixed[name])
            elif plain(name) in MASKS or plain(name).endswith("mask"):
                if not any(what == "mask" for what in taken.values()):
                    taken[name] = "mask"
            else:
                what = what_is(name, [each for each in known if each in ("x", "memory") or each not in taken.values()])
                if what is not None and (parameter.default is parameter.empty or what not in SIZES):
                    taken[name] = what
        arrays = [each for each in known if each not in SIZES and each not in PARTS and each not in taken.values()]
        for name, parameter in parameters.items():  # by place
            if parameter.default is parameter.empty and name not in taken and parameter.kind not in (
                    parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                if not arrays:
                    raise Error(
                        f"arguments: what does the parameter {name!r} take? Say "
                        f"arguments={{{name!r}: NAME}}; there are {', '.join([*known, 'mask'])}")
                taken[name] = arrays.pop(0)
        taken.update({name: what for name, what in arguments.items() if name not in parameters})
        self._keep(parameters, taken)

    def _keep(self, parameters, taken):
        for name, parameter in parameters.items():
            if name in taken and parameter.kind is parameter.POSITIONAL_ONLY:
                self.positional.append(taken[name])
            elif name in taken:
                self.named[name] = taken[name]
        self.named.update({name: what for name, what in taken.items() if name not in parameters})
        self.masks = [name for name, what in self.named.items() if what == "mask"]

    @property
    def takes_mask(self):
        return "mask" in self.positional or bool(self.masks)

    @property
    def takes_arrays(self):
        return any(isinstance(what, str) and what not in SIZES and what not in PARTS and what != "mask"
                   for what in (*self.positional, *self.named.values()))

    @property
    def takes_lengths(self):
        return "lengths" in self.positional or "lengths" in self.named.values()

    @property
    def hides(self):
        """Whether the mask's name says that its 1 hides."""
        return any(HIDING.search(name.lower()) for name in self.masks)


class Fixed:
    """A value of the caller's, for a parameter."""
    def __init__(self, value):
        self.value = value


SIZES = ("heads", "seq", "dmodel", "dk")
PARTS = ("lengths",)


def parameters_of(function):
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None


def takes_any_word(parameters):
    return any(each.kind is each.VAR_KEYWORD for each in parameters.values())
