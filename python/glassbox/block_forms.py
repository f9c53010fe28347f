"""What a block may have in its own way: where its norms stand, its activation, and the ε of its norms. What nobody said and
no call showed is found by the numbers."""
import itertools

from .calling import right_steps
from .probing import without
from .steps_of import looks_like

NORMS, ACTIVATIONS = ("post", "pre"), ("relu", "gelu", "gelu-tanh")
EPSILONS = ("1e-5", "1e-6", "1e-8", "1e-7", "1e-3")
ROUGHLY, EXACTLY = 2e-2, 2e-5  # as near as another ε leaves it; and as rounding does


def form(case, **options):
    flags = [f"--{name}" for name in options]
    return case.changed(words=[*without(case.words, flags), *(f"--{name}={value}" for name, value in options.items())])


def distance(case, steps):
    """How far the result, or the last step that there is, is from the one of such a block."""
    right = right_steps(case)
    name = "" if "" in steps else next(reversed(steps))
    if name == "" and case.layer == "transformer":  # most give these, without the softmax
        return min(looks_like(steps[name], right[each]) for each in (list(right)[-1], "logits"))
    return looks_like(steps[name], right.get(name or list(right)[-1], right[list(right)[-1]]))


def said(options):
    words = (f"{name}={value}" if name == "epsilon" else f"{name}=\"{value}\"" for name, value in options.items())
    return "read with " + " and ".join(words)


def other_forms(case, steps, told):
    """(case, what is said of it): the form that gives these numbers; where none does, that in which another mistake may be
    found. `told` has the options that are not free."""
    usual = {"norm": "post", "activation": "relu"}
    free = [[(name, value) for value in values] for name, values in (("norm", NORMS), ("activation", ACTIVATIONS))
            if name not in told]
    if not free and "epsilon" in told:
        return []
    tried = [(distance(form(case, **dict(options)), steps), dict(options)) for options in itertools.product(*free)]
    nearest, options = min(tried, key=lambda each: each[0])
    own = {name: value for name, value in options.items() if value != usual[name]}
    if EXACTLY < nearest < ROUGHLY and "epsilon" not in told:
        of_epsilon = [(distance(form(case, **options, epsilon=each), steps), {**own, "epsilon": each}) for each in EPSILONS]
        nearer, with_epsilon = min(of_epsilon, key=lambda each: each[0])
        own = with_epsilon if nearer < EXACTLY else own
    elif nearest >= ROUGHLY:
        found = [] if "norm" in told else [{"norm": "pre"}]
        found += [] if "activation" in told else [{"activation": name} for name in ACTIVATIONS[1:]]
        return [(form(case, **each), said(each)) for each in found]
    return [(form(case, **own), said(own))] if own else []
