"""Which mistakes of byte-pair encoding the corpora of a check tell apart."""
import itertools

import pytest

import glassbox
from glassbox import engine
from glassbox.byte_pairs import Lesson, Mark, has_equals
from glassbox.calling import right_steps
from glassbox.tokenizers import APART, APART_WORDS, CORPUS, MERGES, OTHER_CORPUS, OTHER_WORDS, WORDS, in_turn

LESSONS = [(CORPUS, WORDS), (OTHER_CORPUS, OTHER_WORDS), (APART, APART_WORDS)]
# A choice between equals is free, and no letter is unknown; a pair's number of times is no step that anyone submits.
FREE = {"", *(f"pairs/{each}" for each in ("unweighted", "backwards", "both-ways", "with-padding", "with-end-of-word", "across-words")),
        *(f"merges/{each}" for each in ("last-of-equals", "first-met", "right-first")),
        *(f"tokens/unknown-{each}" for each in ("left-out", "is-pad", "is-a-letter", "is-merged"))}
MARKS = [Mark(), Mark("</w>", "end"), Mark("</w>", "fused"), Mark("Ġ", "front"), Mark("Ġ", "between")]


def mistakes():
    text = engine.run(["mistakes", "bpe"]).text
    return [line.strip().partition(":")[0] for line in text.splitlines() if line.startswith("   ") and "/" in line.partition(":")[0]]


def numbers_of(corpus, words, mistake):
    case = Lesson(in_turn(corpus), words, MERGES).case
    steps = right_steps(case.changed(words=[*case.words, *([f"--mistake={mistake}"] if mistake else [])]))
    return steps["merges"].tobytes(), steps["tokens"].tobytes()


def test_only_mistakes_that_must_be_equal_are():
    found = {name: [numbers_of(*each, name) for each in LESSONS] for name in ["", *mistakes()]}
    equal = [pair for pair in itertools.combinations(found, 2) if found[pair[0]] == found[pair[1]]]
    assert {name for pair in equal for name in pair} == FREE and len(equal) == len(FREE) * (len(FREE) - 1) // 2, equal


def in_text_order(signs, merges):
    signs = list(signs)
    while True:
        place = next((i for i, pair in enumerate(zip(signs, signs[1:])) if pair in merges), None)
        if place is None:
            return signs
        signs[place:place + 2] = ["".join(signs[place:place + 2])]


def longest_first(signs, merges):
    known, found, place = {"".join(pair) for pair in merges}, [], 0
    while place < len(signs):
        end = next(end for end in range(len(signs), place, -1) if end == place + 1 or "".join(signs[place:end]) in known)
        found.append("".join(signs[place:end]))
        place = end
    return found


@pytest.mark.parametrize("mark", MARKS, ids=[each.place for each in MARKS])
def test_the_third_corpus_tells_two_apart_with_each_mark(mark):
    lesson = Lesson(in_turn(APART), APART_WORDS, MERGES, mark)
    assert not has_equals(lesson)
    assert [in_text_order(each, lesson.merges) for each in lesson.text] != [longest_first(each, lesson.merges) for each in lesson.text]


@pytest.mark.parametrize("encode, name", [(in_text_order, "tokens/text-order"), (longest_first, "tokens/longest-first")])
@pytest.mark.parametrize("mark", ["", "</w>"])
def test_what_encodes_in_another_order_has_one_name(encode, name, mark):
    def encoded(word, merges):
        return encode([*word, mark] if mark else word, merges)
    assert glassbox.check("bpe", encoded, quiet=True).mistakes == [name]
