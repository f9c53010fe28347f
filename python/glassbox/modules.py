"""Modules of PyTorch and Flax as they are: their parameters by the command's names, their options, and how they are
called."""
import copy
import inspect
import sys

import numpy as np

from .arrays import Kind, framework_of, to_numpy
from .errors import Error
from .names import canonical, is_known
from .steps_of import named
from .weights import weights_of

HEADS = ("num_heads", "n_heads", "heads", "nhead", "n_head", "num_attention_heads", "h")
# Arguments that say whether it is training, and what they are when it is not.
INFERENCE = {"deterministic": True, "train": False, "training": False, "is_training": False}


def is_torch_module(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def is_flax_module(value):
    return any(kind.__module__.startswith("flax.") and kind.__name__ == "Module" for kind in type(value).__mro__)


def is_module(value):
    return is_torch_module(value) or is_flax_module(value)


def builtin(module):
    """The name of PyTorch's own module whose forward this is; "" for anything else."""
    torch = sys.modules.get("torch")
    for name in ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "TransformerEncoder",
                 "TransformerDecoder"):
        kind = getattr(torch.nn, name) if torch else None
        if kind and isinstance(module, kind) and type(module).forward is kind.forward:
            return name
    return ""


def heads_of(module):
    """The number of heads that a module says it has; None if it does not."""
    parts = list(module.modules()) if is_torch_module(module) else [module]
    for part in parts:
        for name in HEADS:
            value = getattr(part, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
            if is_torch_module(value) and hasattr(value, "__len__"):
                return len(value)
    return None


def options_of(module):
    """The command's options that follow from a module of PyTorch's own."""
    options = {}
    heads = heads_of(module)
    if heads:
        options["heads"] = heads
    layer = module.layers[0] if builtin(module) in ("TransformerEncoder", "TransformerDecoder") else module
    if hasattr(layer, "norm_first") and layer.norm_first:
        options["norm"] = "pre"
    if builtin(layer).startswith("Transformer"):
        activation = getattr(layer.activation, "__name__", type(layer.activation).__name__).lower()
        if activation not in ("relu", "gelu"):
            raise Error(f"--activation: relu or gelu expected, and the module has {activation}")
        if activation == "gelu":
            options["activation"] = "gelu"
    return options


def describe(given, layer):
    """The parameters of a module, a state_dict or Flax's tree, as the command takes them, and the options they
    imply."""
    flat = given.variables["params"] if is_flax_module(given) else given
    arrays = canonical(weights_of(flat))
    options = options_of(given) if is_torch_module(given) else {}
    of_torch = is_torch_module(given) or any(framework_of(each) == "torch" for each in getattr(flat, "values", list)())
    if any("in_proj_weight" in name for name in arrays):
        options["convention"] = "paper"
    elif of_torch and any("qkv_proj" in name for name in arrays):
        options["convention"] = "uva-torch"
    has_bias = any(name.endswith(("in_proj_bias", "qkv_proj.bias")) for name in arrays)
    if arrays and not has_bias and layer not in ("positional", "time2vec") and any("proj" in name for name in arrays):
        options["no_bias"] = True
    return arrays, options


class Callable:
    """A function with the parameters that a check should fill, which may differ from its own."""
    def __init__(self, function, shown, name):
        self.function, self.__name__ = function, name
        self.__signature__ = inspect.signature(shown)
        self.__code__ = getattr(shown, "__code__", None)
        self.fixed = {word: value for word, value in INFERENCE.items() if word in self.__signature__.parameters}

    def __call__(self, *arguments, **keywords):
        return self.function(*arguments, **{**self.fixed, **keywords})


class Prepared:
    """A module made ready for a check: a copy with parameters that hide nothing, its weights, options and function."""
    def __init__(self, module, layer, weights=None):
        self.plain_mask = bool(is_torch_module(module) and builtin(module))  # its masks are (T, T), and 1 hides
        self.strange = []  # names of parameters that say nothing
        if is_torch_module(module):
            module = general_torch(module)
            self.module = module
            self.weights, self.options = describe(module if weights is None else weights, layer)
            self.options = {**self.options, **options_of(module)}
            self.strange = [] if is_known(self.weights) else list(self.weights)
            first = next(module.parameters(), None)
            self.dtype, self.device = (None, None) if first is None else (first.dtype, first.device)
            name = builtin(module)
            self.function = Callable(*caller(name, module),
                                     type(module).__name__) if name else Callable(module, module.forward,
                                                                                  type(module).__name__)
        else:
            self._flax(module, layer, weights)

    def recorded(self):
        """The function, whose module's own intermediates are collected while it is called."""
        if not is_torch_module(self.module):
            raise Error("steps: a PyTorch module expected; in Flax name the steps by glassbox.named")
        from .recording import Recorder

        def function(*arguments, **keywords):
            with Recorder(self.module) as seen:
                value = self.function(*arguments, **keywords)
            for name, array in seen.items():
                named(name, array)
            return value

        recorded = Callable(function, self.module.forward, self.function.__name__)
        recorded.__signature__ = self.function.__signature__
        return recorded

    def _flax(self, module, layer, weights):
        if weights is None and getattr(module, "scope", None) is None:
            raise Error(
                f"weights: the parameters of {type(module).__name__} expected: weights=variables, as init gave them")
        params = module.variables["params"] if weights is None else weights.get("params", weights)
        params = general_tree(params)
        unbound = module.unbind()[0] if getattr(module, "scope", None) is not None else module
        self.module, self.dtype, self.device = unbound, None, None
        self.weights, self.options = describe(params, layer)
        heads = heads_of(unbound)
        if heads:
            self.options.setdefault("heads", heads)
        make = Kind("jax").make
        self.function = Callable(lambda *a, **k: unbound.apply({"params": self.function.tree}, *a, **k),
                                 unbound.__call__,
                                 type(module).__name__)
        self.function.tree = map_tree(params, lambda array: make(to_numpy(array)))


def caller(name, module):
    """How PyTorch's own modules are called, whose masks hide and whose batch may come second."""
    first = module.layers[0] if name in ("TransformerEncoder", "TransformerDecoder") else module
    batch_first = getattr(first, "batch_first", False) or getattr(getattr(first, "self_attn", None), "batch_first",
                                                                  False)

    def turned(x):
        return x if batch_first or x is None or x.ndim < 3 else x.transpose(0, 1)

    def attention(x, memory=None, mask=None):
        other = x if memory is None else memory
        output, weights = module(turned(x), turned(other), turned(other), attn_mask=mask, average_attn_weights=False)
        return turned(output), weights

    def encoder(x, mask=None):
        return turned(module(turned(x), mask))

    def decoder(x, memory, mask=None):
        return turned(module(turned(x), turned(memory), tgt_mask=mask))

    def self_attention(x, mask=None):
        return attention(x, None, mask)

    shown = {"MultiheadAttention": self_attention, "TransformerEncoderLayer": encoder,
             "TransformerEncoder": encoder}.get(name, decoder)
    return (attention if name == "MultiheadAttention" else shown), shown


def general(array, random):
    """A vector that is nowhere 0 or 1: biases of 0 and norms of 1 would hide what is done with them."""
    return array + random.normal(size=array.shape).astype(array.dtype) * 0.3 if array.ndim == 1 else array


def general_torch(module):
    torch = sys.modules["torch"]
    module, random = copy.deepcopy(module).eval(), np.random.default_rng(0)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim == 1:
                noise = torch.from_numpy(random.normal(size=tuple(parameter.shape)) * 0.3)
                parameter += noise.to(parameter.dtype).to(parameter.device)
    return module


def map_tree(tree, function):
    return {
        key: map_tree(value, function) if hasattr(value, "items") else function(value)
        for key, value in tree.items()
    }


def general_tree(params):
    random = np.random.default_rng(0)
    return map_tree(params, lambda value: general(to_numpy(value), random))
