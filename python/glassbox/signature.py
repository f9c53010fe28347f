"""Which of a function's parameters takes which array: by its own words, else by its name, else by its place."""
import inspect
import re

from .errors import Error
from .names import place_of_parameter

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
    "labels": ("labels", "targets", "target", "y", "label", "ytrue", "tgt", "t"),
    "logits": ("logits", "logit", "scores", "inputs", "input", "predictions", "prediction", "pred", "preds", "ypred",
               "yhat", "output", "outputs", "x", "z"),
    "probabilities": ("probabilities", "probs", "prob", "p", "probas", "yprob"),
    "gradient": ("gradient", "gradients", "grad", "grads", "g", "dw", "dx", "dp", "dtheta", "gt"),
    "before": ("w", "weight", "weights", "p", "param", "params", "parameter", "parameters", "theta", "x"),
    "m_before": ("m", "mt", "m1", "mprev", "expavg", "firstmoment", "moment1", "mean", "velocity"),
    "v_before": ("v", "vt", "v1", "vprev", "expavgsq", "secondmoment", "moment2", "variance"),
    "n": ("n", "step", "steps", "t", "it", "i", "iteration", "stepnum", "currentstep", "curstep", "epoch"),
    "time": ("time", "t", "tau", "times"),
    "lengths": ("lengths", "validlens", "validlen", "seqlens", "seqlengths", "lens"),
    "heads": ("heads", "numheads", "nheads", "nhead", "h"),
    "seq": ("seqlen", "length", "maxlen", "seqlength", "sequencelength", "npositions", "nposition", "maxlength",
            "maxseqlen", "numpositions", "position", "t", "n", "pos", "positions"),
    "dmodel": ("dmodel", "dim", "embeddim", "hiddendim", "hiddensize", "embedsize", "d", "dembed", "nembd", "depth",
               "size", "modeldim"),
    "dk": ("dk", "headdim", "dimk", "dhead"),
    "classes": ("classes", "numclasses", "nclasses", "vocabsize", "c", "vocab"),
}
# What an update, a loss or a schedule is told beside its arrays, by the command's options.
NUMBERS = {
    "rate": ("rate", "lr", "learningrate", "eta", "alpha", "stepsize", "peaklr", "maxlr", "baselr", "lrmax",
             "maxlearningrate", "etamax"),
    "beta1": ("beta1", "b1"),
    "beta2": ("beta2", "b2"),
    "epsilon": ("epsilon", "eps", "adameps"),
    "weight_decay": ("weightdecay", "wd", "decay", "lambda", "lam", "lambd", "lmbda", "l2"),
    "momentum": ("momentum", "mu"),
    "factor": ("factor", "clipfactor", "clipcoef"),
    "update": ("update", "t", "step", "steps", "iteration", "it", "i", "timestep", "stepnum", "stepcount", "n"),
    "max_norm": ("maxnorm", "maxl2norm", "maxgradnorm", "clip", "clipnorm", "threshold", "gradclip", "theta", "c",
                 "limit"),
    "label_smoothing": ("labelsmoothing", "smoothing", "smooth", "ls"),
    "warmup": ("warmup", "warmupsteps", "warmupupdates", "warmupiters", "nwarmup", "numwarmupsteps"),
    "updates": ("updates", "totalsteps", "maxiters", "maxsteps", "nsteps", "numsteps", "numtrainingsteps", "total",
                "cosinecycleiters", "numupdates", "maxupdates"),
    "dmodel": CALLED["dmodel"] + ("modelsize", ),
    "least": ("least", "minlr", "lrmin", "etamin", "minlearningrate"),
}
KEPT = ("update",)  # of the probe's options: a function without a parameter for it cannot be right with any other
PAIRS = {"betas": ("beta1", "beta2")}
# How a loss is told which labels are padding: by a number below 0 that does not count, or by a class of its own.
PADDINGS = {"ignored": ("ignoreindex", "ignoreid", "ignorelabel", "ignore"),
            "pad": ("padid", "padidx", "padindex", "padtokenid", "paddingidx", "paddingid", "pad", "padtoken")}
GREEK = {"α": "alpha", "β": "beta", "ε": "eps", "ϵ": "eps", "η": "eta", "θ": "theta", "λ": "lambda", "μ": "mu",
         "γ": "gamma"}
MASKS = ("mask", "attnmask", "attentionmask", "srcmask", "tgtmask", "causalmask", "keypaddingmask", "paddingmask",
         "keep", "visible", "hide", "hidden", "maskout", "pad", "padding")
# Names of masks whose 1 hides; key_padding_mask is PyTorch's own.
HIDING = re.compile(r"hid|ignore|forbid|mask_?out|block|key_?padding|^pad(ding)?$")
EITHER = re.compile(r"attn_?mask")  # where it is true a key is hidden in PyTorch's modules, and seen in its function


def plain(name):
    spelt = "".join(GREEK.get(letter, letter) for letter in name.lower())
    return re.sub(r"[^a-z0-9]", "", spelt)


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


def numbers_called(name, numbers):
    """The options that a parameter of this name takes, of those that there are; nearly always one."""
    short = plain(name)
    pair = PAIRS.get(short, ())
    if pair and all(option in numbers for option in pair):
        return pair
    return next(((option, ) for option in numbers if short in {**NUMBERS, **PADDINGS}[option]), ())


class Part:
    """One of a layer's parameters, by what it does there: ("self_attn.", "q", "weight"). Which of its axes comes first
    a name like W_q does not say."""
    def __init__(self, key, is_turned, is_said=False):
        self.key, self.is_turned = key, is_turned  # (in, out) is likelier than (out, in)
        self.is_said = is_said  # the caller's own words: nothing else is tried


def part_called(name, parts):
    """The part that a parameter of this name takes; None if it names none, or one of several."""
    found = place_of_parameter(name)
    if found is None:
        return None
    scope, role, kind, is_turned = found
    fitting = [key for key in parts if key[1:] == (role, kind)]
    own = [key for key in fitting if key[0].endswith(scope or "self_attn.")]
    chosen = own or ([] if scope else fitting)
    return Part(chosen[0], is_turned) if len(chosen) == 1 else None


class Plan:
    """For each parameter what it takes: a name of an array, "mask", a part of the weights, or a value as it is."""
    def __init__(self, function, known, arguments=None, numbers=(), parts=()):
        self.positional, self.named, self.masks = [], {}, []
        self.numbers, self.said = {}, {}  # {parameter: options} that are told; {option: value} that the caller tells
        self.parameters = parameters_of(function)
        self.known, self.all_numbers, self.all_parts = list(known), numbers, parts
        if self.parameters is None or all(each.kind is each.VAR_POSITIONAL for each in self.parameters.values()):
            # A function that does not say its parameters: all arrays in order.
            self.positional = self._arrays(())
            return
        self._fill(arguments or {})

    def _arrays(self, taken):
        """The inputs that are left, in order."""
        return [each for each in self.known if each not in SIZES and each not in NOT_BY_PLACE and each not in taken
                and not each.endswith(("weight", "bias"))]

    def _fill(self, arguments):
        parameters = self.parameters
        missing_word = [name for name in arguments if name not in parameters and not takes_any_word(parameters)]
        if missing_word:
            raise Error(f"arguments: the function has no parameter {missing_word[0]!r}; it has {', '.join(parameters)}")
        kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        ordered = [name for name, each in parameters.items() if each.kind not in kinds]
        taken = {}
        for name in ordered:
            what = self._said(name, arguments[name]) if name in arguments else self._named(name, taken)
            if what is not None:
                taken[name] = what
        arrays = self._arrays([what for what in taken.values() if isinstance(what, str)])
        for name in ordered:  # by place
            if parameters[name].default is inspect.Parameter.empty and name not in taken:
                if not arrays:
                    raise Error(f"arguments: what does the parameter {name!r} take? Say arguments={{{name!r}: NAME}}; "
                                f"there are {', '.join(self.names())}")
                taken[name] = arrays.pop(0)
        taken.update({name: what for name, what in arguments.items() if name not in parameters})
        self._keep(parameters, taken)

    def _said(self, name, said):
        """What the caller says: the name of an array, of a number, or a value as it is."""
        if isinstance(said, str) and said not in self.known and said in self.all_numbers:
            self.numbers[name] = (said, )
            return Fixed(None)
        if isinstance(said, str):
            base, is_turned = said.removesuffix(".T"), said.endswith(".T")
            part = None if base in self.known else part_called(base, self.all_parts)
            return said if part is None else Part(part.key, is_turned, is_said=True)
        if what_is(name, self.known) is None:
            options = numbers_called(name, self.all_numbers)
            self.said.update(zip(options, said if len(options) > 1 else [said]))
        return Fixed(said)

    def _named(self, name, taken):
        """What a parameter takes by its name; None if it does not tell."""
        used = [what for what in taken.values() if isinstance(what, str)]
        told = {option for options in self.numbers.values() for option in options}
        options = numbers_called(name, [each for each in self.all_numbers if each not in told])
        is_padding = any(option in PADDINGS for option in options)
        if is_mask(name) and not is_padding:
            return None if "mask" in used else "mask"
        what = what_is(name, [each for each in self.known if each in ("x", "memory") or each not in used])
        if what is not None and (what not in SIZES or self._needs_size(name, what)):
            return what
        if options:
            self.numbers[name] = options
            return Fixed(None)
        return part_called(name, self.all_parts)

    def _needs_size(self, name, size):
        """A size that is there by default is given too, but to one letter, which may be anything."""
        default = self.parameters[name].default
        is_size = isinstance(default, int) and not isinstance(default, bool)
        return default is inspect.Parameter.empty or (is_size and (len(plain(name)) > 1 or size == "heads"))

    def _keep(self, parameters, taken):
        for name, parameter in parameters.items():
            if name in taken and parameter.kind is parameter.POSITIONAL_ONLY:
                self.positional.append(taken[name])
            elif name in taken:
                self.named[name] = taken[name]
        self.named.update({name: what for name, what in taken.items() if name not in parameters})
        self.masks = [name for name, what in self.named.items() if is_word(what, "mask")]

    def names(self):
        """All that a parameter can take, for who has to choose."""
        apart = [part_name(key) for key in self.all_parts if key[1] in ("q", "k", "v")]
        return [*self.known, *apart, *self.all_numbers, "mask"]

    def taken(self):
        """What the parameters take."""
        return [*self.positional, *self.named.values()]

    @property
    def takes_mask(self):
        return any(is_word(what, "mask") for what in self.taken())

    @property
    def takes_arrays(self):
        return any(isinstance(what, str) and what not in SIZES and what not in NOT_BY_PLACE and what != "mask"
                   for what in self.taken())

    @property
    def takes_lengths(self):
        return any(is_word(what, "lengths") for what in self.taken())

    @property
    def parts(self):
        """Those of the layer's parameters that are taken."""
        return [what for what in self.taken() if isinstance(what, Part)]

    @property
    def hides(self):
        """Whether the mask's name says that its 1 hides."""
        return any(HIDING.search(name.lower()) for name in self.masks)

    @property
    def may_hide(self):
        """Whether the mask has a name that PyTorch uses in both meanings."""
        return any(EITHER.fullmatch(name.lower()) for name in self.masks)


class Fixed:
    """A value as it is, for a parameter."""
    def __init__(self, value):
        self.value = value


SIZES = ("heads", "seq", "dmodel", "dk", "classes")
NOT_BY_PLACE = ("lengths", "probabilities")


def is_word(what, word):
    return isinstance(what, str) and what == word


def is_mask(name):
    return plain(name) in MASKS or plain(name).endswith("mask")


def part_name(key):
    """As it is usually called."""
    scope, role, kind = key
    return f"{scope}{role}{'_proj' if role in ('q', 'k', 'v', 'qkv', 'o') else ''}.{kind}"


def parameters_of(function):
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None


def takes_any_word(parameters):
    return any(each.kind is each.VAR_KEYWORD for each in parameters.values())
