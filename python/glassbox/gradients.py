"""What automatic differentiation gives for a user's function, beside the command's gradients."""
import numpy as np

from . import engine
from .arrays import framework_of, to_numpy
from .calling import Raised
from .errors import Error
from .module_names import canonical, in_order
from .names import parts_of_weights
from .one_head import of_head
from .signature import part_name
from .steps_of import result_in
from .weights import weights_of
from .workspace import Workspace

ALLOWED, ALLOWED_IN_HALF = 1e-4, 5e-2  # of the largest number of a gradient: rounding, through the layer and back


class Compared:
    """One gradient: ∂L/∂name."""
    def __init__(self, name, mine, right, allowed, hide_expected=False):
        self.name, self.is_right = name, False
        if mine is None:
            self.text = f"✗ ∂L/∂{name}  none: the result does not depend on it, or was detached from it"
            self.is_right = not np.any(right)
        elif mine.shape != right.shape:
            self.text = f"✗ ∂L/∂{name}  has the shape {mine.shape}, expected {right.shape}"
        else:
            differs = ~(np.abs(mine - right) <= allowed * np.max(np.abs(right), initial=1e-6))
            self.is_right = not differs.any()
            if not self.is_right:
                place = tuple(int(each) for each in np.argwhere(differs)[0])
                expected = "" if hide_expected else f", expected {right[place]:.6g}"
                self.text = (
                    f"✗ ∂L/∂{name}  {list(place)} is {mine[place]:.6g}{expected} ({int(differs.sum())} of {right.size} "
                    "numbers differ)")
        if self.is_right:
            self.text = f"✓ ∂L/∂{name}"


class NotDifferentiated:
    """In the place of the gradients: why there are none."""
    name, is_right = "", False

    def __init__(self, problem):
        self.text = f"✗ gradients: {problem}"


def compared_gradients(call, way, prepared, hide_expected=False):
    """Of L, the sum of the squares of the result: every number of it has a say."""
    if call.kind.framework == "numpy":
        raise Error("backward: NumPy has no automatic differentiation: expected a function of PyTorch or JAX")
    result, given = list(call.right)[-1], list(call.run(way))
    if not {"", result} & set(given):  # a loss, whose gradient is the layer's result
        result = given[-1]
    case = call.case
    with Workspace() as folder:
        engine.run([case.layer, *case.place(folder), "--grad", f"--scalar=sumsq({result})", "-o", "grad.npz"],
                   folder.path)
        right = {
            name.removeprefix("grad/"): array
            for name, array in folder.read("grad.npz").items()
            if name.startswith("grad/")
        }
    try:
        mine = of_torch(call, way, prepared) if call.kind.framework == "torch" else of_jax(call, way, prepared)
    except Raised as problem:
        return [NotDifferentiated(problem)]
    if case.has_ones:
        right["x"] = right["x"][..., :-1]
    if case.order:
        mine = in_order(mine, case.order, case.heads())
    weights = {name: right[f"weights/{name}"] for name in case.weights if f"weights/{name}" in right}
    right.update({part_name(key): array for key, array in parts_of_weights(weights, case.heads()).items()})
    allowed = ALLOWED_IN_HALF if call.kind.is_half() else ALLOWED
    compared = []
    for name, gradient in mine.items():
        key = next((each for each in (name, f"weights/{name}") if each in right), None)
        if key is not None:
            compared.append(Compared(name, gradient, right[key], allowed, hide_expected))
    return compared


def loss(call, way):
    """The sum of squares in the function's own framework."""
    total = 0
    for entry in range(call.entries()) if way.batch == "one" else [None]:
        value, _ = call.once(way, entry)
        result = result_in(value, call.right, call.returns)
        if result is None:
            raise Raised("the function does not return the layer's result")
        if framework_of(result) != call.kind.framework:
            raise Raised(f"the function returns {type(result).__name__}, which has no gradient")
        total = total + (result * result).sum()
    return total


def of_torch(call, way, prepared):
    call.leaves = {}
    total = loss(call, way)
    if not total.requires_grad:
        return {name: None for name, leaf in call.leaves.items() if leaf.is_floating_point()}
    parameters = {} if prepared is None else {
        name: each
        for name, each in prepared.module.named_parameters()
        if each.requires_grad
    }
    try:
        total.backward()
    except Exception as problem:  # a backward of the function's own
        raise Raised.inside(call.function, problem) from None
    mine = {
        name: None if leaf.grad is None else to_numpy(leaf.grad, name)
        for name, leaf in call.leaves.items()
        if leaf.is_floating_point()
    }
    known = {
        name: np.zeros(tuple(each.shape), np.float32) if each.grad is None else to_numpy(each.grad, name)
        for name, each in parameters.items()
    }
    call.leaves = None
    return {**mine, **named_as(call.case, known)}


def of_jax(call, way, prepared):
    import jax
    call.leaves = {}
    loss(call, way)  # makes the arrays
    leaves = {name: each for name, each in call.leaves.items() if jax.numpy.issubdtype(each.dtype, jax.numpy.floating)}
    others = {name: each for name, each in call.leaves.items() if name not in leaves}
    tree = getattr(call.function, "tree", {})

    def of(leaves, tree):
        call.leaves = {**leaves, **others}
        call.function.__dict__.update({"tree": tree} if tree else {})
        return loss(call, way)

    by_leaves, by_tree = jax.grad(of, argnums=(0, 1))(leaves, tree)
    call.leaves = None
    call.function.__dict__.update({"tree": tree} if tree else {})
    mine = {name: to_numpy(each, name) for name, each in by_leaves.items()}
    return {**mine, **(named_as(call.case, weights_of(by_tree)) if tree else {})}


def named_as(case, arrays):
    """The gradients of a module's parameters by the command's names."""
    return of_head(arrays) if "W_Q" in case.weights else canonical(arrays, is_filled=False)

