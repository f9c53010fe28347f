"""The token at which a decoder stops: which one a function is told, how it may give back what ends, and what is free then."""
import numpy as np

from .probing import value_of
from .signature import ENDS, NUMBERS, parameters_of, plain

END, NO_END = 2, -1  # one that is written in the probe, and one that never is
START, ALPHA, BEAM = 4, 0.6, 2  # of the probe of a beam search with an end
# Searched so that what multiplies by a length penalty writes something else than what has any penalty, or none.
TABLE = np.array([[0.9, 0.6, 0.5, -0.2, 1.2, 0.9, -3], [0.8, 3, -3, -3, -1.4, -3, 0.7], [3, 1.7, 0, 3, -0.3, 0.2, -1.4],
                  [-3, 0.4, 1.6, -0.7, -0.7, -2.1, 0.2], [0.1, -1.9, -0.2, 1, -0.3, -1, 1.9], [2.5, -3, 0.5, 1.3, 0.6, 2.6, -0.5],
                  [0.8, 0.2, -3, 2, 0.5, 0.9, 0.7]], np.float32)
TABLE_TOKENS = 6
PADDING = (0, -1, -100)  # and the end itself
OF_END = "right where no token ends a sequence, but not with an end token:"
NOT_JUDGED = "its end token was one that is never written: what it does where a sequence ends was not judged"
WITHOUT, PADDED = "taken as the same without the end token", "what follows the end token was taken as padding"
EARLY = "--early"
OWN_PENALTIES = [["--length-penalty=0"], ["--penalty-form=power", "--length-penalty=1"], ["--penalty-form=power", "--length-penalty=0.7"],
                 ["--penalty-form=power", "--length-penalty=0.75"], ["--length-penalty=1"]]


def options_for(function, options):
    """An end for a function that has a parameter for one, where nobody says the table; with beams what else the probe needs."""
    names = [plain(each) for each in parameters_of(function) or ()]
    if not any(each in ENDS for each in names) or {"table", "prompt", "end"} & set(options):
        return {}
    has_beams, has_power, has_start = (any(each in NUMBERS[number] for each in names) for number in ("beam", "length_penalty", "prompt"))
    has_beams = has_beams or "beam" in options
    usual = {"beam": (BEAM, has_beams), "length_penalty": (ALPHA, has_beams and has_power), "prompt": (START, has_beams or has_start)}
    return {"end": END, **{name: value for name, (value, is_told) in usual.items() if is_told}, **options}


def end_of(words):
    """The token that ends a sequence, by the words of a command line; None without one."""
    end = int(value_of(words, "--end") or NO_END)
    return None if end == NO_END else end


def is_told_none(plan):
    """Whether a function had to be told a token that is never written."""
    return any(options == ("end", ) and plan.told(name) == NO_END for name, options in plan.numbers.items())


def free(plan, words, asked):
    """Of a beam search with an end the options that others choose: another length penalty, its own where it is told no exponent,
    and to stop when as many sequences are complete as there are beams."""
    if end_of(words) is None or value_of(words, "--beam") is None:
        return []
    is_told = "length_penalty" in asked or ("length_penalty", ) in plan.numbers.values()
    forms = [[], *([["--penalty-form=power"]] if is_told else OWN_PENALTIES)]
    return [each for form in (forms if "penalty_form" not in asked else [[]]) for each in (form, [*form, EARLY]) if each]


def as_ended(written, prompt, right, words):
    """What was written, up to the end token and with it, and what is said of that."""
    end, tokens = end_of(words), int(value_of(words, "--tokens") or 0)
    if end is None or written.ndim != 1:
        return written, ""
    behind = [written[size:] for size in range(len(prompt) + 1) if np.array_equal(written[:size], prompt[len(prompt) - size:])]
    read = [up_to_end(each, end, tokens, right) for each in behind if each.size <= tokens or each is behind[-1]]
    return next((each for each in read if np.array_equal(each[0], right)), read[0])


def up_to_end(written, end, tokens, right):
    at = np.flatnonzero(written == end)
    rest = written[at[0] + 1:] if at.size else written[:0]
    if rest.size and (rest == rest[0]).all() and rest[0] in (*PADDING, end):
        return written[:at[0] + 1], PADDED
    is_cut = written.size < tokens and not at.size
    if is_cut or (right[-1] == end and written.size >= right.size and is_padded(written, right[:-1])):
        return np.append(written if is_cut else right[:-1], end).astype(written.dtype), WITHOUT
    return written, ""


def is_padded(written, begin):
    rest = written[begin.size:]
    return np.array_equal(written[:begin.size], begin) and (rest == rest[0]).all() and rest[0] in PADDING
