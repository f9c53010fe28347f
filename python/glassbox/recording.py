"""glassbox.record: a PyTorch model's own intermediates under the command's names of steps; glassbox.compare: two
such runs."""
import contextlib
import glob
import os
import re
import shlex
import sys
import tempfile
import warnings

import numpy as np

from . import engine
from .activations import STEPS, activation_held, which
from .arrays import to_numpy
from .errors import Error, briefly
from .by_use import ROLES
from .module_names import STACK, in_scope, located, scopes_of, strange, understood
from .modules import builtin, described, heads_of, is_torch_module, unfit
from .names import ATTENTION, CROSS, place_of
from .tracing import Text
from .options import Asked
from .probing import Case
from .weights import usual_names, weights_of
from .wording import in_python, say
from .workspace import Workspace, write_npz

ACTIVATION = "mlp/relu"  # or mlp/gelu and the like, as its numbers tell
# What is seen at a module of this part (names.place_of): the step that goes in, and the step that comes out.
SEEN = {
    "q": (None, "Q"), "k": (None, "K"), "v": (None, "V"), "qkv": (None, "qkv"), "kv": (None, None), "o": ("concat", "output"),
    "linear1": (None, "mlp/hidden"), "linear2": (ACTIVATION, "mlp/output"), "norm1": ("residual1", "norm1"),
    "norm2": ("residual2", "norm2"), "norm3": ("residual3", "norm3")
}
SCOPES = {"self_attn.": "self_attn/", "multihead_attn.": "cross_attn/"}
FUSED = ("dot_product", "multi_head_attention", "encoder_layer")  # in the names of PyTorch's kernels
HIDDEN = -1e8  # a score below it is that of a hidden key


class Recorder:
    """with record(model) as steps: model(x) … steps.save("a.npz"). Of several passes the last is kept."""
    def __init__(self, module, table=None):
        if not is_torch_module(module):
            what = f"the class {module.__name__}" if isinstance(module, type) else type(module).__name__
            raise Error(f"record: expected a PyTorch module, got {what}")
        self.module, self.table, self.steps = module, dict(table or {}), {}
        parts = {path for path, _ in module.named_modules()}
        for path in self.table:
            if path not in parts:
                raise Error(f"record: table: {type(module).__name__} has no part {path!r}")
        self.scopes = scopes_of([part for _, _, part, *_ in located(weights_of(module))])
        self._paths = usual_paths(module)
        self.remarks = []  # what makes the steps others at the next call
        self._handles, self._inside, self._softmaxes, self._fused = [], [], None, set()
        self._rows = []  # of each part that is being called, the leading axes of its inputs: (batch, length)
        self._hidden = {}  # of each network, what comes out of its first layer
        self._heads = {}  # of each scope, the scores and weights of the heads that have a softmax each
        self._norm_first = set()  # the blocks whose first norm was called before their attention
        self._is_turned = any(  # whether the batch comes second in its blocks
            builtin(part) in ("TransformerEncoderLayer", "TransformerDecoderLayer") and not part.self_attn.batch_first
            for part in module.modules())

    def __enter__(self):
        if self._softmaxes is not None:
            raise Error("record: this recorder is recording already; enter a second one, record(model), instead")
        for path, part in self.module.named_modules():
            self._handles.append(before_forward(part, self._before(path)))
            self._handles.append(part.register_forward_hook(self._after(path)))
        self._softmaxes = softmaxes(self._attention, self._fused.add)
        self._softmaxes.__enter__()
        return self

    def __exit__(self, *problem):
        self._softmaxes.__exit__(*problem)
        self._softmaxes = None
        for handle in self._handles:
            handle.remove()
        self._handles, self._inside, self._rows = [], [], []
        if problem[0] is None and not self.steps:
            raise Error("record: no step was seen: the module was not called, or its parts have names that say nothing "
                        "(say table={\"path.of.part\": \"step\"})")
        for remark in self.remarks:
            warnings.warn(f"record: {remark}", stacklevel=2)
        if self._fused:
            warnings.warn(
                "record: an attention has no steps scaled, masked and attention: it was computed by one kernel, "
                f"{', '.join(sorted(self._fused))}, which keeps no weights", stacklevel=2)

    def __getitem__(self, name):
        return self.steps[name]

    def items(self):
        return self.steps.items()

    def save(self, file):
        """An .npz file, for tracer compare and tracer check."""
        write_npz(file, self.steps)

    def _before(self, path):
        def hook(part, inputs, keywords=None):
            if path == "":
                for each in (self.steps, self._heads, self._hidden, self._norm_first, self._inside, self._rows):
                    each.clear()
                self.remarks = training(self.module)
            self._inside.append(path)
            given = (*inputs, *(keywords or {}).values()) if next(part.parameters(), None) is not None else ()
            self._rows.append([rows for each in given if (rows := rows_of(each))])

        return hook

    def _after(self, path):
        def hook(part, inputs, output):
            self._inside.pop(), self._rows.pop()
            for step, value in self._seen(path, part, inputs, output):
                self._keep(step, value, part)
            self._keep_result(path, part, output[0] if isinstance(output, tuple) else output)

        return hook

    def _keep_result(self, path, part, output):
        """A post-norm block's result is its last step, also where something is done after the last norm."""
        prefix, short = self._of_layer(path)
        last = next((step for step in (f"{prefix}norm3", f"{prefix}norm2") if step in self.steps), None)
        if short or last is None or prefix in self._norm_first or builtin(part):
            return
        if tuple(getattr(output, "shape", ())) == self.steps[last].shape:
            self._keep(last, output, part)

    def _seen(self, path, part, inputs, output):
        """(step, tensor) at one module."""
        output = output[0] if isinstance(output, tuple) else output
        if path in self.table:
            yield self.table[path], output
            return
        prefix, short = self._of_layer(path)
        if builtin(part) == "MultiheadAttention":
            scope = self._scope(short + ".") if short else ""
            yield prefix + scope + "output", output if part.batch_first or output.ndim < 3 else output.transpose(0, 1)
            return
        place = place_of(short.lower()) if path else None
        if place is None:
            return
        before, after = SEEN[place[1]]
        scope = SCOPES.get(place[0], "")
        if place[1] == "norm1" and not any(step.startswith(f"{prefix}self_attn/") for step in self.steps):
            self._norm_first.add(prefix)
        if place[1] == "linear1":
            self._hidden[prefix + scope] = output
        if before == ACTIVATION and inputs:
            before = f"mlp/{self._activation(self._hidden.pop(prefix + scope, None), inputs[0])}"
        if before and inputs and not (place[1].startswith("norm") and prefix in self._norm_first):
            yield prefix + scope + before, inputs[0]
        if after:
            yield prefix + scope + after, output

    def _activation(self, hidden, after):
        """The name of the step between the network's two layers."""
        kind = None if hidden is None else which(to_numpy(hidden), to_numpy(after))
        if kind in (None, "none"):  # dropout in between, or it cannot be told by these numbers
            kind = activation_held(self.module) or ("relu" if self.module.training else None)
        return STEPS.get(kind, kind or "activation")

    def _keep(self, step, value, part):
        array = to_numpy(value, step).copy()
        if step.rpartition("/")[2] in ("Q", "K", "V") and array.ndim == 3 and (heads := heads_of(self.module)):
            batch, length, width = array.shape
            array = np.swapaxes(array.reshape(batch, length, heads, width // heads), 1, 2)
        if self._is_turned and array.ndim == 3 and builtin(part) != "MultiheadAttention":
            array = np.swapaxes(array, 0, 1)
        self.steps[step] = array

    def _attention(self, scores, weights):
        """A softmax inside of an attention: its input and its result."""
        path = next((each for each in reversed(self._inside) if self._scope_of(each)), None)
        if path is None and not any(place_of(name.lower()) for name, _ in self.module.named_children()):
            path = "" if builtin(self.module) == "MultiheadAttention" else None
            if path is None:
                return
        scope = self._scope_of(path) if path else ""
        prefix = self._of_layer(path)[0] if path else ""
        heads = heads_of(self.module) or 1
        values = [to_numpy(each).copy() for each in (scores, weights)]
        if heads > 1 and self._is_of_one_head(values[0]):
            apart = self._heads.setdefault(prefix + scope, [])
            apart.append(values)
            if len(apart) == heads:
                values = [np.stack(each, axis=-3) for each in zip(*apart)]  # (batch, heads, queries, keys)
                for step in ("scaled", "masked", "attention"):
                    self.steps.pop(prefix + scope + step, None)
        elif heads > 1 and values[0].ndim == 3 and values[0].shape[0] % heads == 0:
            values = [each.reshape(-1, heads, *each.shape[1:]) for each in values]
        name = "masked" if np.any(values[0] < HIDDEN) else "scaled"
        for step, value in ((name, values[0]), ("attention", values[1])):
            self.steps.setdefault(prefix + scope + step, value)

    def _is_of_one_head(self, scores):
        """Whether scores (batch, queries, keys) are those of one head, not (batch · heads, queries, keys): by the
        batch and the lengths of what the module, and its parts that are being called, were given."""
        return any(scores.shape[:-1] in rows for rows in self._rows)

    def _scope_of(self, path):
        return self._scope(self._of_layer(path)[1] + ".")

    @staticmethod
    def _scope(path):
        """self_attn/ or cross_attn/ of a path in a block."""
        for scope, pattern in (("multihead_attn.", CROSS), ("self_attn.", ATTENTION)):
            if re.match(rf"(?:{pattern})\.", path.lower()):
                return SCOPES[scope]
        return ""

    def _of_layer(self, path):
        """The steps' prefix of a block of a stack, and the path in the block."""
        path = self._paths.get(path, path)
        match = re.match(rf"((?:.*\.)?(?:{STACK})\.)(\d+)(?:\.|$)", path)
        if not match:
            return "", self._renamed(path)
        return f"{self._stack(match[1])}/{match[2]}/", self._renamed(path[match.end():])

    def _stack(self, path):
        """encoder or decoder: as the path of its blocks says, else by whether they look at something else, too."""
        words = re.findall(r"encoder|decoder", path.lower())
        looks = any(
            re.match(rf"{re.escape(path.lower())}.*\.(?:{CROSS})$", name.lower())
            for name in (*dict(self.module.named_modules()), *self._paths.values()))
        return words[-1] if words else "decoder" if looks else "encoder"

    def _renamed(self, path):
        """By the name of the attention that it is, or is in."""
        return in_scope(path + ".", self.scopes).rstrip(".") if self.scopes else path


def usual_paths(module):
    """{path: usual path} of the parts whose own paths do not say what they are, and of what holds them: as all names together or
    their use tell it."""
    names = {own: usual.rpartition(".")[0] for own, usual in usual_names(module).items()}
    if not names:
        found = understood(weights_of(module))
        if strange(found):
            return {}
        names = {own: part + ROLES.get(role, role) for own, ((part, role, _), _, _) in found.items()}
    pairs = {own.rpartition(".")[0]: usual for own, usual in names.items()}
    if any(place_of(re.sub(rf"^(?:.*\.)?(?:{STACK})\.\d+\.", "", own.lower())) for own in pairs):
        return {}
    holders = {}
    for own, usual in pairs.items():
        holders.setdefault(own.rpartition(".")[0], set()).add(usual.rpartition(".")[0])
    return {**{own: usual.pop() for own, usual in holders.items() if own and len(usual) == 1}, **pairs}


def before_forward(part, hook):
    """Registers the hook, with what is passed by name where PyTorch tells it (from 2.0 on)."""
    try:
        return part.register_forward_pre_hook(hook, with_kwargs=True)
    except TypeError:
        return part.register_forward_pre_hook(hook)


def rows_of(value):
    """The leading axes of an input, (batch, length): of vectors (batch, length, width) or of tokens; () of others, such
    as masks."""
    torch = sys.modules["torch"]
    if not isinstance(value, torch.Tensor) or value.dtype == torch.bool:
        return ()
    return tuple(value.shape[:-1] if value.is_floating_point() else value.shape)


def training(module):
    """Whether dropout was on, in a sentence."""
    shares = [
        share for part in module.modules() for share in (getattr(part, name, 0) for name in ("p", "dropout"))
        if part.training and isinstance(share, float) and share > 0 and is_dropping(part)
    ]
    return [f"the module is training and has dropout {max(shares):g}: call .eval()"] if shares else []


def is_dropping(part):
    """PyTorch's dropout, or its attention, which has one of its own."""
    return "Dropout" in type(part).__name__ or builtin(part) == "MultiheadAttention"


@contextlib.contextmanager
def softmaxes(seen, fused):
    """While it is entered, `seen` is called with the input and the result of every softmax, and PyTorch computes each
    attention in steps: fused kernels (need_weights=False, scaled_dot_product_attention, the fast path of its own
    modules) have no softmax to look at. `fused` is called with the name of one that is used all the same."""
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode
    torch = sys.modules["torch"]
    functions = {
        getattr(torch.ops.aten, name).default
        for name in ("_softmax", "_safe_softmax")
        if hasattr(torch.ops.aten, name)
    }

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
            result = function(*arguments, **(keywords or {}))
            if function in functions and arguments[0].ndim > 1:
                seen(arguments[0], result)
            elif any(part in function.__name__ for part in FUSED):
                fused(function.__name__)
            return result

    class NoFastPath(TorchFunctionMode):
        """PyTorch's modules take their fast path only where nobody looks at their functions."""
        def __torch_function__(self, function, types, arguments=(), keywords=None):
            return function(*arguments, **(keywords or {}))

    with compiler_unseen(), Watch(), NoFastPath(), in_steps(torch):
        yield


@contextlib.contextmanager
def compiler_unseen():
    """To watch operations PyTorch loads its compiler, which puts into the environment where it will keep what it
    compiles, and makes that folder: both are as they were afterwards, if nothing was compiled."""
    name, start = "TORCHINDUCTOR_CACHE_DIR", "torchinductor_"
    was_set, before = name in os.environ, set(glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), start + "*")))
    try:
        yield
    finally:
        folder = os.environ.get(name, "")
        if not was_set and os.path.basename(folder).startswith(start):
            del os.environ[name]
            if folder not in before:
                with contextlib.suppress(OSError):  # something is in it
                    os.rmdir(folder)


def in_steps(torch):
    """PyTorch's own scaled_dot_product_attention as several operations, where it has kernels that fuse them."""
    if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
        return contextlib.nullcontext()
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel
    except ImportError:  # until PyTorch 2.2
        return torch.backends.cuda.sdp_kernel(enable_flash=False, enable_mem_efficient=False, enable_math=True)
    return sdpa_kernel(SDPBackend.MATH)


def record(module, table=None):
    """Collects a PyTorch model's intermediates under the command's names while it is called: with record(model) as
    steps: model(x). Parts are known by their usual names; table={"path.of.part": "step"} says others."""
    return Recorder(module, table)


class Comparison:
    """True if two runs are the same but for rounding; `first` is the first step that differs."""
    def __init__(self, answer, remarks=()):
        self.as_json, self.remarks = answer, list(remarks)
        self.text = Text("\n".join([*self.remarks, answer["text"].rstrip("\n")]))
        self.first, self.steps = answer["first"], answer["steps"]
        self.is_said = False  # whether its text has been printed

    def __bool__(self):
        return self.as_json["same"]

    def say(self):
        """Prints its text; as a string it is one line from then on."""
        say(self.text)
        self.is_said = True

    def __repr__(self):
        return (f"{self.first} is the first step that differs" if self.first else "the same") if self.is_said else self.text


RUNS = ("first", "second")


def compared(a, b, layer, inputs, weights, asked):
    with Workspace() as folder:
        words = ["compare"]
        for name, run in zip(RUNS, (a, b)):
            words.append(folder.write(name + ".npz", {step: to_numpy(value, step) for step, value in run.items()}))
        given = {name: to_numpy(each, name) for name, each in (inputs or {}).items()}
        if layer is not None:
            arrays, _ = described(weights, layer, asked) if weights is not None else ({}, None)
            line = [layer, *Case(layer, asked.words(layer), {**given, **asked.inputs}, arrays, asked.mask).place(folder)]
            words += ["--layer", shlex.join(line)]
        remarks = [f"{name}: {remark}" for name, run in zip(RUNS, (a, b)) for remark in getattr(run, "remarks", [])]
        try:
            answer = engine.run([*words, "--format", "json"], folder.path, may_fail=True).as_json
            # The files are ours: what the caller has are two runs.
            answer["text"] = re.sub(r"\b(first|second)\.npz\b", r"\1", answer["text"])
            return Comparison(answer, remarks)
        except Error as problem:
            raise problem if weights is None else unfit(problem, weights, layer, {**given, **asked.inputs}) from None


@briefly
def compare(a, b, layer=None, *, inputs=None, weights=None, quiet=False, **keywords):
    """The first step in which two runs differ: of recorders, of dicts of arrays by steps' names, or of Steps. With a
    layer, its inputs (x=x, or inputs={"x": x}), weights and options, it is said for each run whether a step is its own
    error or inherited."""
    for place, run in (("first", a), ("second", b)):
        if not hasattr(run, "items"):
            raise Error("compare: expected two runs, each a recorder, the steps of a trace, or a dict of arrays by the "
                        f"names of steps; the {place} is {'a class' if isinstance(run, type) else type(run).__name__}")
    if inputs is not None and not hasattr(inputs, "items"):
        raise Error(f"compare: inputs are arrays by name, {{\"x\": x}}; got {type(inputs).__name__}")
    given = {"inputs": inputs, "weights": weights, **keywords}
    if layer is None and (without := [name for name, value in given.items() if value is not None]):
        raise Error(f"compare: {without[0]}: requires a layer, compare(a, b, \"multihead\", …)")
    with in_python("compare", "" if layer is None else layer, keywords):
        result = compared(a, b, layer, inputs, weights, Asked(keywords))
    if not quiet:
        result.say()
    return result
