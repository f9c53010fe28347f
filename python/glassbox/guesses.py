"""What parameters may take whose names do not tell it: of all that is left what the types allow."""
import itertools

from .signature import AVERAGES, NEUTRAL, NO_ARRAYS, OFF, POSITIONS, SIZES, STATE_WORDS, is_word, plain

MAX_TRIED = 64  # guesses that are tried
MAX_FLAGS = 2  # that are turned together
MAX_MADE = 4000  # of which the likeliest are taken


def asked_about(plan, has_mask):
    """The parameter of which has to be asked, where nothing that it can take makes the result right; None where the inputs
    and the mask, each by its place, are what there is. `has_mask`: a mask by its place was taken, and none else is one."""
    if plan.missing is not None:
        return plan.missing
    arrays, scalars = plan.left()
    has_numbers = any(each in plan.all_numbers or each == "heads" for each in scalars)
    loose = [name for name, array in zip(plan.unknown, arrays)
             if array in AVERAGES or (array == "mask" and not has_mask)]
    return loose[0] if loose and has_numbers else None


def guesses_of(plan, has_mask):
    """The other ways to fill what the names leave open, as the plan's guess, the likeliest first."""
    yield from flags_of(plan)
    made, by_place = [], dict(zip(plan.unknown, plan.left()[0])) if plan.missing is None and not plan.of_sizes else None
    for guess in itertools.islice(_all_of(plan, has_mask), MAX_MADE):
        if guess not in made and guess != by_place:
            made.append(guess)
    made = sorted(made, key=lambda guess: _unlikelihood(plan, guess))[:MAX_TRIED]
    yield from made
    yield from _of_rest(plan)
    yield from _of_state(plan)


def is_of_flags(guess):
    """Whether it leaves to every other parameter what its name says."""
    return bool(guess) and all(isinstance(word, bool) for word in guess.values())


def is_of_state(guess):
    """Whether it only says in which form the averages are kept."""
    return bool(guess) and all(isinstance(word, str) and word in STATE_WORDS for word in guess.values())


def flags_of(plan):
    """What a function does by default may not be what is asked of it, where a flag of its own decides which keys are
    seen: each flag the other way, alone and with the others."""
    flags = plan.deciding() if plan.missing is None else {}
    for count in range(1, min(len(flags), MAX_FLAGS) + 1):
        for some in itertools.combinations(flags, count):
            yield {name: not flags[name] for name in some}


def memory_first(plan):
    """A decoder block's x may be the memory, where what comes behind it has a name that says nothing: (x, y)."""
    by_name = next((name for name, what in plan.named.items() if is_word(what, "x") and name not in plan.unknown), None)
    by_place = next((name for name, what in plan.named.items() if is_word(what, "memory") and name in plan.unknown), None)
    if by_name and by_place:
        yield {by_name: "memory", by_place: "x"}


def masked_by_default(plan):
    """Where no name tells of a mask, the one parameter that may be None may take it."""
    names = [name for name in plan.optional if plan.parameters[name].default is None and _is_open(plan, name)]
    if plan.has_mask and not plan.takes_mask and len(names) == 1:
        yield {names[0]: "mask"}


def _all_of(plan, has_mask):
    arrays, scalars = plan.left()
    fixed = _by_place(plan, arrays, has_mask)
    open_names = [name for name in plan.unknown if name not in fixed]
    if any(plain(name) in NO_ARRAYS for name in open_names):  # nothing here is what such a name says
        return
    arrays = [each for each in arrays if each not in fixed.values()]
    if "m_before" in arrays:
        arrays.append("state")
    scalars = sorted(scalars, key=_rank)
    numbers = [each for each in scalars if each in plan.all_numbers]
    optional = [name for name in plan.optional if _is_open(plan, name)]
    for count in range(3):
        for some in itertools.combinations(optional, count):
            slots = [(name, arrays + scalars) for name in open_names]
            slots += [(name, _open_to(plan, name, arrays, numbers) + _sizes_open_to(plan, name, scalars)) for name in some]
            for words in _words_for(slots, arrays) if slots else ():
                yield {**fixed, **dict(zip((name for name, _ in slots), words))}


def _by_place(plan, arrays, has_mask):
    """Where several arrays are needed in any case, the first parameters take them by their places."""
    needed = [each for each in arrays if each not in AVERAGES and each != "mask"]
    fixed = dict(zip(plan.unknown, needed)) if len([each for each in plan.inputs if each not in AVERAGES]) > 1 else {}
    if has_mask and plan.missing is None:
        fixed.update({name: array for name, array in zip(plan.unknown, arrays) if array == "mask"})
    return fixed


def _is_open(plan, name):
    """Of a parameter with a default: None may stand for an array, a number for one of the layer's."""
    default, short = plan.parameters[name].default, plain(name)
    is_number = isinstance(default, (int, float)) and not isinstance(default, bool)
    return (default is None or is_number) and short not in NO_ARRAYS and short not in NEUTRAL and short not in OFF


def _open_to(plan, name, arrays, numbers):
    """None may stand for an array; a share that is not 1 is no factor that nobody asked for: by default it does not
    multiply."""
    default = plan.parameters[name].default
    return arrays if default is None else [each for each in numbers if each != "factor" or default == 1]


def _sizes_open_to(plan, name, scalars):
    """Of what has to be told two sizes alone, those that a whole number may stand for."""
    default = plan.parameters[name].default
    return [each for each in POSITIONS if each in scalars] if plan.of_sizes and isinstance(default, int) else []


def _words_for(slots, arrays):
    """A word for each, none twice; arrays in their order."""
    def fill(place, used, last):
        if place == len(slots):
            yield ()
            return
        for word in slots[place][1]:
            at = arrays.index(word) if word in arrays else -1
            if word in used or 0 <= at < last:
                continue
            for others in fill(place + 1, used | {word}, max(at, last)):
                yield (word, *others)

    yield from fill(0, frozenset(), -1)


USUAL = ("update", "rate", "beta1", "beta2", "epsilon", "momentum", "weight_decay")  # the order in which people have them


def _rank(word):
    return USUAL.index(word) if word in USUAL else len(USUAL)


def _unlikelihood(plan, guess):
    """Few guesses before many; an update with its rate; what is usual, in the usual order."""
    places = [USUAL.index(guess[name]) for name in plan.parameters if guess.get(name) in USUAL]
    inversions = sum(one > other for one, other in itertools.combinations(places, 2))
    needs_rate = "rate" in plan.left()[1] and "rate" not in guess.values()
    return len(guess), needs_rate, sum(map(_rank, guess.values())), inversions


def shaken(value):
    """Another number: what gives the same result with it does not take it, whatever its parameter is called."""
    if not isinstance(value, (int, float)):  # a shape, which was guessed to be a number
        return value
    return value + 1 if isinstance(value, int) else value * 1.7 + 0.1


def scalars_guessed(plan):
    """The parameters, given by name, that were guessed to be a number or a size."""
    return [name for name, word in plan.guess.items()
            if name in plan.named and (word in plan.all_numbers or word in SIZES)]


def _of_rest(plan):
    """What a function may want by `*rest`."""
    if plan.rest_words is None:
        return
    arrays = tuple(plan.rest_words)
    needed = tuple(each for each in arrays if each not in AVERAGES)
    numbers = [each for each in plan.left()[1] if each in plan.all_numbers]
    chosen = [(), needed, *[(*arrays, "mask")] * plan.has_mask]
    for few in (["rate"], ["update"], ["update", "rate"], ["update", "rate", "beta1", "beta2", "epsilon"],
                ["rate", "beta1", "beta2", "epsilon", "update"], ["rate", "momentum"], ["max_norm"]):
        if all(each in numbers for each in few):
            chosen += [(*arrays, *few), (*needed, *few)]
    for words in dict.fromkeys(chosen):
        if words != arrays:
            yield {"*": words}


def _of_state(plan):
    """An update that counts by itself has in its state the number of the one before; some have no dictionary."""
    for name, what in plan.named.items():
        if is_word(what, STATE_WORDS[0]):
            for word in STATE_WORDS[1:]:
                yield {name: word}
