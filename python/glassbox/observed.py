"""What a PyTorch module does that its parameters do not say, seen while it is called: whether its first norm comes
before its attention, and which activation is between the two layers of its network."""
import inspect
import sys

import numpy as np

from .activations import COMMANDS, which
from .module_names import strange, understood, unwrapped
from .weights import usual_names, weights_of

LENGTH = 3  # of the sequences that are made up


class Observed:
    """Hooks on a module, which stay: everything that is seen at one of its calls."""
    def __init__(self, module):
        self.module, self.called, self.activations = module, [], []
        self._hidden, kinds = {}, places(module)
        for path, part in module.named_modules():
            if path not in kinds:
                continue
            role, stack = kinds[path]
            if role in ("norm1", "q", "qkv"):
                part.register_forward_pre_hook(self._hook("norm" if role == "norm1" else "attention"))
            elif role == "linear1":
                part.register_forward_hook(self._after_first(stack))
            elif role == "linear2":
                part.register_forward_pre_hook(self._before_second(stack))

    def _hook(self, kind):
        def hook(_, __):
            if kind not in self.called:
                self.called.append(kind)

        return hook

    def _after_first(self, stack):
        def hook(_, __, output):
            self._hidden[stack] = output

        return hook

    def _before_second(self, stack):
        def hook(_, inputs):
            hidden = self._hidden.pop(stack, None)
            if hidden is not None and inputs and len(self.activations) < 64:
                self.activations.append(which(numbers(hidden), numbers(inputs[0])))

        return hook

    def has_order(self):
        return len(self.called) == 2

    def norm_is_first(self):
        return self.called == ["norm", "attention"]

    def activation(self):
        """Its name, one of ALL; None where nothing was seen or it is of no known kind."""
        kinds = {each for each in self.activations if each is not None}
        return kinds.pop() if len(kinds) == 1 else None

    def options(self):
        """The command's options that follow from what was seen, without those that it has by itself."""
        options = {"norm": "pre"} if self.norm_is_first() else {}
        if self.activation() in COMMANDS and self.activation() != "relu":
            options["activation"] = self.activation()
        return options


def numbers(tensor):
    return tensor.detach().double().cpu().numpy()


def places(module):
    """{path of a part: (role, prefix of its block)} of the parts that are understood."""
    arrays = weights_of(module)
    names, outer = understood(arrays), ""
    if strange(names):
        inside = unwrapped(arrays)
        if inside is not arrays:
            outer, names = next(iter(arrays)).partition(".")[0] + ".", understood(inside)
    found, own = {}, {usual: own for own, usual in usual_names(module).items()}
    for name, each in names.items():
        if each:
            prefix = each[0][0].partition("self_attn.")[0].partition("multihead_attn.")[0]
            found[own.get(name, outer + name).rpartition(".")[0]] = (each[0][1], prefix)
    return found


def called(module, inputs, width):
    """(what was seen of a copy of the module that was called on the inputs, or on random ones, its result), as far as
    it can be called; the module itself stays as it is."""
    from .modules import copied
    torch = sys.modules["torch"]
    module = copied(module).eval()
    seen = Observed(module)
    first = next((each for each in module.parameters() if each.is_floating_point()), None)
    if first is None:
        return seen, None

    def tensor(array):
        made = torch.as_tensor(np.asarray(array), device=first.device)
        return made.to(first.dtype) if made.is_floating_point() else made

    drawn = torch.randn(1, LENGTH, width, generator=torch.Generator().manual_seed(0)).numpy()
    x = tensor(inputs.get("x", drawn))
    memory = tensor(inputs["memory"]) if "memory" in inputs else x
    result = result_of(module, x, memory, seen.called.clear)
    return seen, None if result is None else numbers(result)


def result_of(module, x, memory, before=lambda: None):
    """The first tensor of what it gives in the first of the ways in which it can be called; None where there is none. `before` is
    called before each."""
    torch = sys.modules["torch"]
    for arguments in ways(module, x, memory):
        before()
        try:
            with torch.no_grad():
                result = module(*arguments)
        except Exception:  # pylint: disable=broad-except
            continue  # it wants other arguments
        while isinstance(result, (tuple, list)) and result:
            result = result[0]
        result = getattr(result, "last_hidden_state", result)
        return result if isinstance(result, torch.Tensor) else None
    return None


def ways(module, x, memory):
    """What it may take: x, then the memory, None for what else has no default."""
    try:
        parameters = inspect.signature(module.forward).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    needed = [each for each in parameters
              if each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    rest = [None] * max(0, len(needed) - 1)
    yield (x, *rest)
    if rest:
        yield (x, memory, *rest[1:])
        yield (x, x, x, *rest[2:])[:max(3, len(needed))]
    elif len(list(parameters)) > 1:
        yield (x, memory)
