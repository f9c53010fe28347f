"""Which of a function's parameters takes which array: by its own words, else by its name, else by its place."""
import ast
import inspect
import math
import re
import unicodedata

from . import lone_input
from .errors import Error
from .names import KINDS, NORM_KINDS, place_of, place_of_parameter

# A decoder that is given as its step; a token at which it stops.
STEPS = ("step", "stepfn", "stepfunction", "logprobfn", "logprobs", "nextlogprobs", "scorenext")
ENDS = ("eos", "eosid", "eostoken", "eostokenid", "end", "endid", "endtoken", "endtokenid", "stop", "stoptoken", "eot")

# What people call them. The mask stands apart, for its meaning is a question of its own.
CALLED = {
    "Q": ("q", "query", "queries", "qs", "inputsq", "inputq", "qinput", "qinputs", "queryinput", "queryinputs",
          "anfrage", "anfragen", "abfrage", "abfragen", "requete", "requetes", "consulta", "consultas"),
    "K": ("k", "key", "keys", "ks", "inputsk", "inputk", "kinput", "kinputs", "keyinput", "keyinputs",
          "schluessel", "cle", "cles", "clef", "clefs", "clave", "claves"),
    "V": ("v", "value", "values", "val", "vs", "inputsv", "inputv", "vinput", "vinputs", "valueinput",
          "valueinputs", "wert", "werte", "valeur", "valeurs", "valor", "valores"),
    "x": ("x", "inputs", "input", "src", "hiddenstates", "hidden", "states", "tokens", "embeddings", "embedding", "xs",
          "sequence", "tgt", "trg", "inp", "infeatures", "inputtensor", "emb", "inputembeddings", "data", "xq", "eingabe",
          "eingaben", "entree", "entrees", "entrada", "entradas", "aprev", "activations"),
    "memory": ("memory", "encoderoutput", "encoderoutputs", "encoutput", "encoderhiddenstates", "context", "enc", "mem",
               "encout", "memories", "encoderout", "encsrc", "encodedsrc", "encodersrc", "xa", "memorybank", "eoutputs", "inputskv",
               "inputkv", "kvinput", "kvinputs", "xkv"),
    "source": ("source", "src", "sourceids", "sourcetokens", "encoderinput", "tokens", "ids", "tokenids", "inputids",
               "indices", "idx", "words", "wordids", "input", "x"),
    "weight": ("w", "weights", "gamma", "scale", "g", "gain", "alpha", "kernel", "matrix", "a2", "table", "embedding",
               "embeddings", "emb", "lookup", "e", "embeddingtable", "embeddingmatrix", "embeddingweight", "theta", "gewicht",
               "gewichte", "poids", "peso", "pesos"),
    "bias": ("b", "biases", "beta", "center", "shift", "offset", "be", "b2", "biais", "sesgo"),
    "target": ("target", "tgt", "trg", "targetids", "targettokens", "decoderinput"),
    "labels": ("labels", "targets", "target", "y", "label", "ytrue", "tgt", "t", "classids", "classindices", "classidx",
               "gold", "groundtruth", "truth", "labelids", "targetids", "ziel", "ziele", "klassen", "cible", "cibles",
               "etiquettes", "etiquetas", "clases"),
    "logits": ("logits", "logit", "scores", "inputs", "input", "predictions", "prediction", "pred", "preds", "ypred",
               "yhat", "output", "outputs", "x", "z"),
    "probabilities": ("probabilities", "probs", "prob", "p", "probas", "yprob"),
    "gradient": ("gradient", "gradients", "grad", "grads", "g", "dw", "dx", "dp", "dtheta", "gt", "gradiente",
                 "gradienten", "steigung", "parameters", "params", "modelparameters", "parameterlist", "paramlist"),
    "kept": ("d", "dmask", "keep", "keepmask", "m", "dropmask", "dropoutmask", "mask", "bernoulli", "keptmask", "masks"),
    "gradients": ("grads", "grad", "gradient", "g", "gs", "micrograds", "microgradients", "batchgrads", "microbatchgrads",
                  "gradlist", "allgrads"),
    "left": ("grad", "oldgrad", "prevgrad", "stale", "stalegrad", "accumgrad", "buffer", "previous", "leftover"),
    "series": ("x", "data", "values", "ts", "timeseries", "arr", "array", "y", "sequence", "seq"),
    "prompt": ("idx", "ids", "inputids", "context", "tokens", "prompttokens", "inp", "x", "sequence", "startids", "promptids", "seq",
               "input", "inputs"),
    "tokens": ("generated", "ids", "inputids", "previous", "prev", "seen", "history", "generatedtokens", "prevtokens", "idx",
               "previoustokens", "context", "output", "pasttokens"),
    "table": ("model", *STEPS, "net", "lm", "decoder", "network", "nextlogits", "logits", "transition", "transitions", "bigram", "weights", "w", "scores", "logittable", "nextlogits"),
    "translation": ("candidate", "hypothesis", "hyp", "prediction", "pred", "cand", "output", "candidatetokens", "hypothesistokens",
                    "predicted", "generated"),
    "reference": ("ref", "label", "labels", "labelseq", "target", "gold", "references", "referencetokens", "expected", "truth"),
    "before": ("w", "weight", "weights", "p", "param", "params", "parameter", "parameters", "theta", "x", "gewicht",
               "gewichte", "poids", "peso", "pesos"),
    "m_before": ("m", "mt", "m1", "mprev", "expavg", "firstmoment", "moment1", "mean", "moment", "momento", "velocity", "buf", "buffer",
                 "momentumbuffer", "momentumbuf", "vel", "prevvelocity", "geschwindigkeit", "vitesse", "velocidad"),
    "v_before": ("v", "vt", "v1", "vprev", "expavgsq", "secondmoment", "moment2", "variance", "var", "varianz", "varianza"),
    "n": ("n", "step", "steps", "t", "it", "i", "iteration", "stepnum", "currentstep", "curstep", "epoch"),
    "time": ("time", "t", "tau", "times"),
    "omega": ("omega", "w", "omegas", "freq", "freqs", "frequency", "frequencies", "weight", "weights"),
    "phi": ("phi", "b", "bias", "phase", "phases", "phis", "offset"),
    "ids": ("ids", "tokens", "tokenids", "inputids", "x", "src", "tgt", "trg", "source", "target", "input", "inputs", "sequence",
            "sequences", "seqs", "seqq", "seqk", "q", "k", "idx", "words", "wordids", "sourceids", "targetids"),
    "batch": ("batch", "batchsize", "bsz", "bs", "b", "nbatch"),
    "lengths": ("lengths", "validlens", "validlen", "seqlens", "seqlengths", "lens"),
    "heads": ("heads", "numheads", "nheads", "nhead", "h", "numhead", "head", "headnum", "headsnum", "numattentionheads",
              "nattentionheads", "attentionheads", "attnheads", "nattnheads", "numattnheads", "nbheads", "numberofheads",
              "noheads", "headcount", "koepfe", "anzahlkoepfe", "nkoepfe", "kopfzahl", "tetes",
              "nbtetes", "ntetes", "cabezas", "numcabezas", "ncabezas"),
    "seq": ("seqlen", "length", "maxlen", "seqlength", "sequencelength", "npositions", "nposition", "maxlength",
            "maxseqlen", "numpositions", "position", "t", "n", "pos", "positions", "l", "npos", "numpos", "nbpos",
            "nbpositions", "trglen", "tgtlen", "srclen", "targetlen", "sourcelen", "ntokens", "numtokens", "contextlength", "contextsize", "blocksize", "timesteps", "nsteps",
            "maxsequencelength", "maxsequencelen", "sequencelen", "maxseqlength", "maxpositions", "maxposition",
            "maxpositionembeddings", "maxpos", "nctx", "ctxlen", "numsteps", "numtimesteps", "ntimesteps", "rows", "nrows",
            "numrows", "numtoks", "maxseq",
            "laenge", "sequenzlaenge", "longueur", "longitud"),
    "dmodel": ("dmodel", "dim", "embeddim", "hiddendim", "hiddensize", "embedsize", "d", "dembed", "nembd", "depth",
               "size", "modeldim", "modelsize", "embdim", "embsize", "embeddingdim", "embeddingsize", "dimension", "width",
               "nfeatures", "numfeatures", "channels", "nhid", "dimmodel", "numunits", "nunits", "units",
               "ndim", "ndims", "dims", "numhiddens", "nhidden", "hiddenunits", "dhid", "dhidden", "nembed", "dimembedding",
               "dimembed", "embeddinglength", "outputdim", "outdim", "encodingdim", "posdim", "featuredim", "featdim",
               "nchannels", "numchannels", "columns", "ncolumns", "breite", "dimmodele", "largeur", "ancho"),
    "dk": ("dk", "headdim", "dimk", "dhead", "dimhead", "headsize", "dimperhead", "dimheads", "headwidth", "perheaddim",
           "attentionheadsize", "headdimension", "dperhead", "hiddenperhead"),
    "sqrt_dk": ("sqrtdk", "dksqrt", "rootdk", "sqrtd", "rootd", "sqrtheaddim", "sqrtdhead", "wurzeldk"),
    "normalized_shape": ("normalizedshape", "normshape"),
    "classes": ("classes", "numclasses", "nclasses", "vocabsize", "c", "vocab"),
}
KEEPING = ("keepprob", "pkeep", "keeprate", "keepprobability", "retain")  # 1 − p of a dropout
# What an update, a loss or a schedule is told beside its arrays, by the command's options.
NUMBERS = {
    "rate": ("rate", "lr", "learningrate", "eta", "alpha", "stepsize", "peaklr", "maxlr", "baselr", "lrmax",
             "maxlearningrate", "etamax", "lernrate", "taux", "tauxapprentissage", "tasa", "tasaaprendizaje", "lr0",
             "eta0"),
    "beta1": ("beta1", "b1"),
    "beta2": ("beta2", "b2"),
    "epsilon": ("epsilon", "eps", "adameps"),
    "weight_decay": ("weightdecay", "wd", "decay", "lambda", "lam", "lambd", "lmbda", "l2"),
    "momentum": ("momentum", "mu", "gamma", "momentumcoef", "momentumfactor"),
    "factor": ("factor", "clipfactor", "clipcoef"),
    "update": ("update", "t", "step", "steps", "iteration", "it", "i", "timestep", "stepnum", "stepcount", "n",
               "count", "counter"),
    "max_norm": ("maxnorm", "maxl2norm", "maxgradnorm", "clip", "clipnorm", "threshold", "gradclip", "theta", "c",
                 "limit"),
    "label_smoothing": ("labelsmoothing", "smoothing", "smooth", "ls"),
    "warmup": ("warmup", "warmupsteps", "warmupupdates", "warmupiters", "nwarmup", "numwarmupsteps"),
    "updates": ("updates", "totalsteps", "maxiters", "maxsteps", "nsteps", "numsteps", "numtrainingsteps", "total",
                "cosinecycleiters", "numupdates", "maxupdates", "lrdecayiters",
                "decaysteps", "totaliters"),
    "dropout": ("p", "rate", "dropout", "droprate", "prob", "pdrop", "dropprob", "dropoutrate", "dropoutp", "dropoutprob",
                "probability", "q", *KEEPING),
    "window": ("window", "lookback", "l", "seqlen", "inputlen", "windowsize", "inputlength", "context", "nin", "contextlength",
               "inputsize", "nsteps", "winlen", "history"),
    "horizon": ("horizon", "h", "predlen", "outputlen", "forecast", "nout", "outputlength", "ahead", "outputsize", "pred",
                "forecasthorizon", "predictionlength", "steps"),
    "training": ("training", "ntrain", "trainsize", "train", "split", "trainlen", "trainend", "splitindex", "numtrain"),
    "end": ENDS,
    "beam": ("beam", "beams", "numbeams", "beamwidth", "beamsize", "nbeams"),
    "length_penalty": ("lengthpenalty", "alpha", "lenpenalty", "penaltyalpha"),
    "temperature": ("temperature", "temp", "t", "tau"),
    "top_k": ("topk", "k"),
    "top_p": ("topp", "p", "nucleus"),
    "repetition_penalty": ("repetitionpenalty", "penalty", "theta", "rp", "reppenalty"),
    "tokens": ("tokens", "n", "maxnewtokens", "maxtokens", "maxlen", "length", "maxlength", "steps", "numtokens", "nnewtokens", "ntokens", "numnew"),
    "prompt": ("start", "starttoken", "bos", "startid", "bosid", "sos", "sosid", "first", "firsttoken", "starttokenid",
               "bostokenid", "token", "startsymbol"),
    "dmodel": CALLED["dmodel"],
    "start": ("start", "startlr", "initlr", "initiallr", "warmupinitlr", "warmupstart", "warmupinit", "lrinit",
              "warmupstartlr", "warmuplr"),
    "decay": ("decay", "decayiters", "ndecay", "cooldown", "cooldownsteps", "decayupdates"),
    "least": ("least", "minlr", "lrmin", "etamin", "minlearningrate"),
}
LENGTHS = {"window": re.compile("past|hist|back|input|before|^enc|win"),
           "horizon": re.compile("target|fut|out|pred|next|label|after|ahead|^dec|tgt")}
ANY = re.compile("")
NO_LENGTH = re.compile("stride|^step|gap|skip|shift|offset|batch|seed|size$|frac|ratio|col|feature")
KEPT = ("update",)  # of the probe's options: a function without a parameter for it cannot be right with any other
PAIRS = {"betas": ("beta1", "beta2")}
# How a loss is told which labels are padding: by a number below 0 that does not count, or by a class of its own.
PADDINGS = {"ignored": ("ignoreindex", "ignoreid", "ignorelabel", "ignore"),
            "pad": ("padid", "padidx", "padindex", "padtokenid", "paddingidx", "paddingid", "pad", "padtoken", "srcpadidx", "trgpadidx",
                    "tgtpadidx", "srcpad", "trgpad", "tgtpad", "padvalue", "paddingvalue", "paddingtoken", "paddingtokenid",
                    "paddingindex", "padword", "padwordid")}
OF_MASKS = {"reach": ("reach", "window", "windowsize", "w", "band", "bandwidth", "radius", "k", "span", "slidingwindow", "localwindow",
                      "attentionwindow", "lookback", "distance", "maxdistance", "r", "width", "localwindowsize")}
GREEK = {"α": "alpha", "β": "beta", "ε": "eps", "ϵ": "eps", "η": "eta", "θ": "theta", "λ": "lambda", "μ": "mu",
         "γ": "gamma"}
MASKS = ("mask", "attnmask", "attentionmask", "srcmask", "tgtmask", "causalmask", "keypaddingmask", "paddingmask",
         "keep", "visible", "valid", "hide", "hidden", "maskout", "pad", "padding", "tril", "triu", "allowed", "allow", "forbidden",
         "blocked", "future", "lookahead", "subsequent", "maske", "masque", "mascara", "maschera")
ADDED = ("attnbias", "attentionbias", "biasmask", "maskbias", "scorebias", "scoresbias", "logitbias")  # masks of 0 and −∞
VARIABLE = ("var", "variable")
MEMORY_MASK, OF_MEMORY = "memory mask", re.compile(r"(?:src|source|mem|memory|enc|encoder|cross|context|decenc)\w*mask")
ALONE = re.compile(r"(?:mem|memory|context|cross|encoder|enc)\w*mask")  # no other is beside it: what hides later keys it has itself
OF_LATER = re.compile("ahead|causal|subsequent|future")  # beside it, of a decoder, padding is the memory's
# What an optimiser keeps between its updates, as one dictionary.
STATES = ("state", "states", "optstate", "optimstate", "optimizerstate", "optimiserstate", "cache", "config", "zustand",
          "etat", "estado", "memory", "memo", "buffers", "store", "speicher", "moments", "momente", "momentos")
# Names of masks whose 1 hides; key_padding_mask is PyTorch's own.
HIDING = re.compile(r"hid|ignore|forbid|mask(?:ed)?_?out|block|key_?padding|triu|future|disallow|not_?allowed|"
                    r"invisible|unseen|exclude|illegal|verbot|versteck|verdeckt|gesperrt")
# All parameters of a layer in one dictionary, by their names.
WEIGHTS = ("weights", "params", "parameters", "statedict", "weightdict", "weightsdict", "paramdict", "paramsdict",
           "allweights", "gewichte", "poids", "pesos", "parametres")


class NoDropout(float):
    """A rate of 0, and a layer with that rate, which some call."""
    def __call__(self, array, *_, **__):
        return array


TRAINING = ("training", "train", "istraining", "istrain", "trainmode")
# What is no array, and with which values the function is the layer: nothing is dropped while numbers are compared.
NEUTRAL = {**dict.fromkeys(("dropout", "dropoutrate", "dropoutp", "dropoutprob", "dropoutratio", "dropoutlayer", "dropoutfn",
                            "attndropout", "attentiondropout", "residualdropout", "pdropout", "pdrop", "attnpdrop", "drop",
                            "droprate", "dropp", "dropprob", "attndrop"), NoDropout()),
           **dict.fromkeys(TRAINING, False)}
# Of dropout itself, which is judged in training.
OF_DROPOUT = {**dict.fromkeys(TRAINING, True), **dict.fromkeys(("deterministic", "eval", "evaluation", "inference"), False)}
# What a function without a default for it is told not to do: a mask says what is causal.
OFF = ("causal", "iscausal", "verbose", "debug", "inplace", "returnattention", "returnweights", "needweights",
       "returnattentionweights", "outputattentions")
# Flags that decide which keys are seen: what the layer's own mask asks of them no default knows.
DECIDING = re.compile(r"mask|causal|kausal|bidir|unidir|autoregress|future|ahead|decod|tril|triu|subsequent|zukunft|futur")
# Where it is true a key is hidden in PyTorch's modules, and seen in its function, or in Hugging Face's; of padding, too.
EITHER = re.compile(r".*attn_?mask|.*pad.*")


LETTERS = {**GREEK, "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}


def plain(name):
    spelt = "".join(LETTERS.get(letter, letter) for letter in unicodedata.normalize("NFC", name.lower()))
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFD", spelt))


def what_is(name, known):
    """The array that a parameter of this name takes, of those that are known; None if that cannot be told. Of
    self-attention queries, keys and values are all made from x, of cross-attention keys and values from the memory."""
    if name in known:
        return name
    short = plain(name)
    for each in known:
        if short == plain(each) or short in CALLED.get(each, ()):
            return each
    if "v_before" not in known and "m_before" in known and short in CALLED["v_before"]:
        return "m_before"  # of gradient descent v is the velocity
    for each in ("Q", "K", "V"):
        if "x" in known and short in CALLED[each]:
            return "memory" if "memory" in known and each != "Q" else "x"
    if short == "size" and "dmodel" not in known and "seq" in known:
        return "seq"
    return None


def by_parts(name, known):
    """The array that a part of a parameter's name tells of: bigram_logits, pred_seq; None if it is not one."""
    parts = {part for part in re.split(r"[^a-z0-9]+", name.lower()) if len(part) > 3}
    found = [each for each in known if each in BY_PARTS and parts & {each, *CALLED[each]}]
    return found[0] if len(found) == 1 else None


ORDERS = ("k", "n", "maxn", "order", "maxorder", "ngrams", "ngramorder", "maxngram", "maxngramorder")  # of BLEU
BY_PARTS = ("kept", "gradients", "left", "series", "table", "prompt", "tokens", "translation", "reference")


def numbers_called(name, numbers):
    """The options that a parameter of this name takes, of those that there are; nearly always one."""
    short = plain(name)
    pair = PAIRS.get(short, ())
    if pair and all(option in numbers for option in pair):
        return pair
    if short == "factor" and "factor" not in numbers and "rate" in numbers:  # of the paper's schedule
        return ("rate",)
    return next(((option, ) for option in numbers if short in (plain(option), *{**NUMBERS, **PADDINGS, **OF_MASKS}[option])), ())


class Part:
    """One of a layer's parameters, by what it does there: ("self_attn.", "q", "weight"). Which of its axes comes first
    a name like W_q does not say."""
    def __init__(self, key, is_turned, is_stated=False):
        self.key, self.is_turned = key, is_turned  # (in, out) is likelier than (out, in)
        self.is_stated = is_stated  # the caller's own words: nothing else is tried

    def is_matrix(self):
        return self.key[2] == "weight" and not self.key[1].startswith("norm")


def part_called(name, parts):
    """The part that a parameter of this name takes; None if it names none, or one of several."""
    found = place_of_parameter(name)
    if found is None:
        return None
    scope, role, kind, is_turned = found
    fitting = [key for key in parts if key[1:] == (role, kind)]
    if not fitting and role == "o":  # of a network, what goes out of it
        fitting = [key for key in parts if key[1:] == ("linear2", kind)]
    own = [key for key in fitting if key[0].endswith(scope or "self_attn.")]
    chosen = own or ([] if scope == "multihead_attn." else fitting)
    return Part(chosen[0], is_turned) if len(chosen) == 1 else None


class Plan:
    """For each parameter what it takes: a name of an array, "mask", a part of the weights, or a value as it is. `guess`
    says it of some whose names do not: {"taux": "rate"}; of what `*rest` takes {"*": ("Q", "K")}."""
    def __init__(self, function, known, arguments=None, numbers=(), parts=(), has_mask=False, guess=None, of_sizes=False,
                 gives_input=True):
        self.has_mask = has_mask  # one that is given to a parameter of any name, behind the inputs
        self.gives_input = gives_input  # to a parameter whose name does not say so, of a layer of one input
        self.of_sizes = of_sizes  # two sizes are all that it has to be told, how many positions and how wide
        self.positional, self.named, self.masks = [], {}, []
        self.numbers, self.stated = {}, {}  # {parameter: options} that are told; {option: value} that the caller tells
        self.guess = guess or {}
        self.unknown, self.optional = [], []  # whose names do not tell what they take: without, and with a default
        self.joined_by_head = False  # how rows lie in one matrix for queries, keys and values
        self.padding = None  # the label of what does not count, where the function has it in its own lines
        self.reach = self.means = self.read_as = None  # of a mask that is made: its window, what its 1 means, is read as meaning
        self.missing = None  # one for which, by its place, there is nothing
        self.function, self.parameters = function, parameters_of(function)
        self.known, self.all_numbers, self.all_parts = list(known), numbers, parts
        self.rest_words = None  # what `*rest` takes
        self._taken, self._by_caller = {}, set(arguments or {})
        self.moments = moments_of([plain(name) for name in self.parameters or ()]) if set(AVERAGES) <= set(known) else {}
        self._fill(arguments or {})

    def is_flag(self, name):
        """Whether a parameter is true or false: its default says so, or, of one without, its name."""
        default = self.parameters[name].default
        return isinstance(default, bool) or (plain(name) in OFF and default is inspect.Parameter.empty)

    def deciding(self):
        """The flags that decide which keys are seen, {name: what it is without a guess}."""
        named = {name: each for name, each in (self.parameters or {}).items()
                 if name in self._taken or isinstance(each.default, bool)}
        own = [name for name in named if self.is_flag(name) and DECIDING.search(plain(name)) and plain(name) not in NEUTRAL
               and name not in self._by_caller and isinstance(self._taken.get(name, Fixed(None)), Fixed)]
        return {name: named[name].default is True for name in own}

    def not_judged(self):
        """Of a flag that decides it, and that a value was chosen for: the other one."""
        return {name: not self.guess.get(name, default) for name, default in self.deciding().items()
                if name in self.guess or self.parameters[name].default is inspect.Parameter.empty}

    @property
    def inputs(self):
        """Those of the layer, in order."""
        return [each for each in self.known if each not in SIZES and each not in NOT_BY_PLACE
                and not each.endswith(("weight", "bias"))]

    def _arrays(self, taken):
        """The inputs that are left, in order; the mask, which has no usual name in the students' languages, last."""
        inside = [*(AVERAGES if any(word in taken for word in STATE_WORDS) else ()),
                  *("QKV" if THREE_IN_ONE in taken else ())]
        arrays = [each for each in self.inputs if each not in taken and each not in inside]
        return arrays + ["mask"] * (self.has_mask and "mask" not in taken)

    def left(self):
        """(arrays, numbers and sizes) that no parameter takes by its name, the likeliest first."""
        words = [what for name, what in self._taken.items() if isinstance(what, str) and name not in self.unknown]
        told = {option for options in self.numbers.values() for option in options}
        scalars = [each for each in self.all_numbers if each not in told and each not in PADDINGS]
        scalars += [each for each in self.known if each in SIZES and each not in words]
        return self._arrays(words), scalars

    def _fill(self, arguments):
        parameters = self.parameters or {}
        missing_word = [name for name in arguments if name not in parameters and not takes_any_word(parameters)]
        if missing_word:
            raise Error(f"arguments: the function has no parameter {missing_word[0]!r}; it has {', '.join(parameters)}")
        kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        ordered = [name for name, each in parameters.items() if each.kind not in kinds]
        taken = self._taken
        for name in ordered:
            what = self._stated(name, arguments[name]) if name in arguments else (
                self._guessed(name) if name in self.guess else self._named(name, taken))
            if what is not None:
                taken[name] = what
        self._exchange_classes(ordered, taken)
        self._give_the_input(taken)
        arrays = self._arrays([what for what in taken.values() if isinstance(what, str)])
        empty = inspect.Parameter.empty
        self.unknown = [name for name in ordered if parameters[name].default is empty and name not in taken]
        self.optional = [name for name in ordered if parameters[name].default is not empty and name not in taken]
        self._take_lengths(len([each for each in arrays if each != "mask"]), taken)
        if self.of_sizes and arrays:
            arrays = self._sizes_by_place(taken) or arrays
        for place, name in enumerate(self.unknown):
            if len(self.unknown) > len(arrays) or not self._may_be_array(name, arrays[place]):
                self.missing = self.missing or name
        if self.missing is None:
            taken.update(zip(self.unknown, arrays))
        taken.update({name: what for name, what in arguments.items() if name not in parameters})
        self._keep(parameters, taken)

    def _take_lengths(self, arrays, taken):
        """Of what cuts windows those parameters behind its arrays that name the one length or the other, or are all that is left."""
        told = {option for options in self.numbers.values() for option in options}
        left = [each for each in LENGTHS if each in self.all_numbers and each not in told]
        open_names = [name for name in self.unknown[arrays:] if not NO_LENGTH.search(plain(name))] if "series" in self.known else []
        for pattern in (LENGTHS.get, lambda _: ANY if len(left) == len(open_names) == 1 else None):
            for option in [each for each in left if pattern(each)]:
                names = [name for name in open_names if pattern(option).search(plain(name))]
                if len(names) == 1:
                    self.numbers[names[0]], taken[names[0]] = (option, ), Fixed(None)
            left = [each for each in left if (each, ) not in self.numbers.values()]
            open_names = [name for name in open_names if name not in taken]
        self.unknown = [name for name in self.unknown if name not in taken]

    def _sizes_by_place(self, taken):
        """What of the two sizes is left, for as many parameters; one alone may as well take the array."""
        left = [each for each in POSITIONS if each in self.known and not any(is_word(what, each) for what in taken.values())]
        return left if len(self.unknown) == len(left) else []

    def _guessed(self, name):
        word = self.guess[name]
        if isinstance(word, bool):
            return Fixed(word)
        if word not in self.all_numbers or word in self.known:
            return word
        self.numbers[name] = (word, )
        return Fixed(None)

    def refuse_missing(self):
        if self.missing is not None:
            raise Unknown(self.missing, self.names())

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

    def _give_the_input(self, taken):
        """Of a layer of one input the parameter that has to take it, whatever else its name may mean."""
        name = lone_input.taker_of(self, taken, SIZES) if self.gives_input else None
        if name is not None:
            taken[name] = next(each for each in self.inputs if each in lone_input.ONLY)
            self.numbers.pop(name, None)

    def is_stated(self, name):
        """Whether the caller, or a guess, says what a parameter takes."""
        return name in self._by_caller or name in self.guess

    def taken_by(self, name):
        """What a parameter takes; None if nothing."""
        return self._taken.get(name)

    def _may_be_array(self, name, array):
        """Of a name that says nothing; what is called W_1 is no mask."""
        is_other = plain(name) in OF_NUMBERS or (self.all_parts and OF_WEIGHTS.match(name.lower()))
        return plain(name) not in NO_ARRAYS and not (array == "mask" and is_other)

    def _stated(self, name, value):
        """What the caller says: the name of an array, of a number, or a value as it is."""
        if isinstance(value, Fixed):
            return value
        if isinstance(value, str) and value not in self.known and (value in self.all_numbers or value in PAIRS):
            self.numbers[name] = PAIRS.get(value, (value, ))
            return Fixed(None)
        if isinstance(value, str):
            base, is_turned = value.removesuffix(".T"), value.endswith(".T")
            part = None if base in self.known else part_called(base, self.all_parts)
            return value if part is None else Part(part.key, is_turned, is_stated=True)
        if what_is(name, self.known) is None:
            options = numbers_called(name, self.all_numbers)
            self.stated.update(zip(options, value if len(options) > 1 else [value]))
        return Fixed(value)

    def _named(self, name, taken):
        """What a parameter takes by its name; None if it does not tell. What is true or false by default is no array."""
        if isinstance(self.parameters[name].default, bool):
            return self._neutral(name)
        used = [what for what in taken.values() if isinstance(what, str)]
        if self._is_three_in_one(name):
            return THREE_IN_ONE
        if plain(name) in self.moments:
            return self.moments[plain(name)]
        told = {option for options in self.numbers.values() for option in options}
        options = numbers_called(name, [each for each in self.all_numbers if each not in told])
        is_padding = any(option in PADDINGS for option in options)
        is_kept = "kept" in self.known and "kept" not in used  # a dropout's mask
        if self._is_of_memory(name):
            return MEMORY_MASK if self.parameters[name].default is inspect.Parameter.empty else None
        is_input = plain(name) == "hidden" and self._is_hidden_state(name, taken)
        if is_mask(name) and not is_padding and not is_kept and not is_input:
            is_second = plain(name) in ADDED and any(is_mask(each) and plain(each) not in ADDED for each in self.parameters)
            return None if "mask" in used or is_second else "mask"
        if "weight" in self.known and "weights" not in used and self._is_of_weights(name):
            return "weights"
        if "ids" in self.known and plain(name) == "seq" and is_read_as_array(self.function, name):
            return "ids"
        if "ids" in self.known and plain(name) in QUERIES_OR_KEYS:
            return "seq"
        if plain(name) in VARIABLE and "v_before" in self.known and self._is_variable(name):
            return "before"
        again = ("x", "memory", *(("ids", "seq") if "ids" in self.known else ()))
        what = what_is(name, [each for each in self.known if each in again or each not in used])
        has_default = self.parameters[name].default is not inspect.Parameter.empty
        if what == "x" and "x" in used and has_default and plain(name) in CALLED["x"]:  # of a block that also serves a decoder
            return "memory" if plain(name) == "src" and "memory" in self.known and "memory" not in used else None
        if what is None and not has_default and {"x", "heads"} <= set(self.known) and self._is_second(name):
            return "x"
        if what is not None and (what not in SIZES or self._needs_size(name, what)):
            return what
        if options:
            self.numbers[name] = options
            return Fixed(None)
        if self.all_parts and plain(name) in WEIGHTS:
            return "weights"
        if plain(name) in STATES and "m_before" in self.known and "state" not in used:
            return "state"
        if plain(name) in NEUTRAL or ("kept" in self.known and plain(name) in OF_DROPOUT):
            return self._neutral(name)
        if plain(name) in OFF and self.parameters[name].default is inspect.Parameter.empty:
            return Fixed(False)
        if "reference" in self.known and plain(name) in ORDERS:
            return Fixed(4)
        by_part = by_parts(name, [each for each in self.known if each not in used])
        by_part = part_called(name, self.all_parts) if by_part is None else by_part
        return "weights" if by_part is None and self.all_parts and is_keyed(self.function, name) else by_part

    def _is_hidden_state(self, name, taken):
        """Whether what is called hidden is the layer's x, and not a mask of what is hidden: nothing else takes x."""
        others = [each for each in self.parameters if each != name]
        before = [each for each in others[:list(self.parameters).index(name)]
                  if self.parameters[each].default is inspect.Parameter.empty and each not in taken]
        return not self.has_mask or ("x" in self.known and not before and all(what_is(each, ["x"]) is None for each in others))

    def _is_of_weights(self, name):
        """Of a layer that is one matrix or one norm: whether all its parameters are taken as one. Some names are those of the
        matrix, too."""
        is_both = plain(name) in CALLED["weight"] or plain(name) in CALLED["bias"] or plain(name) not in WEIGHTS
        return is_keyed(self.function, name) if is_both else True

    def _is_second(self, name):
        """Whether it takes what keys and values are made from, of self-attention the same."""
        return "memory" not in self.known and plain(name) in SECOND_INPUTS

    def _is_of_memory(self, name):
        """Whether a mask is that of the memory's keys, beside another: the layer's own hides of the target."""
        others = [each for each in self.parameters if is_mask(each) and each != name and not OF_MEMORY.fullmatch(plain(each))]
        is_beside_later = plain(name) == "paddingmask" and any(OF_LATER.search(plain(each)) for each in others)
        is_alone = bool(ALONE.fullmatch(plain(name))) and not any(is_mask(each) for each in self.parameters if each != name)
        return "memory" in self.known and (is_alone or bool((OF_MEMORY.fullmatch(plain(name)) or is_beside_later) and others))

    def _is_variable(self, name):
        """Whether what may be short for variance is a variable, as TensorFlow calls parameters: another one is v, and none is w."""
        others = [plain(each) for each in self.parameters if each != name]
        return any(each in CALLED["v_before"] for each in others) and not any(each in CALLED["before"] for each in others)

    def _is_three_in_one(self, name):
        """Whether it takes queries, keys and values together: qkv, or inputs where no other has to be given."""
        needed = [each for each, own in self.parameters.items()
                  if own.default is inspect.Parameter.empty and own.kind is not own.VAR_KEYWORD and not is_mask(each)]
        is_only = needed == [name] and plain(name) in INPUTS_NAMES
        return {"Q", "K", "V"} <= set(self.known) and (plain(name) in THREE_NAMES or is_only)

    def _neutral(self, name):
        """With what nothing is dropped: None stays None, for who has it by default may call what else is there."""
        if "kept" in self.known and plain(name) in OF_DROPOUT:
            return Fixed(OF_DROPOUT[plain(name)])
        if plain(name) not in NEUTRAL:
            return None
        return Fixed(None if self.parameters[name].default is None else NEUTRAL[plain(name)])

    def _needs_size(self, name, size):
        """A size that is there by default is given too, but to one letter, which may be anything."""
        default = self.parameters[name].default
        is_axis = plain(name) == "dim" and isinstance(default, int) and default < 4  # as PyTorch calls an axis
        is_size = isinstance(default, int) and not isinstance(default, bool) and not is_axis
        return default is inspect.Parameter.empty or (is_size and (len(plain(name)) > 1 or size == "heads"))

    def _keep(self, parameters, taken):
        """Behind what stands before `*rest` the arrays that are left, each by its place."""
        in_order = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        first = [name for name, each in parameters.items() if each.kind in in_order]
        takes_rest = self.parameters is None or any(each.kind is each.VAR_POSITIONAL for each in parameters.values())
        has_rest = takes_rest and all(name in taken for name in first)
        for name, parameter in parameters.items():
            is_positional = parameter.kind is parameter.POSITIONAL_ONLY or (has_rest and name in first)
            if name in taken and is_positional:
                self.positional.append(taken[name])
            elif name in taken:
                self.named[name] = taken[name]
        self.named.update({name: what for name, what in taken.items() if name not in parameters})
        if has_rest:
            used = [what for what in taken.values() if isinstance(what, str)]
            self.rest_words = self.guess.get("*", [each for each in self._arrays(used) if each != "mask"])
            self.positional += [self._of_rest(f"*{place}", word) for place, word in enumerate(self.rest_words)]
        self.masks = [name for name, what in taken.items() if is_word(what, "mask")]

    def _of_rest(self, name, word):
        if word in self.all_numbers and word not in self.known:
            self.numbers[name] = (word, )
            self._taken[name] = word = Fixed(None)
        return word

    def tell(self, name, value):
        """The number that a parameter takes, wherever it stands."""
        self._taken[name].value = 1 - value if plain(name) in KEEPING else value

    def told(self, name):
        """The number that a parameter takes."""
        return self._taken[name].value

    def names(self):
        """All that a parameter can take, for who has to choose."""
        apart = [part_name(key) for key in self.all_parts if key[1] in ("q", "k", "v")]
        return [*dict.fromkeys([*self.known, *apart, *["weights"] * bool(self.all_parts or "weight" in self.known), *self.all_numbers,
                                *["mask"] * (self.has_mask or self.takes_mask)])]

    def taken(self):
        """What the parameters take."""
        return [*self.positional, *self.named.values()]

    def taken_as(self):
        """{parameter: what it takes}, of those that were guessed."""
        return {name: word for name, word in self.guess.items() if name != "*" and word not in STATE_WORDS}

    @property
    def takes_mask(self):
        return any(is_word(what, "mask") for what in self.taken())

    @property
    def takes_state(self):
        return any(isinstance(what, str) and what in STATE_WORDS for what in self.taken())

    @property
    def takes_time_alone(self):
        """Of a layer that encodes when each row of a series was measured: not the series itself."""
        words = [what for what in self.taken() if isinstance(what, str)]
        return {"x", "time"} <= set(self.known) and "time" in words and "x" not in words

    @property
    def takes_velocity(self):
        """Whether it takes what gradient descent keeps, alone or in its state."""
        return "v_before" not in self.known and (self.takes_state or any(is_word(what, "m_before") for what in self.taken()))

    @property
    def takes_arrays(self):
        return any(isinstance(what, str) and what not in SIZES and what not in NOT_BY_PLACE and what != "mask"
                   for what in self.taken())

    def layouts(self, weights):
        """How the matrices that the function takes may lie, all of them as one: as their names say, (out, in) or (in, out).
        `weights` has those that it may take by the layer's own names; each name says (out, in) there."""
        if any(is_word(what, "weights") for what in self.taken()):
            return ["named", "out-in", "in-out"]
        stated = [part.is_turned for part in self.parts if not part.is_stated and part.is_matrix()]
        stated += [False for what in self.taken() if isinstance(what, str) and what in weights]
        found = {}
        for layout in ("named", "out-in", "in-out"):
            found.setdefault(tuple(is_turned(turned, layout) for turned in stated), layout)
        return list(found.values())

    @property
    def takes_projections(self):
        """Whether it takes the matrices of attention, each by itself."""
        keys = [part.key for part in self.parts if not part.is_stated]
        keys += self.all_parts if any(is_word(what, "weights") for what in self.taken()) else []
        return any(key[1:] == ("q", "weight") for key in keys)

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
                         f"{', '.join(each for each in known if each != name)}")
        self.name, self.known = name, known


def is_turned(stated, layout):
    """Whether a matrix has its axes as (in, out), whose name says so or not."""
    return {"named": stated, "out-in": False, "in-out": True}[layout]


def is_keyed(function, name):
    """Whether a function's own text takes its parameter for a dictionary: params["w"], params.get("b"), **params."""
    try:
        text = inspect.getsource(inspect.unwrap(getattr(function, "__func__", function)))
    except (OSError, TypeError):
        return False
    own = re.escape(name)
    return re.search(rf"(?<![\w.]){own}\s*(?:\[\s*[\"']|\.(?:get|items|keys|values)\()|\*\*{own}\b", text) is not None


def is_read_as_array(function, name):
    """Whether a function's own text compares its parameter, or asks for its shape or elements."""
    try:
        text = inspect.getsource(inspect.unwrap(getattr(function, "__func__", function)))
    except (OSError, TypeError):
        return False
    return re.search(rf"(?<![\w.]){re.escape(name)}\s*(?:\.|\[|==|!=)", text) is not None


class Weights(dict):
    """A layer's parameters by its own names, and by those that students have for them: weights["W_q"]. `find` gives the
    array of a part; `alone`, of a layer that is one matrix or one norm, that of its own name, (in, out) or not. `read` has
    what was asked for."""
    def __init__(self, arrays, parts, find, alone=None):
        super().__init__(arrays)
        self.parts, self.read = parts, set()
        self.reads_bias = False  # of a layer that is no norm
        self.find = lambda part: self.found(part, find)
        self.is_alone = not parts and "weight" in arrays
        self.alone = alone or (lambda name, _: super(Weights, self).__getitem__(name))

    def own(self, name):
        """The layer's own name for it; None if it has none."""
        found = next((each for each in self.keys() if plain(each) == plain(name)), None)
        if found is not None or not self.is_alone:
            return found
        return next((each for each in self.keys() if plain(name) in CALLED[each]), None)

    def __getitem__(self, name):
        if isinstance(name, int) and self.is_alone and 0 <= name < len(self):  # (W, b), as many have them
            name = ("W", "b")[name]
        own = self.own(str(name))
        if self.is_alone and own is None and re.fullmatch(HOLDERS, str(name).lower()):
            return self
        self.read.add(own)
        self.reads_bias |= own is not None and own.endswith("bias") and "norm" not in own
        if self.is_alone and own is not None:
            return self.alone(own, plain(str(name)) in IN_OUT)
        part = None if own else part_called(str(name), self.parts)
        if own is None and part is None:
            return self.layer_called(name)
        return super().__getitem__(own) if own else self.find(part)

    def found(self, part, find):
        self.reads_bias |= part.key[2] == "bias" and not part.key[1].startswith("norm")
        return find(part)

    def layer_called(self, name):
        """One of several layers: params["fc1"], of which the kernel is asked for then."""
        place = place_of(NUMBERED.get(str(name).lower(), str(name).lower()))
        if not any(key[:2] == place for key in self.parts):
            raise KeyError(name)
        return LayerWeights(self.parts, place, self.find)

    def __contains__(self, name):
        return self.get(name) is not None

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default


class LayerWeights(dict):
    """The parameters of one layer of several, by their usual names."""
    def __init__(self, parts, place, find):
        super().__init__()
        self.parts, self.place, self.find = parts, place, find

    def __missing__(self, name):
        kinds = NORM_KINDS if self.place[1].startswith("norm") else KINDS
        kind = next((kind for kind, words in kinds if re.fullmatch(words, str(name).lower())), None)
        if (*self.place, kind) not in self.parts:
            raise KeyError(name)
        return self.find(Part((*self.place, kind), plain(str(name)) in IN_OUT))

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default


IN_OUT = ("w", "kernel")  # as x @ W has it; a weight is (out, in)
# What holds the parameters of a layer inside: params["dense"]["w"], variables["params"]["kernel"].
HOLDERS = r"(?:params|dense|linear|fc|lin|layer|proj|affine|norm|layer_?norm|ln|model|net)_?\d*"
NUMBERED = {"dense_0": "linear1", "dense_1": "linear2", "layers_0": "linear1", "layers_1": "linear2", "layer_0": "linear1",
            "layer_1": "linear2"}  # as Flax counts


class Three(tuple):
    """Queries, keys and values as one, in this order, or by their names: inputs["q"]."""
    def __getitem__(self, place):
        name = what_is(place, "QKV") if isinstance(place, str) else None
        return super().__getitem__(place if name is None else "QKV".index(name))


class Fixed:
    """A value as it is, for a parameter."""
    def __init__(self, value):
        self.value = value


POSITIONS = ("seq", "dmodel")
# Of a mask that is made: as many of the one as of the other.
QUERIES_OR_KEYS = ("qlen", "klen", "kvlen", "querylen", "keylen", "querylength", "keylength", "nq", "nk", "tq", "tk", "lq", "lk", "sz")
SECOND_INPUTS = (*CALLED["memory"], "c", "ctx", "cond", "y", "kv", "other", "x2", "src2")
SIZES = ("heads", "batch", "seq", "dmodel", "dk", "sqrt_dk", "normalized_shape", "classes")
NO_ARRAYS = {"scale", "scaling", "temperature", "axis", "dim", "device", "dtype", "seed", "rng", "reduction"}
# Of numbers and sizes that this layer does not have: no masks.
OF_NUMBERS = {word for words in (*NUMBERS.values(), *(CALLED[size] for size in SIZES)) for word in words if len(word) > 2}
OF_WEIGHTS = re.compile(r"[wb](?:_|\d|$)|w[a-z]$|.*(?:weight|bias|proj|kernel|param|matrix)")
INDICES = ("classes", "c", "cls")  # as a number, and as one for each row
NOT_BY_PLACE = ("lengths", "probabilities")
AVERAGES = ("m_before", "v_before")
THREE_IN_ONE, THREE_NAMES = "Q, K, V", ("qkv", "qkvs", "querieskeysvalues", "querykeyvalue")
INPUTS_NAMES = ("inputs", "input", "data", "arrays", "tensors", "eingaben", "entrees", "entradas")
# A dictionary with the number of this update, or of the one before; the averages alone, or with that number behind or
# before them.
STATE_WORDS = ("state", "state before", "state pair", "state triple", "state triple before", "state count first",
               "state count first before")


# What people call a result, in a dictionary of steps, too.
RESULTS = ("output", "outputs", "out", "result", "results", "y", "o", "z", "context", "contextvector", "answer", "ret")


def is_word(what, word):
    return isinstance(what, str) and what == word


# Two averages whose names mean them beside each other: optax', Coursera's and those of Deep Learning (Goodfellow).
MOMENTS = (("mu", "nu"), ("v", "s"), ("s", "r"))


def moments_of(names):
    """{name: average} of those that are both there."""
    for pair in MOMENTS:
        if set(pair) <= set(names) and not {"m", "state"} & set(names):
            return dict(zip(pair, AVERAGES))
    return {}


def is_mask(name):
    """What hides keys; a mask of heads leaves whole heads out."""
    short = plain(name)
    return short in MASKS or short in ADDED or bool(re.search(r"(?<!head)mask$|aheadmask$", short))


def part_name(key):
    """As it is usually called."""
    scope, role, kind = key
    return f"{scope}{role}{'_proj' if role in ('q', 'k', 'v', 'qkv', 'kv', 'o') else ''}.{kind}"


def parameters_of(function):
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return documented_parameters(function)


def documented_parameters(function):
    """Those that the first line of its text names, "linear(input, weight, bias=None) -> Tensor": PyTorch's own compiled
    functions have no other signature. None without such a line."""
    line = re.match(r"\s*(\w+\([^()]*\))\s*->", getattr(function, "__doc__", None) or "")
    try:
        arguments = ast.parse(f"def {line[1]}: pass").body[0].args if line else None
        values = [] if arguments is None else [ast.literal_eval(each) for each in arguments.defaults]
    except (SyntaxError, ValueError):
        return None
    if arguments is None or arguments.kwonlyargs or arguments.vararg:
        return None
    names = [each.arg for each in arguments.args]
    defaults = [inspect.Parameter.empty] * (len(names) - len(values)) + values
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return {name: inspect.Parameter(name, kind, default=default) for name, default in zip(names, defaults)}


def takes_any_word(parameters):
    return any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def size_of(name, inputs, heads):
    """A size that a function is told, or its root, as the first of the layer's inputs has it."""
    first = next(iter(inputs.values()))
    if name == "heads":
        return heads
    if name == "sqrt_dk":  # what the scores are divided by
        return math.sqrt(size_of("dk", inputs, heads))
    if name == "normalized_shape":
        return first.shape[-1:]
    if name == "dk" and heads and "Q" not in inputs:
        return first.shape[-1] // heads
    return first.shape[-2 if name == "seq" else -1]
