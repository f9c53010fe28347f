"""The numbers that a function is told beside its arrays: a learning rate, ε, the longest gradient. The command has an
option for each; function and command are told the same."""
from . import ends
from .options import flag_of, options_of_layer
from .probing import probe_of, value_of, without
from .signature import KEPT, NUMBERS, PAIRS, STATES, numbers_called, parameters_of, plain, what_is

# Which optimiser a function is, where nobody says it.
OPTIMISERS = ("adamw", "adam", "sgd")
OF_ADAM = ("beta1", "beta2", "epsilon", "update")  # what gradient descent is not told


def number(text):
    """What a word of the command says, as a number; None if it is none."""
    try:
        return float(text) if any(mark in str(text) for mark in ".e") else int(text)
    except (TypeError, ValueError):
        return None


def value_for(option, parameter, layer, words, asked):
    """What the caller says, else what the probe has, what the function has by default, and what the command has."""
    values = (asked.get(option), value_of(words, flag_of(option)), parameter.default if parameter is not None else None,
              options_of_layer(layer).get(option), value_of(probe_of(layer, ()).words, flag_of(option)))
    if option == "end":  # a default may be no word of the table
        values = (*values[:2], ends.NO_END)
    for value in values:
        found = None if isinstance(value, bool) else number(value)
        if found is not None:
            return found
    return None


def tell(plan, case, asked, in_state=()):
    """The function is told its numbers, and the case has the same. What a function cannot be told is as it is for the
    command without the option: the function has it in its own lines."""
    told = {option: value for option, value in plan.stated.items() if option in NUMBERS}  # by the caller
    for name, options in plan.numbers.items():
        if any(option not in NUMBERS for option in options):
            continue
        one = (plan.parameters or {}).get(name) if len(options) == 1 else None
        told.update({
            option: value_for(option, one, case.layer, case.words, asked)
            for option in options
            if option not in told
        })
        values = [told[option] for option in options]
        plan.tell(name, values[0] if len(values) == 1 else tuple(values))
    told.update({option: value_for(option, None, case.layer, case.words, asked) for option in in_state if option not in told})
    there = [option for option in plan.all_numbers if option in NUMBERS]
    if "beam" in told:  # with one it is greedy
        told["beam"] = max(2, told["beam"] or 2)
        for name in [name for name, options in plan.numbers.items() if options == ("beam", )]:  # none of what the caller says
            plan.tell(name, told["beam"])
    is_schedule = "schedule" in options_of_layer(case.layer)
    if is_schedule and "dmodel" in asked:  # a probe's words have no size, and no input here says it
        told.setdefault("dmodel", asked["dmodel"])
    if "dmodel" in told and is_schedule:  # the paper's, which has no rate of its own
        told = {"rate": asked.get("rate", 1), **told}
        case = case.changed(words=[*without(case.words, ["--schedule"]), "--schedule=inverse-sqrt"])
    gone = [flag_of(option) for option in there if option in told or option not in (*asked, *KEPT)]
    words = [f"{flag_of(option)}={told[option]}" for option in there if option in told]
    return case.changed(words=[*without(case.words, gone), *words])


def numbers_of(layer, sizes):
    """Those that the layer has, but for sizes, which its arrays say."""
    return [option for option in options_of_layer(layer) if option in NUMBERS and option not in sizes]


def optimiser_named(function):
    """The one that a function's name says; None if it says none."""
    name = getattr(function, "__name__", "").lower()
    return next((each for each in OPTIMISERS if each in name), None)


def descent_options(function, arguments):
    """Of a function of gradient descent, by its name or without an average of squares: the options of the command,
    which has other inputs for it. Of any other none."""
    said = {name: what for name, what in arguments.items() if isinstance(what, str)}
    parameters = [said.get(name, name) for name in parameters_of(function) or ()]
    arrays = [what_is(name, ["before", "gradient", "m_before", "v_before"]) for name in parameters]
    optimiser = optimiser_named(function)
    if optimiser is None and any(plain(name) in PAIRS or numbers_called(name, OF_ADAM) for name in parameters):
        return {}
    if optimiser != "sgd" and (optimiser or "v_before" in arrays or not {"before", "gradient"} <= set(arrays)):
        return {}
    has_average = {"m_before", "v_before"} & set(arrays) or any(plain(each) in STATES for each in parameters)
    has_momentum = has_average or any(plain(each) in NUMBERS["momentum"] for each in parameters)
    return {"optimiser": "sgd"} if has_momentum else {"optimiser": "sgd", "momentum": 0}


def optimiser_of(function, plan):
    """By the function's name, else adamw where it takes a decay of the weights."""
    decays = any("weight_decay" in options for options in plan.numbers.values())
    return optimiser_named(function) or ("adamw" if decays else "adam")
