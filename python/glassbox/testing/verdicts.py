"""What the command says of a call: right, or wrong and why, in one sentence and without a right number."""
from ..errors import Error
from .asking import entry_of


class Verdict:
    def __init__(self, function, layer, right, sentence="", mistakes=(), step="", share=0.0, explanations=()):
        self.function, self.layer, self.right, self.sentence = function, layer, right, sentence
        self.mistakes, self.step, self.explanations = list(mistakes), step, list(explanations)
        self.share = share  # of the layer's steps that are right

    def of(self, mistakes):
        """The same with another explanation."""
        return Verdict(self.function, self.layer, False, explained(mistakes), mistakes, self.step, self.share, [mistakes])

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


def explained(names):
    return f"{sentence_of(names)}: nothing else differs"


def step_of(name):
    """Of "encoder/0: scaled/no-root in head 1", scaled."""
    return name.rpartition(": ")[2].partition("/")[0]


def explanations_of(step, computed):
    """Those made of steps that the function computes, where there are such: a softmax exchanges no queries and keys."""
    own = [each for each in step["mistakes"] if not computed or all(step_of(name) in computed for name in each)]
    return own or step["mistakes"]


def verdict_text(step, explanations, searched_all, right_with):
    """The sentence, and the mistakes of the first explanation."""
    if len(explanations) == 1:
        return explained(explanations[0]), explanations[0]
    if explanations:
        max_shown = 3
        told = " | or: ".join(sentence_of(each) for each in explanations[:max_shown])
        more = f" | or {len(explanations) - max_shown} more" if len(explanations) > max_shown else ""
        return f"one of these, indistinguishable with these arguments: {told}{more}", explanations[0]
    if right_with:
        return f"all would be right with {right_with}", []
    if step["looks_like"]:
        return f"{step['name']} is wrong: {step['looks_like']}", []
    tried = "no mistake in the catalogue gives these numbers, nor does any pair that was tried" if searched_all else \
        "no mistake in the catalogue gives these numbers"
    return f"{step['name']} is wrong, and {tried}", []


def share_right(answer, mistakes):
    """Steps that are right, of those that the layer computes, where the mistakes are named: the command says which steps
    the numbers show to be right."""
    computed = [each for each in answer["steps"] if not each["input"]]
    return sum(each["earned"] for each in computed) / len(computed) if computed and mistakes else 0.0


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
    explanations = explanations_of(wrong, job.mapped.steps)
    sentence, mistakes = verdict_text(wrong, explanations, answer["searched_all"], answer["right_with"])
    share = share_right(answer, mistakes)
    return Verdict(function, job.layer, False, sentence, mistakes, wrong["name"], share, explanations)


def together(verdicts):
    """Of the calls in one test: what explains all wrong ones of a function is said once; so is that it is right."""
    kept = {}
    for each in verdicts:
        same = next((other for other in kept.get(each.function, []) if other.right == each.right and joined(other, each)), None)
        if same is None:
            kept.setdefault(each.function, []).append(each)
        elif not each.right and same.explanations:
            merged = joined(same, each)
            kept[each.function][kept[each.function].index(same)] = merged
    return [each for those in kept.values() for each in those]


def joined(one, other):
    """A verdict for both calls, or None where nothing explains both."""
    if one.right or one.sentence == other.sentence:
        return one
    common = [each for each in one.explanations if each in other.explanations]
    return one.of(common[0]) if len(common) == 1 else None
