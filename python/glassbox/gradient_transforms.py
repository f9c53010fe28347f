"""What transformations of gradients, as optax has them, say of themselves: in what their functions have kept of the calls that
made them."""
import inspect
from types import SimpleNamespace

from .arrays import is_number

# optax' own, by the function that makes them: {what it has kept: what that is here}.
PARTS = {"scale": {"step_size": "rate"}, "scale_by_adam": {"b1": "beta1", "b2": "beta2", "eps": "epsilon"}, "trace": {"decay": "momentum"},
         "add_decayed_weights": {"weight_decay": "weight_decay"}, "clip_by_global_norm": {"max_norm": "max_norm"}}
KNOWN = (*PARTS, "clip", "chain", "with_extra_args_support", "scale_by_learning_rate", "scale_by_schedule", "identity", "init_empty_state")
CLIP = "clip_by_global_norm"
BEHIND = "its clip_by_global_norm stands behind: it shortens the update; the gradient is clipped, before all else"


def is_gradient_transform(given):
    """init(params) gives the state, update(grads, state, params) what is added."""
    return not isinstance(given, type) and all(callable(getattr(given, name, None)) for name in ("init", "update"))


def as_one(given):
    """A pair (init, update) as an object with both; all else as it is."""
    is_pair = type(given) is tuple and len(given) == 2 and all(map(inspect.isroutine, given))
    return SimpleNamespace(init=given[0], update=given[1]) if is_pair else given


def parts_of(function, seen=None):
    """[(the name of what made it, what it has kept)] of a function and of those that it has kept, in their order."""
    seen = set() if seen is None else seen
    if isinstance(function, (tuple, list)):
        return [part for each in function for part in parts_of(each, seen)]
    if not inspect.isfunction(function) or id(function) in seen:
        return []
    seen.add(id(function))
    kept = dict(zip(function.__code__.co_freevars, [cell.cell_contents for cell in function.__closure__ or ()]))
    return [(function.__qualname__.partition(".")[0], kept), *parts_of(list(kept.values()), seen)]


def is_of_optax(given):
    return (getattr(given.update, "__module__", "") or "").partition(".")[0] == "optax"


def told_by(given):
    """{name: value} of its numbers, and its optimiser where the parts say which; "clips_late" if it clips what it has made;
    "other" is a part that is none of the layer's."""
    found, names = {}, []
    for name, kept in parts_of(given.update):
        own = PARTS.get(name, {}) if is_of_optax(given) else {each: each for each in kept}
        found.update({own[each]: value for each, value in kept.items() if each in own and is_number(value)})
        if kept.get("nesterov") or is_of_optax(given) and name not in KNOWN:
            found["other"] = "nesterov" if kept.get("nesterov") else name
        names += [name] if name in PARTS and own and name not in names else []
    if not is_of_optax(given):
        return found
    found["rate"] = abs(found["rate"]) if "rate" in found else None  # it is what is added
    decay, adam = (names.index(each) if each in names else None for each in ("add_decayed_weights", "scale_by_adam"))
    kind = "sgd" if adam is None else "adamw" if decay is not None and decay > adam else "adam"
    is_late = CLIP in names and names.index(CLIP) > 0
    return {**{name: value for name, value in found.items() if value is not None}, "optimiser": kind, "clips_late": is_late}
