"""What `tracer check` says of numbers: a process, a file, a verdict."""
import json
import re

import numpy as np

from . import engine
from .arrays import to_numpy
from .errors import Error
from .missing_layers import with_names
from .result import Result
from .workspace import Workspace


class Typed:
    """Numbers typed by a person: they have the digits that were written."""
    def __init__(self, numbers):
        refuse_too_many({"": to_numpy(numbers, "the numbers")})
        self.text = json.dumps(numbers, default=number)


def number(value):
    """A framework's own scalar in a list, with the digits that it has."""
    if isinstance(value, np.floating):
        return float(str(value))
    return value.tolist()


MAX_NUMBERS = 50_000_000  # what the command takes some GB of memory and a minute for


class TooMany(Error):
    """More numbers than any way of reading them makes fewer."""


def refuse_too_many(steps, expected=0):
    """Before they are compared, or written to a file."""
    count = sum(array.size for array in steps.values())
    if count > max(MAX_NUMBERS, 2 * expected):
        raise TooMany(f"check: {count:,} numbers were submitted, and at most {max(MAX_NUMBERS, 2 * expected):,} are "
                      "compared: take a shorter sequence or a smaller batch")


OF_OUTPUT = re.compile(r"(?:softmax/[\w-]+, )*softmax/[\w-]+")  # that of attention has the step attention


def with_its_softmax(text):
    """The text on a whole model, which says whose softmax would not show in its logits."""
    return re.sub(r"^Not all steps.*", lambda line: OF_OUTPUT.sub(r"\g<0> of the output's softmax, after the logits", line[0]), text, flags=re.M)


LONGER = re.compile(r"--effort (\d+) tries more")  # as many passes as take a minute
A_WHILE = 6  # of which this part is 10 s


def with_its_time(text, search):
    """The text, which says how long another effort takes: first 10 s, then a minute."""
    asked = int(search.partition("--effort=")[2] or 0)

    def said(found):
        passes = int(float(f"{int(found[1]) / A_WHILE:.1e}"))
        is_more = passes > asked
        return f"--effort {passes if is_more else found[1]} tries more, for up to {'10 s' if is_more else 'a minute'}"
    return LONGER.sub(said, text)


BRIEFLY = "--seconds=0.3"  # of work, counted in passes: nobody typed it, and nothing is said of it


def judge(case, submitted, as_=None, hide_expected=False, remarks=(), search="--effort=0", layout="any", also=()):
    """One process: the numbers go in a file, the verdict comes back as JSON with the text in it.

    also  other cases with what was submitted for them, as (case, steps): mistakes that do not give these are not named
    """
    if isinstance(submitted, dict):
        refuse_too_many(submitted)
    with Workspace() as folder:
        others = [folder.write(f"also{number}.npz", {**other.inputs, **other.named(steps, folder)})
                  for number, (other, steps) in enumerate(also)]
        words = ["check", case.layer, *case.place(folder), search, "--layout", layout, "--format", "json"]
        words += ["--hide-expected"] if hide_expected else []
        words += [f"--also={','.join(map(str, others))}"] if others else []
        if isinstance(submitted, str):
            words += [submitted, *(["--as", as_] if as_ else [])]
        elif isinstance(submitted, Typed):
            words += [folder.write_text("mine.json", submitted.text), *(["--as", as_] if as_ else [])]
        elif list(submitted) == [""]:
            words += [folder.write_array("mine.npy", submitted[""]), *(["--as", as_] if as_ else [])]
        else:
            words.append(folder.write("mine.npz", case.named(submitted, folder)))
        answer = with_names(engine.run(words, folder.path, may_fail=True).as_json, case, folder)
        answer["text"] = with_its_time(answer["text"], search)
        answer["text"] = with_its_softmax(answer["text"]) if case.layer == "transformer" else answer["text"]
        if search == BRIEFLY:
            answer["remarks"] = [each for each in answer["remarks"] if not each.startswith("--seconds ")]
        return Result(answer, case, remarks)


def judge_result(*what, **how):
    """Of what a function gave: its inputs were ours, and so are the axes of its result."""
    return judge(*what, layout="exact", **how)


def failed(case, message):
    """The result of a function that could not be judged."""
    text = "✗ " + message
    return Result(
        {
            "schema": 1, "command": "check", "layer": case.layer, "right": False, "searched_all": True,
            "right_with": "", "steps": [], "unseen": [], "sentences": {}, "remarks": [], "seen_with": "",
            "error": message, "text": text
        }, case)


def in_a_sentence(case, sentence):
    """The result of what is wrong in a way that no line of the catalogue says, and a sentence does."""
    result = failed(case, sentence)
    result.said = sentence
    return result


def has_no_numbers(result):
    """Whether a step is NaN in all places."""
    told = [re.match(r".* is nan, .*\((\d+) of (\d+) numbers differ\)", step["difference"]) for step in result.steps
            if step["verdict"] == "wrong"]
    return any(each and each[1] == each[2] for each in told)


def likelihood(result):
    """Less is likelier: numbers, where a mask that was read in the wrong way leaves none; fewer mistakes, those of the mask that
    was given, and none of the mask, which may only have been read in the wrong way."""
    return has_no_numbers(result), result.size(), result.has_all_seen, any(name.startswith("masked/") for name in result.mistakes)
