"""What the command says of a call: right, or wrong and why, in one sentence and without a right number."""
from ..errors import Error
from .asking import entry_of


class Verdict:
    def __init__(self, function, layer, right, sentence="", mistakes=(), step="", share=0.0):
        self.function, self.layer, self.right, self.sentence = function, layer, right, sentence
        self.mistakes, self.step = list(mistakes), step
        self.share = share  # of the layer's steps that are right

    def as_json(self):
        return {"function": self.function, "layer": self.layer, "right": self.right, "step": self.step,
                "mistakes": self.mistakes, "sentence": self.sentence, "share": round(self.share, 4)}


def sentence_of(names):
    """Of mistakes made together."""
    parts = []
    for name in names:
        entry = entry_of(name)
        parts.append(f"{entry['sentence'].rstrip('.')} ({name})" if entry else name)
    return "; and ".join(parts)


def said_of(step, searched_all, right_with):
    """The sentence, and the mistakes of the first explanation."""
    explanations = step["mistakes"]
    if len(explanations) == 1:
        return f"{sentence_of(explanations[0])}: nothing else differs", explanations[0]
    if explanations:
        most = 3
        told = " | or: ".join(sentence_of(each) for each in explanations[:most])
        more = f" | or {len(explanations) - most} more" if len(explanations) > most else ""
        return f"one of these, which these arguments cannot tell apart: {told}{more}", explanations[0]
    if right_with:
        return f"all would be right with {right_with}", []
    if step["looks_like"]:
        return f"{step['name']} is wrong: {step['looks_like']}", []
    tried = "no mistake of the catalogue, and no two together, give these numbers" if searched_all else \
        "no mistake of the catalogue gives these numbers"
    return f"{step['name']} is wrong, and {tried}", []


def share_right(answer, mistakes):
    """Steps that are right, of those that the layer computes. What is not handed in counts as right where mistakes that
    are named explain all numbers."""
    computed = [each for each in answer["steps"]]
    if not computed or not mistakes:
        return 0.0
    wrong = {name.rpartition(": ")[2].partition("/")[0] for name in mistakes}
    return max(0.0, 1 - len(wrong) / len(computed))


class NotJudged(Exception):
    """The command has no answer: arguments that the layer does not take."""


def verdict_of(asked, job, function):
    if not job.results:
        raise NotJudged("it returned no array that the mapping knows")
    try:
        answer = asked.check(job)
    except Error as problem:
        raise NotJudged(str(problem)) from None
    if answer["right"]:
        return Verdict(function, job.layer, True, share=1.0)
    wrong = next((each for each in answer["steps"] if each["verdict"] == "wrong"), None)
    if wrong is None:
        raise NotJudged("no step of it can be compared")
    sentence, mistakes = said_of(wrong, answer["searched_all"], answer["right_with"])
    return Verdict(function, job.layer, False, sentence, mistakes, wrong["name"], share_right(answer, mistakes))
