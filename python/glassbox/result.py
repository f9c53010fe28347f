"""What a check found."""
import re

from .wording import as_keywords, say

NAME = re.compile(r"   [\w/ ]+/[\w-]+: ")  # of a mistake, with its formula
UNNAMED = "   No mistake in the catalogue gives"
MANY = 1000  # mistakes, where none is named


BATCH_SECOND = "batch_first=False"


def is_change(names):
    """Whether these are no mistakes of the catalogue, but a changed formula."""
    return any(name.endswith("/changed") for name in names)


def said_once(text):
    """The text, in which mistakes that stand below each other with the same sentence and link have these once, below the last."""
    blocks = []
    for line in text.split("\n"):
        if not blocks or not line.startswith("   ") or NAME.match(line):
            blocks.append([])
        blocks[-1].append(line)
    for one, other in zip(blocks, blocks[1:]):
        if one[1:] == other[1:] and NAME.match(one[0]) and NAME.match(other[0]):
            del one[1:]
    return "\n".join(line for block in blocks for line in block)


class Result:
    """True if all is right. `text` is what `tracer check` prints; as a string it is that, or, once it has been printed, one line."""
    def __init__(self, answer, case, remarks=(), right_with=""):
        self.as_json = answer
        self.case = case
        self.remarks = [*answer.get("remarks", []), *remarks]
        self.right_with = right_with or as_keywords(answer["right_with"])
        self.steps = answer["steps"]
        self.has_all_seen = False  # judged where every key is seen, instead of those of the mask
        self.said = ""  # a sentence of what is wrong, where no line of the catalogue says it
        self.is_said = False  # whether its text has been printed
        self.gradients = []  # with backward=True: gradients.Compared of every input and parameter

    def __bool__(self):
        return self.as_json["right"] and all(each.is_right for each in self.gradients)

    @property
    def wrong(self):
        """The first wrong step, as the command's JSON has it; None if all is right."""
        return next((step for step in self.steps if step["verdict"] == "wrong"), None)

    @property
    def explanations(self):
        """Lists of mistakes that together give the numbers of the first wrong step; several where they cannot be
        told apart."""
        return self.wrong["mistakes"] if self.wrong else []

    @property
    def mistakes(self):
        """The names of all mistakes that may be the one."""
        return list(dict.fromkeys(name for together in self.explanations for name in together))

    @property
    def is_named(self):
        """Whether it is known what is wrong: a mistake of the catalogue, or several, for the first wrong step, or a sentence."""
        return bool(self.said) or (bool(self.explanations) and not is_change(self.explanations[0]))

    @property
    def is_in_a_sentence(self):
        """Whether a sentence says what is wrong, and no mistake of the catalogue does."""
        return bool(self.said) and (not self.explanations or is_change(self.explanations[0]))

    def size(self):
        """How many mistakes it takes, of all wrong steps together; many where none is named."""
        if self.as_json["right"]:
            return 0
        wrong = [step["mistakes"] for step in self.steps if step["verdict"] == "wrong"]
        return sum(len(each[0]) + is_change(each[0]) / 2 if each else MANY for each in wrong) if wrong else MANY

    @property
    def sentence(self):
        """One sentence: what is wrong; empty if nothing is."""
        if self:
            return ""
        if self.as_json["right"]:
            return "The result is right, and its gradient is not: " + next(
                each.text for each in self.gradients if not each.is_right)
        if "error" in self.as_json:
            return self.as_json["error"]
        if self.is_in_a_sentence:
            return self.said
        if self.explanations:  # one slip at two places has one sentence
            return " ".join(dict.fromkeys(self.as_json["sentences"][name] for name in self.explanations[0]))
        return self.wrong[
            "looks_like"] or f"{self.wrong['name']} is wrong, and no mistake in the catalogue gives its numbers"

    @property
    def text(self):
        told = said_once(self.as_json["text"].rstrip("\n"))
        if self.is_in_a_sentence:  # which says what the catalogue does not
            told = "\n".join(line for line in told.split("\n") if not line.startswith(UNNAMED))
        lines = [*self.remarks, as_keywords(told)]
        if self.right_with == BATCH_SECOND:  # no mistake then: it comes first
            lines.insert(0, f"Right if its input is (position, batch, width): {BATCH_SECOND} says that it is. For an input that is "
                            "(batch, position, width):")
        elif self.right_with and not self.as_json["right_with"]:
            lines.append(f"All would be right with {self.right_with}: check with what was meant.")
        lines += [each.text for each in self.gradients]
        return "\n".join(lines)

    @property
    def brief(self):
        """One line: that it is right, or the names of its mistakes, of one wrong step after the other, or what else is wrong."""
        wrong = [] if self.is_in_a_sentence else [step["mistakes"] for step in self.steps if step["verdict"] == "wrong"]
        names = [", ".join(dict.fromkeys(name for together in each for name in together)) for each in wrong]
        return "right" if self else "; ".join(dict.fromkeys(filter(None, names))) or f"wrong: {self.sentence.partition(chr(10))[0]}"

    def say(self):
        """Prints its text."""
        say(self.text)
        self.is_said = True

    def __str__(self):
        return self.brief if self.is_said else self.text

    def __repr__(self):
        return f"<glassbox.Result {'right' if self else 'wrong: ' + (', '.join(self.mistakes) or self.sentence)}>"

    def see(self):
        """The pass with the mistake, the right numbers beside it, as `tracer LAYER --mistake NAME` prints it."""
        from .tracing import text_of
        if not self.explanations or is_change(self.explanations[0]):
            return self.text
        return text_of(self.case, mistake=",".join(self.explanations[0]))
