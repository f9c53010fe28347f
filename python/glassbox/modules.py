"""Modules of PyTorch and Flax as they are: their parameters by the command's names, their options, and how they are
called."""
import copy
import inspect
import re
import sys
import types

import numpy as np

from . import engine, translation
from .activations import COMMANDS, activation_held, of_callable
from .arrays import Kind, framework_of, to_numpy
from .by_use import ATTENTIONS, names_by_use, times_used
from .errors import Error
from .options import options_of_layer
from .module_names import canonical, fused, understood, unknown
from .names import BY_ITSELF, by_itself, convention_of, heads_in, is_of_heads, of_network, place_of_parameter
from .observed import Observed, called
from .one_head import has_bias, of_head, options_of_head, refuse_output, with_ones
from .signature import parameters_of as parameters_of_function, what_is
from .steps_of import named
from .weights import heads_in_flax, weights_of
from .workspace import Workspace

HEADS = ("num_heads", "n_heads", "heads", "nhead", "n_head", "num_attention_heads", "h")  # of classes, beside an object's own
CONFIGS = ("config", "cfg", "args", "hparams", "opt")  # what an object may keep its sizes in
BLOCKS = ("encoder-block", "decoder-block", "encoder", "decoder")  # layers with norms and an activation
USUAL = ("q_proj.weight, k_proj.weight, v_proj.weight, out_proj.weight, linear1.weight, linear2.weight, norm1.weight "
         "and the like, with .bias; W_q, query, fc1, ln1.gamma are as good")
# Arguments that say whether it is training, and what they are when it is not.
INFERENCE = {"deterministic": True, "train": False, "training": False, "is_training": False}


def is_torch_module(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def is_flax_module(value):
    return any(kind.__module__.startswith("flax.") and kind.__name__ == "Module" for kind in type(value).__mro__)


def is_nnx_module(value):
    """One of Flax's newer kind, which has its parameters in itself."""
    return is_flax_module(value) and any(kind.__module__.startswith("flax.nnx") for kind in type(value).__mro__)


def flax_parameters(module):
    """A Flax module's own tree; None where it has none."""
    if is_nnx_module(module):
        from flax import nnx
        return map_tree(nnx.state(module, nnx.Param), to_numpy)
    return None if getattr(module, "scope", None) is None else module.variables["params"]


def without_parameters(module):
    return Error(f"weights: expected the parameters of {type(module).__name__}: weights=variables, as init gave them")


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


def parts_of(module):
    """A module, or another object, and what modules are in it. One of Flax has parts once it is bound."""
    if is_torch_module(module):
        return list(module.modules())
    if is_nnx_module(module):
        from flax import nnx
        return [module, *(part for _, part in nnx.iter_modules(module))]
    if not is_flax_module(module) or getattr(module, "scope", None) is None:
        return [module]
    module._try_setup()  # pylint: disable=protected-access
    children = [part for part in module._state.children.values() if is_flax_module(part)]  # pylint: disable=protected-access
    return [module, *(inner for part in children for inner in parts_of(part))]


def heads_of(module):
    """The number of heads that a module says it has, by any usual name, itself or in its config; None if it does not."""
    for part in parts_of(module):
        if is_torch_module(heads := getattr(part, "heads", None)) and hasattr(heads, "__len__"):
            return len(heads)  # each head is a module
        found = number_in(part, "heads", HEADS)
        if found:
            return found
    return None


def number_in(part, size, names=()):
    """What a part, or its config, has by one of these names or by another that a size is called; None if it has none."""
    for own in (part, *(getattr(part, name, None) for name in CONFIGS)):
        words = own if isinstance(own, dict) else {**{name: getattr(own, name, None) for name in names}, **getattr(own, "__dict__", {})}
        for name, value in words.items():
            if isinstance(value, int) and not isinstance(value, bool) and value > 0 and what_is(name.strip("_"), [size]):
                return value
    return None


def heads_by_width(module):
    """How many heads a module has that says how wide each is, by its queries' rows; None where it does not say."""
    for part in parts_of(module):
        width = number_in(part, "dk")
        if width is None:
            continue
        arrays = weights_of(part)
        for (_, role, kind), _, array in filter(None, understood(arrays).values()) if arrays else ():
            rows = len(array) // (3 if role == "qkv" else 1)
            if role in ("q", "qkv") and kind == "weight" and array.ndim == 2 and rows % width == 0:
                return rows // width
    return None


def has_heads(given):
    """Whether a self-attention has several heads, as it says, or by the layer behind them; a function by its parameters."""
    if is_module(given):
        has_output = is_torch_module(given) and any(each and each[0][1] == "o" for each in understood(weights_of(given)).values())
        return heads_of(given) is not None or has_output
    places = {name: place_of_parameter(name) for name in parameters_of_function(given) or ()}
    return any(what_is(name, ["heads"]) or (place and place[1] == "o") for name, place in places.items())


OF_FLAX = 1e-6  # what its norms have by default
EPSILONS = ("eps", "epsilon", "variance_epsilon", "layer_norm_eps")


def holds_attention(module):
    """Whether a part of it is PyTorch's own attention, whose mask hides where it is true."""
    return is_torch_module(module) and any(builtin(part) == "MultiheadAttention" for part in module.modules())


def epsilon_of(module):
    """What its norms add to the variance, by any of the names that they have for it; None where they differ."""
    return epsilon_among(parts_of(module))


def epsilon_among(parts):
    found = {value for part in parts for name in EPSILONS
             if isinstance(value := getattr(part, name, None), float)}
    return found.pop() if len(found) == 1 else None


def own_epsilon(function):
    """That of an object with a norm, or of its method; {} of a plain function."""
    whole = getattr(function, "__self__", function)
    epsilon = None if inspect.isroutine(whole) or inspect.ismodule(whole) else epsilon_of(whole)
    return {} if epsilon is None else {"epsilon": epsilon}


def learned_table(module):
    """Positions that are learned: a module's only parameter, (positions, width) but for axes of 1; None where it is not so."""
    arrays = [to_numpy(each, name) for name, each in module.named_parameters() if each.requires_grad]
    shape = [size for size in arrays[0].shape if size != 1] if len(arrays) == 1 else []
    return arrays[0].reshape(shape) if len(shape) == 2 else None


def causal_buffer(module):
    """(name, size) of a buffer that says of each key whether it is no later than the query, in any of the usual forms;
    ("", 0) where there is none."""
    for name, buffer in module.named_buffers():
        size = buffer.shape[-1] if buffer.ndim > 1 else 0
        if size > 1 and buffer.numel() == size * size and buffer.shape[-2] == size:
            few = min(size, 64)  # no longer sequence is tried
            hidden = np.triu(np.ones((few, few), dtype=bool), 1)
            values = to_numpy(buffer.reshape(size, size)[:few, :few], name).astype(np.float64)
            seen = np.isclose(values, 0) if (values < -1).any() else values != 0
            if np.array_equal(seen, hidden) or np.array_equal(seen, ~hidden):
                return name, size
    return "", 0


def options_of(module, layer):
    """The command's options that follow from a module of PyTorch's."""
    options = {}
    heads = heads_of(module) or heads_by_width(module)
    if heads:
        options["heads"] = heads
    shape = getattr(module, "normalized_shape", None)
    if layer == "layer-norm" and isinstance(shape, tuple) and len(shape) == 1:
        options["dmodel"] = shape[0]
    if "epsilon" in options_of_layer(layer) and epsilon_of(module) is not None:
        options["epsilon"] = epsilon_of(module)
    if isinstance(module, sys.modules["torch"].nn.CrossEntropyLoss) and getattr(module, "label_smoothing", 0):
        options["label_smoothing"] = module.label_smoothing
    block = module.layers[0] if builtin(module) in ("TransformerEncoder", "TransformerDecoder") else module
    if hasattr(block, "norm_first") and block.norm_first:
        options["norm"] = "pre"
    if builtin(block).startswith("Transformer"):
        activation = of_callable(block.activation)
        if activation not in COMMANDS:
            name = activation or getattr(block.activation, "__name__", type(block.activation).__name__)
            raise Error(f"activation: expected {', '.join(COMMANDS)}, got {name}")
        if activation != "relu":
            options["activation"] = activation
    elif layer in BLOCKS and activation_held(module) in ("gelu", "gelu-tanh"):
        options["activation"] = activation_held(module)
    return options


def describe(given, layer):
    """The parameters of a module, a state_dict or Flax's tree, as the command takes them, and the options they
    imply."""
    flat = given
    if is_flax_module(given):
        flat = flax_parameters(given)
        if flat is None:
            raise without_parameters(given)
    arrays = weights_of(flat)
    if layer == "attention":
        head = of_head(arrays)
        if head:
            return head, options_of_head(head)
        if is_module(given):
            refuse_output(arrays, type(given).__name__)
    heads = heads_in(arrays)
    arrays = of_network(arrays) if layer == "feed-forward" else arrays
    arrays = by_itself(arrays, layer) if layer in BY_ITSELF else canonical(arrays)
    if layer == "multihead":  # the layer itself, by whatever name a module has it
        arrays = {re.sub(r"^(self_attn|multihead_attn)\.", "", name): array for name, array in arrays.items()}
    options = options_of(given, layer) if is_torch_module(given) else {}
    if is_flax_module(given) and heads_of(given):
        options["heads"] = heads_of(given)
    if heads and "heads" in options_of_layer(layer):
        options["heads"] = heads
    of_torch = is_torch_module(given) or any(framework_of(each) == "torch" for each in getattr(flat, "values", list)())
    if convention_of(arrays):
        options["convention"] = convention_of(arrays)
    elif of_torch and any("qkv_proj" in name for name in arrays):
        options["convention"] = "uva-torch"
    has_bias = any(name.endswith(("in_proj_bias", "qkv_proj.bias")) for name in arrays)
    if arrays and not has_bias and "no_bias" in options_of_layer(layer) and any("proj" in name for name in arrays):
        options["no_bias"] = True
    return arrays, options


def too_wide(problem, whose, inputs):
    """What is said where every parameter would fit an input of another width; None where that is not so."""
    found = re.findall(r"\((?:\d+, )?(\d+)\) instead of \((?:\d+, )?(\d+)\)", str(problem))
    for name, array in inputs.items():
        if found and array.ndim and all(int(asked) == array.shape[-1] for _, asked in found):
            width, shape = found[0][0], tuple(array.shape)
            return Error(f"{name}: {whose} takes vectors of {width} numbers, and its shape is {shape}", problem.code)
    return None


def unfit(problem, given, layer, inputs):
    """What is said of parameters that the command refuses: which of them it does not know by their names, or that the
    inputs do not go with them."""
    flat = flax_parameters(given) if is_flax_module(given) else given
    if flat is None:
        return problem
    names, whose = unknown(weights_of(flat)), type(given).__name__ if is_module(given) else "weights"
    if names and not parameters_of(layer):
        return Error(f"{whose}: the layer {layer} has no parameters, and these are given: {', '.join(names)}; give a function, or an object "
                     "without them", problem.code)
    if names:
        return Error(
            f"{whose}: the names of these parameters do not say what they are in the layer {layer}: "
            f"{', '.join(names)}\n"
            f"  The layer has {', '.join(parameters_of(layer))}.\n"
            "  Say which is which by weights={\"NAME\": array, …} with all names of the layer, or call the parts as is "
            f"usual: {USUAL}.",
            problem.code)
    wide = too_wide(problem, whose, inputs)
    if wide is not None:
        return wide
    told = re.sub(r"^\S*weights\.npz: weights: the file does not fit this model[^\n]*",
                  lambda _: f"{whose}: its parameters are not those of the layer {layer}", str(problem))
    return problem if told == str(problem) else Error(told, problem.code)


def take_usual_names(module, layer):
    """Gives a copy whose names say nothing those that its use shows (by_use.py); what is said of it then."""
    if layer not in ATTENTIONS or not unknown(weights_of(module)):
        return ""
    names = names_by_use(module, layer)
    if names is None:
        return ""
    vars(module)["_usual_names"] = names
    told = [f"{own.rpartition('.')[0]} is {usual.rpartition('.')[0]}" for own, usual in names.items()
            if usual.endswith("weight") and not usual.startswith("layers.")]
    of_blocks = "the parts of its blocks are told by their use" if any(name.startswith("layers.") for name in names.values()) else ""
    return "; ".join(filter(None, [of_blocks, "its parts are told by their use: " + ", ".join(told) if told else ""]))


def parameters_of(layer):
    """The names of a layer's parameters, as PyTorch has them."""
    with Workspace() as folder:
        words = ["probe", layer, "--convention=paper", "-o", "probe.npz", "--format", "json"]
        words += ["--din=4"] * (layer == "attention")  # without an x of its own it has none
        return engine.run(words, folder.path).as_json["parameters"]


# Parameters' names that are other models' than the layers here, and what a state_dict of them does not say.
OF_MODELS = [(r"c_fc\.weight$|mlp\.fc1\.weight$", "GPT-2 or a vision transformer", ("norm", "activation")),
             (r"intermediate\.dense\.weight$", "BERT", ("activation",))]
UNSAID = {"norm": "whether the first norm comes before the attention", "activation": "which activation it has"}
CHOICES = {"norm": ("post", "pre"), "activation": tuple(COMMANDS)}


def described(given, layer, asked):
    """The parameters as the command takes them; asked.options get what follows from them, and from a module's call, of
    which the result is given, too."""
    arrays, found = describe(given, layer)
    result = None
    if "din" in found and has_bias(weights_of(flax_parameters(given) if is_flax_module(given) else given)):
        if "x" not in asked.inputs:
            raise Error(f"{layer}: expected x=…: with biases, which are rows of W_Q, W_K and W_V here, none is drawn")
        asked.inputs = with_ones(asked.inputs)
    if "din" in found and asked.inputs:
        found = {}
    if is_torch_module(given) and not builtin(given):
        seen, result = seen_of(given, layer, arrays, asked)
        found.update(seen)
    elif layer in BLOCKS and hasattr(given, "items"):
        for pattern, whose, choices in OF_MODELS:
            if any(re.search(pattern, name) for name in weights_of(given)):
                for name in choices:
                    ask_for(name, asked, f"weights: a state_dict with the names of {whose}",
                            f"does not say {UNSAID[name]}; give the module itself, or")
    asked.options = {**found, **asked.options}
    return arrays, result


def ask_for(name, asked, whose, why):
    if name not in asked.options:
        words = " or ".join(f'{name}="{each}"' for each in CHOICES[name])
        raise Error(f"{whose} {why} say {words}")


def seen_of(module, layer, arrays, asked):
    """The options that a module's call shows, and its result. What cannot be seen is asked for."""
    if unknown(weights_of(module)):
        return {}, None  # the parameters are told to be unknown
    width = next((len(arrays[name]) if "norm" in name else arrays[name].shape[1] for name in arrays
                  if name.endswith(("norm1.weight", "in_proj_weight", "qkv_proj.weight"))), 0)
    if width == 0:
        return {}, None
    seen, result = called(module, asked.inputs, width)
    if layer not in BLOCKS:
        return {}, result
    whose, options = type(module).__name__, seen.options()
    if not seen.has_order() and not hasattr(module, "norm_first"):
        ask_for("norm", asked, whose, f"could not be called on x alone, so it was not seen {UNSAID['norm']}:")
    activation = seen.activation() or activation_held(module)
    if activation not in COMMANDS:
        what = f"has the activation {activation}, which the layer lacks: to trace it with another," if activation \
            else f"does not show {UNSAID['activation']}:"
        ask_for("activation", asked, whose, what)
    elif activation != "relu":
        options["activation"] = activation
    elif "activation" not in asked.options:
        options["activation"] = "relu"
    return options, result


class Callable:
    """A function with the parameters that a check should fill, which may differ from its own."""
    def __init__(self, function, shown, name):
        self.function, self.__name__ = function, name
        self.__signature__ = inspect.signature(shown)
        self.__code__ = getattr(shown, "__code__", None)
        self.fixed = {word: value for word, value in INFERENCE.items() if word in self.__signature__.parameters}

    def __call__(self, *arguments, **keywords):
        return self.function(*arguments, **{**self.fixed, **keywords})

    def around(self, function):
        """The same of another function, of source and target."""
        return Callable(function, function.__call__, self.__name__)


class Prepared:
    """A module made ready for a check: a copy with parameters that hide nothing, its weights, options and function."""
    def __init__(self, module, layer, weights=None):
        self.plain_mask = bool(is_torch_module(module) and builtin(module))  # its masks are (T, T), and 1 hides
        self.framework = "torch" if is_torch_module(module) else "jax"
        self.takes_hiding = not self.plain_mask and holds_attention(module)  # a mask may go to PyTorch's attention
        self.seen, self.by_use = None, ""
        self.epsilon_is_free = False  # that of norms which are made in a call
        if is_torch_module(module):
            # Parameters that the caller names are those that the module has.
            module = general_torch(module) if weights is None else copied(module).eval()
            self.module = module
            self.by_use = take_usual_names(module, layer) if weights is None else ""
            self.causal = causal_buffer(module)
            if layer == "positional" and weights is None and not any(each.requires_grad for each in module.parameters()):
                weights = {}  # a table that is not learned
            learned = learned_table(module) if layer == "positional" and weights is None else None
            weights = weights if learned is None else {"weight": learned}
            whole = translation.parameters_of(module, weights_of(module)) if layer == "transformer" and weights is None else None
            weights = weights if whole is None else whole
            self.weights, self.options = describe(module if weights is None else weights, layer)
            self.share_blocks(module, layer)
            self.options.update({} if learned is None else {"learned": True})
            own = weights_of(module if weights is None else weights)
            usual = {name: each for each, name in vars(module).get("_usual_names", {}).items()}
            self.fused, self.has_ones = {} if whole else fused(own, usual), "din" in self.options and has_bias(own)
            self.options.update(translation.options_of(module, whole) if whole else {})
            if "din" not in self.options:  # of one head
                self.options = {**self.options, **options_of(module, layer)}
            if layer in BLOCKS and not self.plain_mask:
                self.seen = Observed(module)
            first = next(module.parameters(), None)
            self.dtype, self.device = (None, None) if first is None else (first.dtype, first.device)
            name = builtin(module)
            self.function = Callable(*caller(name, module),
                                     type(module).__name__) if name else Callable(module, module.forward,
                                                                                  type(module).__name__)
            given, said = translation.with_masks(module) if whole else (None, "")
            if given is not None:
                self.function = Callable(given, given, type(module).__name__)
            self.by_use = self.by_use or said
        else:
            self.causal = "", 0
            self._flax(module, layer, weights)

    def share_blocks(self, module, layer):
        """Of a stack that is one block, used several times, the parameters of all."""
        alone = layer in ("encoder", "decoder") and all(name.startswith("layers.0.") for name in self.weights)
        times = times_used(module) if alone else 1
        self.weights = {name.replace("layers.0.", f"layers.{place}.", 1): array
                        for place in range(times) for name, array in self.weights.items()} if times > 1 else self.weights
        self.by_use = "; ".join(filter(None, [self.by_use, f"one block, used {times} times: its blocks share their parameters" * (times > 1)]))

    def recorded(self):
        """The function, whose module's own intermediates are collected while it is called."""
        if not is_torch_module(self.module):
            raise Error("steps: expected a PyTorch module; in Flax name the steps by glassbox.named")
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
        own = flax_parameters(module)
        if (weights is None and own is None) or not (weights is None or hasattr(weights, "items")):
            raise without_parameters(module)
        params = general_tree(own) if weights is None else weights.get("params", weights)
        self.dtype = self.device = None
        self._nnx(module, params) if is_nnx_module(module) else self._linen(module, params)
        self.weights, self.options = describe(params, layer)
        self.fused = fused(weights_of(params))
        self.has_ones = "din" in self.options and has_bias(weights_of(params))
        whole = module if is_nnx_module(module) else self.module.bind({"params": self.function.tree})
        heads, epsilon = heads_of(whole) or heads_in_flax(params), epsilon_of(whole)
        self.epsilon_is_free = epsilon is None and layer in BLOCKS
        epsilon = OF_FLAX if self.epsilon_is_free else epsilon
        if heads and "din" not in self.options:
            self.options.setdefault("heads", heads)
        if epsilon is not None and "epsilon" in options_of_layer(layer):
            self.options.setdefault("epsilon", epsilon)

    def _linen(self, module, params):
        """The parameters go in at each call."""
        self.module = module.unbind()[0] if getattr(module, "scope", None) is not None else module
        make = Kind("jax").make
        self.function = Callable(lambda *a, **k: self.module.apply({"params": self.function.tree}, *a, **k),
                                 self.module.__call__,
                                 type(module).__name__)
        self.function.tree = map_tree(params, lambda array: make(to_numpy(array)))

    def _nnx(self, module, params):
        """A copy has the parameters in itself."""
        from flax import nnx
        self.module = nnx.clone(module)
        self.module.eval()
        make = Kind("jax").make
        state = nnx.state(self.module, nnx.Param)
        nnx.replace_by_pure_dict(state, map_tree(params, lambda array: make(to_numpy(array))))
        nnx.update(self.module, state)
        self.function = Callable(self.module, self.module.__call__, type(module).__name__)


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


def of_copies(function, copies):
    """The function with what it refers to replaced by its copy, by id."""
    def replaced(cell):
        try:
            return types.CellType(copies.get(id(cell.cell_contents), cell.cell_contents))
        except ValueError:  # not filled yet
            return cell
    made = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                              tuple(map(replaced, function.__closure__)))
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def copied(module):
    """A copy. What a module keeps of its last call, its weights of attention, has a history that cannot be copied, and
    which nobody needs."""
    torch, known = sys.modules["torch"], {}
    for part in module.modules():
        for value in vars(part).values():
            for each in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(each, torch.Tensor) and not each.is_leaf:
                    known[id(each)] = each.detach()
    try:
        made = copy.deepcopy(module, known)
        for part in made.modules():  # self.mlpf = lambda x: self.mlp(x) would go on using the module itself
            for name, value in list(vars(part).items()):
                if isinstance(value, types.FunctionType) and value.__closure__:
                    part.__dict__[name] = of_copies(value, known)
        return made
    except Exception as problem:  # of an own __deepcopy__, or of what cannot be copied, such as an open file
        raise Error(f"{type(module).__name__} cannot be copied, and a check changes no module: {problem}") from None


def general_torch(module):
    torch = sys.modules["torch"]
    module, random = copied(module).eval(), np.random.default_rng(0)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.ndim == 1 or (parameter.ndim == 2 and is_of_heads(name.lower(), parameter)):
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
