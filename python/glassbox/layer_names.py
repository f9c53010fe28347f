"""What layers and their sizes are called elsewhere: check("mha", …, num_heads=4) is check("multihead", …, heads=4)."""
from .errors import Error
from .signature import numbers_called, parameters_of, plain

# By these names a layer is meant, and nothing else.
NAMES = {
    "attention": ("scaleddotproductattention", "sdpa", "dotproductattention", "scaleddotproduct", "selfattention"),
    "multihead": ("mha", "multiheadattention", "multiheadselfattention", "multiheadedattention"),
    "cross-attention": ("encoderdecoderattention", ),
    "softmax": (),
    "log-softmax": (),
    "layer-norm": ("layernormalization", "layernormalisation", "ln"),
    "feed-forward": ("feedforwardnetwork", "ffn", "mlp", "positionwisefeedforward", "positionwiseffn"),
    "embedding": ("tokenembedding", "embeddings", "wordembedding"),
    "linear": ("linearlayer", "dense", "fc", "fullyconnected"),
    "positional": ("positionalencoding", "pe", "posenc", "sinusoidal", "posencoding"),
    "encoder-block": ("encoderlayer", "transformerencoderlayer"),
    "decoder-block": ("decoderlayer", "transformerdecoderlayer"),
    "encoder": ("transformerencoder", ),
    "decoder": ("transformerdecoder", ),
    "next-token": (),
    "loss": ("crossentropy", "ce", "celoss", "crossentropyloss", "softmaxcrossentropy"),
    "adam": ("adamw", "sgd", "momentum", "gradientdescent"),
    "clip": ("gradientclipping", "gradclip", "clipgradnorm", "clipgradients", "clipnorm", "clipping"),
    "dropout": ("inverteddropout", "dropoutlayer"),
    "perplexity": ("ppl", ),
    "training-step": ("trainstep", "gradientaccumulation"),
    "windows": ("slidingwindow", "slidingwindows"),
    "bleu": ("bleuscore", "sentencebleu"),
    "bpe": ("bytepairencoding", "bytepairs"),
    "schedule": ("lrschedule", "learningrate", "lr", "noam", "cosineschedule", "scheduler", "lrscheduler", "learningrateschedule"),
}
# What such a name says beside.
OPTIONS = {"adamw": {"optimiser": "adamw"}, "sgd": {"optimiser": "sgd"}, "momentum": {"optimiser": "sgd"},
           "gradientdescent": {"optimiser": "sgd"}, "noam": {"schedule": "inverse-sqrt"}, "cosineschedule": {"schedule": "cosine"}}
# By these names others may be meant, too: they are asked about.
LIKE = {
    "layer-norm": ("norm", ),
    "positional": ("positionalembedding", ),
    "encoder-block": ("transformerblock", "block", "layer"),
    "decoder": ("gpt", ),
    "loss": ("nll", "nllloss", "softmaxloss"),
    "adam": ("optimiser", "optimizer"),
    "dropout": ("dropoutforward", ),
    "perplexity": ("perplexityscore", ),
    "training-step": ("trainingloop", "accumulation", "optimizerstep"),
    "windows": ("createsequences", "makewindows", "windowing"),
    "scaler": ("standardscaler", "standardize", "standardise", "revin", "normalizer", "zscore"),
    "bleu": ("corpusbleu", ),
    "bpe": ("tokenizer", "learnbpe"),
    "decode": ("generate", "greedydecode", "greedy", "beamsearch", "sampling", "sample", "topk", "topp", "nucleus"),
    "schedule": ("warmup", ),
}
SELF_ATTENTION = "selfattention"  # with several heads or with one
ONE_STEP = "decode: the layer next-token, for it takes logits"
OF_LABELS = "next-token: the layer loss, for it takes labels"
LABELS = ("labels", "label", "targets", "target")
LOGITS = ("logits", "logit", "nextlogits", "nexttokenlogits", "lastlogits", "scores", "nexttokenscores")
OF_STEP = ("temperature", "top_k", "top_p", "repetition_penalty")  # what a function may be told of one step
OF_DECODING = (*OF_STEP, "beam", "length_penalty", "tokens", "prompt")
OF_DECODER = ("table", "prompt", "words", "beam", "text")
KEYWORDS = {"d_model": "dmodel", "d_ff": "dff", "d_k": "dk", "num_heads": "heads", "n_heads": "heads"}


def called(word, names):
    """The layer that has this name there; None if none has."""
    return next((layer for layer in names if plain(word) in (plain(layer), *names[layer])), None)


def layer_called(word):
    """What is said of a name that no layer has; "" if nothing can be."""
    layer = called(word, NAMES) or called(word, LIKE)
    return f"; did you mean {layer!r}?" if layer else ""


def taken_for(word, has_heads):
    """(layer, options, what is said of it) for a layer's name; `has_heads()` tells of a self-attention which one it is."""
    layer = None if not isinstance(word, str) or word in NAMES else called(word, NAMES)
    if layer is None:
        return word, {}, []
    layer = "multihead" if plain(word) == SELF_ATTENTION and has_heads() else layer
    options = OPTIONS.get(plain(word), {})
    beside = "".join(f" with {name}=\"{value}\"" for name, value in options.items())
    return layer, options, [f"{word}: the layer {layer}{beside}"]


def of_one_step(given, keywords):
    """Whether what is handed in as a decoder changes the logits of one step: it takes logits and how they are changed, and neither
    what is to be continued for how long nor, by the caller's keywords, a table of them."""
    numbers = [option for name in parameters_of(given) or {} for option in numbers_called(name, OF_DECODING)]
    takes_logits = any(plain(name) in LOGITS for name in parameters_of(given) or {})
    return takes_logits and bool(set(numbers) & set(OF_STEP)) and set(numbers) <= set(OF_STEP) and not set(keywords) & set(OF_DECODER)


def of_loss(given):
    """Whether what is handed in as the choice of the next token is the loss of a language model: it takes labels."""
    return any(plain(name) in LABELS for name in parameters_of(given) or {})


def with_own_keywords(keywords):
    """The same by the names that the command's options have."""
    for name in set(KEYWORDS) & set(keywords):
        if KEYWORDS[name] in keywords or sum(KEYWORDS.get(each) == KEYWORDS[name] for each in keywords) > 1:
            raise Error(f"check: {name} is another name of {KEYWORDS[name]}: use only one of the two")
    return {KEYWORDS.get(name, name): value for name, value in keywords.items()}
