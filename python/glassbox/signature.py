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
    "labels": ("labels", "targets", "target", "y", "label", "ytrue", "tgt", "t", "classids", "classindices", "classidx",
               "gold", "groundtruth", "truth", "labelids", "targetids"),
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
            "maxseqlen", "numpositions", "position", "t", "n", "pos", "positions", "l", "npos", "numpos", "nbpos",
            "nbpositions", "ntokens", "numtokens", "contextlength", "contextsize", "blocksize", "timesteps", "nsteps"),
    "dmodel": ("dmodel", "dim", "embeddim", "hiddendim", "hiddensize", "embedsize", "d", "dembed", "nembd", "depth",
               "size", "modeldim", "modelsize", "embdim", "embsize", "embeddingdim", "embeddingsize", "dimension", "width",
               "nfeatures", "numfeatures", "channels", "nhid", "dimmodel"),
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
    "dmodel": CALLED["dmodel"],
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
         "keep", "visible", "hide", "hidden", "maskout", "pad", "padding", "tril", "triu", "allowed", "allow", "forbidden",
         "blocked", "maske")
# Names of masks whose 1 hides; key_padding_mask is PyTorch's own.
HIDING = re.compile(r"hid|ignore|forbid|mask(?:ed)?_?out|block|key_?padding|^pad(ding)?$|triu|future|disallow|not_?allowed|"
                    r"invisible|unseen|exclude|illegal|verbot|versteck|verdeckt|gesperrt")
# All parameters of a layer in one dictionary, by their names.
WEIGHTS = ("weights", "params", "parameters", "statedict", "weightdict", "weightsdict", "paramdict", "paramsdict",
           "allweights")
# What is no array, and with which values the function is the layer: nothing is dropped while numbers are compared.
NEUTRAL = {"dropout": 0.0, "dropoutrate": 0.0, "dropoutp": 0.0, "dropoutprob": 0.0, "pdropout": 0.0, "pdrop": 0.0,
           "training": False, "train": False, "istraining": False, "istrain": False, "trainmode": False}
# What a function without a default for it is told not to do: a mask says what is causal.
OFF = ("causal", "iscausal", "verbose", "debug", "inplace", "returnattention", "returnweights", "needweights",
       "returnattentionweights", "outputattentions")
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
    chosen = own or ([] if scope == "multihead_attn." else fitting)
    return Part(chosen[0], is_turned) if len(chosen) == 1 else None


class Plan:
    """For each parameter what it takes: a name of an array, "mask", a part of the weights, or a value as it is."""
    def __init__(self, function, known, arguments=None, numbers=(), parts=(), has_mask=False):
        self.has_mask = has_mask  # one that is given to a parameter of any name, behind the inputs
        self.positional, self.named, self.masks = [], {}, []
        self.numbers, self.said = {}, {}  # {parameter: options} that are told; {option: value} that the caller tells
        self.parameters = parameters_of(function)
        self.known, self.all_numbers, self.all_parts = list(known), numbers, parts
        if self.parameters is None or all(each.kind is each.VAR_POSITIONAL for each in self.parameters.values()):
            # A function that does not say its parameters: all arrays in order.
            self.positional = [each for each in self._arrays(()) if each != "mask"]
            return
        self._fill(arguments or {})

    def _arrays(self, taken):
        """The inputs that are left, in order; the mask, which has no usual name in the students' languages, last."""
        arrays = [each for each in self.known if each not in SIZES and each not in NOT_BY_PLACE and each not in taken
                  and not each.endswith(("weight", "bias"))]
        return arrays + ["mask"] * (self.has_mask and "mask" not in taken)

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
        self._exchange_classes(ordered, taken)
        arrays = self._arrays([what for what in taken.values() if isinstance(what, str)])
        unknown = [name for name in ordered
                   if parameters[name].default is inspect.Parameter.empty and name not in taken]
        for name in unknown:  # by place
            if len(unknown) > len(arrays) or not self._may_be_array(name, arrays[unknown.index(name)]):
                raise Unknown(name, self.names())
        taken.update(zip(unknown, arrays))
        taken.update({name: what for name, what in arguments.items() if name not in parameters})
        self._keep(parameters, taken)

    def _exchange_classes(self, ordered, taken):
        """Of a loss whose labels have no other name `classes` are the classes' indices, and not how many there are."""
        needed = [name for name in ordered if self.parameters[name].default is inspect.Parameter.empty]
        if "labels" not in self.known or any(is_word(what, "labels") for what in taken.values()):
            return
        if any(name not in taken and plain(name) not in CALLED["classes"] for name in needed):
            return  # by its place that one takes the labels
        name = next((name for name in needed if is_word(taken.get(name), "classes") and plain(name) in INDICES), None)
        if name is None:
            return
        taken[name] = "labels"
        for other in ordered:  # how many there are may be said beside them
            what = self._named(other, taken) if other not in taken else None
            taken.update({} if what is None else {other: what})

    def _may_be_array(self, name, array):
        """Of a name that says nothing; what is called W_1 is no mask."""
        is_other = plain(name) in OF_NUMBERS or (self.all_parts and OF_WEIGHTS.match(name.lower()))
        return plain(name) not in NO_ARRAYS and not (array == "mask" and is_other)

    def _said(self, name, said):
        """What the caller says: the name of an array, of a number, or a value as it is."""
        if isinstance(said, Fixed):
            return said
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
        if self.all_parts and plain(name) in WEIGHTS:
            return "weights"
        if plain(name) in NEUTRAL:
            return Fixed(NEUTRAL[plain(name)])
        if plain(name) in OFF and self.parameters[name].default is inspect.Parameter.empty:
            return Fixed(False)
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
        return [*self.known, *apart, *["weights"] * bool(self.all_parts), *self.all_numbers, "mask"]

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

    def weights_taken(self, weights):
        """Of a layer's parameters what the function takes, by name and by part; None where it takes all of them as one, or
        none."""
        words = {what.removesuffix(".T") for what in self.taken() if isinstance(what, str)}
        found = {*(part.key for part in self.parts), *(words & set(weights))}
        return None if "weights" in words or not found else found

    @property
    def hides(self):
        """Whether the mask's name says that its 1 hides."""
        return any(HIDING.search(name.lower()) for name in self.masks)

    @property
    def may_hide(self):
        """Whether the mask has a name that PyTorch uses in both meanings."""
        return any(EITHER.fullmatch(name.lower()) for name in self.masks)


class Unknown(Error):
    """A parameter of which nothing tells what it takes."""
    def __init__(self, name, known):
        super().__init__(f"arguments: what does the parameter {name!r} take? Say arguments={{{name!r}: NAME}}; there are "
                         f"{', '.join(known)}")
        self.name, self.known = name, known


class Weights(dict):
    """A layer's parameters by its own names, and by those that students have for them: weights["W_q"]. `find` gives the
    array of a part."""
    def __init__(self, arrays, parts, find):
        super().__init__(arrays)
        self.parts, self.find = parts, find

    def __missing__(self, name):
        own = next((each for each in self if plain(each) == plain(str(name))), None)
        part = None if own else part_called(str(name), self.parts)
        if own is None and part is None:
            raise KeyError(name)
        return self[own] if own else self.find(part)

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default


class Fixed:
    """A value as it is, for a parameter."""
    def __init__(self, value):
        self.value = value


SIZES = ("heads", "seq", "dmodel", "dk", "classes")
NO_ARRAYS = {"scale", "scaling", "temperature", "axis", "dim", "device", "dtype", "seed", "rng", "reduction"}
# Of numbers and sizes that this layer does not have: no masks.
OF_NUMBERS = {word for words in (*NUMBERS.values(), *(CALLED[size] for size in SIZES)) for word in words if len(word) > 2}
OF_WEIGHTS = re.compile(r"[wb](?:_|\d|$)|w[a-z]$|.*(?:weight|bias|proj|kernel|param|matrix)")
INDICES = ("classes", "c", "cls")  # as a number, and as one for each row
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


def size_of(name, inputs, heads):
    """A size that a function is told, as the first of the layer's inputs has it."""
    first = next(iter(inputs.values()))
    if name == "heads":
        return heads
    if name == "dk" and heads and "Q" not in inputs:
        return first.shape[-1] // heads
    return first.shape[-2 if name == "seq" else -1]
