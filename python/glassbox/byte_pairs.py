"""Byte pairs in letters: words with the marks that tokenizers put at their ends, and merges and tokens by the command's ids."""
import itertools
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from .calling import right_steps
from .probing import Case

FIRST_LETTER, UNKNOWN = 4, 3  # the command's ids: <pad>, <start>, <end>, <unk>, then the letters
PRIVATE = 0xE000  # Unicode's numbers for signs of one's own, for what is longer than a letter


@dataclass(frozen=True)
class Mark:
    """What a tokenizer puts at one end of each word, "</w>" or "Ġ": each is as right as none."""
    text: str = ""
    place: str = "none"  # "end" or "front": a sign of its own; "fused": with the last letter; "between": before all but the first

    def signs(self, word, is_first=False):
        """The word as what is merged first."""
        if self.place == "fused":
            return (*word[:-1], word[-1] + self.text)
        if self.place == "end":
            return (*word, self.text)
        return (self.text, *word) if self.place == "front" or (self.place == "between" and not is_first) else tuple(word)


def marks_in(texts, letters):
    """The marks that these tokens may have, by what stands in them beside letters; the likeliest first."""
    other = f"[^{re.escape(''.join(sorted(letters)))}]"
    inside = f"{other}(?:.*{other})?"  # "</w>" has the letter w
    signs = [(match[0], text) for text in texts for match in re.finditer(inside, text)]
    if not signs:
        return [Mark()]
    sign = signs[0][0]
    is_alone = sign in texts
    if all(each == sign and text.endswith(sign) and text.count(sign) == 1 for each, text in signs):
        if not all(text == sign for _, text in signs) or not all(text.startswith(sign) for _, text in signs):
            return [Mark(sign, place) for place in (("end", "fused") if is_alone else ("fused", "end"))]
        return [Mark(sign, place) for place in ("end", "front", "between", "fused")]
    if all(each == sign and text.startswith(sign) and text.count(sign) == 1 for each, text in signs):
        return [Mark(sign, place) for place in ("front", "between")]
    return [Mark()]  # it is inside a token: a merge across words, or another letter


class Lesson:
    """The words of a corpus with a mark, the words to encode, and what the command makes of them."""
    def __init__(self, corpus, apply, merges, mark=Mark(), first_is_marked=None):
        self.corpus, self.apply, self.count, self.mark = list(corpus), list(apply), merges, mark
        self.counts = Counter()
        for place, word in enumerate(self.corpus):
            self.counts[mark.signs(word, place == 0)] += 1
        is_first = mark.place == "between" and not first_is_marked
        self.text = [mark.signs(word, is_first) for word in self.apply]
        self.signs = sorted({sign for word in [*self.counts, *self.text] for sign in word}, key=self.number)
        self.known = sorted({sign for word in self.counts for sign in word}, key=self.number)
        self._right, self.is_taught = None, False

    def number(self, sign):
        """A letter's code point; the rest behind all letters."""
        return ord(sign) if len(sign) == 1 else PRIVATE + (ord(sign[0]) if sign.endswith(self.mark.text) and sign != self.mark.text
                                                           else 0)

    def rows(self, words, width):
        rows = np.zeros((len(words), width))
        for row, word in zip(rows, words):
            row[:len(word)] = [self.number(sign) for sign in word]
        return rows

    @property
    def case(self):
        width = max(map(len, self.counts))
        inputs = {"words": self.rows(self.counts, width), "counts": np.array(list(self.counts.values()), float),
                  "text": self.rows(self.text, max(map(len, self.text)))}
        return Case("bpe", [f"--merges={self.count}"], inputs, {})

    @property
    def right(self):
        self._right = self._right or right_steps(self.case)
        return self._right

    @property
    def merges(self):
        """The command's merges as pairs of texts."""
        names = {FIRST_LETTER + place: sign for place, sign in enumerate(self.known)}
        pairs = []
        for left, right, joined in self.right["merges"].astype(int):
            if joined == 0:  # no pair was left
                break
            pairs.append((names[left], names[right]))
            names[joined] = names[left] + names[right]
        return pairs

    def ids(self, merges):
        """{text: id}, of the letters and of what these merges make."""
        known = {sign: FIRST_LETTER + place for place, sign in enumerate(self.known)}
        for is_turned in (False, True):  # a pair may be told the wrong way round, where no other makes the same
            for place, (left, right) in enumerate(merges):
                known.setdefault(right + left if is_turned else left + right, FIRST_LETTER + len(self.known) + place)
        return known

    def merges_by_id(self, merges):
        known, first = self.ids(merges), FIRST_LETTER + len(self.known)
        return np.array([[known.get(left, UNKNOWN), known.get(right, UNKNOWN), first + place]
                         for place, (left, right) in enumerate(merges)], np.float32).reshape(-1, 3)

    def tokens_by_id(self, words, merges=None):
        """A row for each word, 0 behind it, as wide as the command's or as wide as is needed."""
        known = self.ids(self.merges if merges is None else merges)
        rows = np.zeros((len(words), max([len(max(self.text, key=len)), *map(len, words)])), np.float32)
        for row, tokens in zip(rows, words):
            row[:len(tokens)] = [known.get(token, UNKNOWN) for token in tokens]
        return rows

    def tokens(self):
        """The command's tokens as texts."""
        names = {}
        for text, number in self.ids(self.merges).items():
            names.setdefault(number, text)
        return [[names.get(int(each), "<unk>") for each in row if each] for row in self.right["tokens"]]


def taught(merges, apply, mark):
    """A lesson from which the command learns just these merges, which somebody else has learned: what each of them makes is a
    word, twice as frequent as the next. None if there are too many for that, or no corpus has them."""
    if not merges or len(merges) > 20:  # the counts are single-precision numbers
        return None
    lesson = Lesson(["?"], apply, len(merges), mark)
    whole = {}
    for left, right in merges:
        whole[left + right] = (*whole.get(left, (left, )), *whole.get(right, (right, )))
    lesson.counts, lesson.is_taught = Counter(), True
    for place, (left, right) in enumerate(merges):
        lesson.counts[whole[left + right]] += 2**(len(merges) - place)
    for sign in {sign for word in lesson.text for sign in word}:  # so that no letter is unknown
        lesson.counts[sign, ] += 1
    lesson.known = sorted({sign for word in lesson.counts for sign in word}, key=lesson.number)
    return lesson if lesson.merges == list(merges) else None


def most_frequent(words):
    """The pairs that no other exceeds."""
    pairs = Counter()
    for word, times in words.items():
        for each in zip(word, word[1:]):
            pairs[each] += times
    most = max(pairs.values(), default=0)
    return [pair for pair, times in pairs.items() if times == most]


def after(words, pair):
    """The words once a pair is merged."""
    joined = Counter()
    for word, times in words.items():
        joined[merged(word, pair)] += times
    return joined


def are_most_frequent(lesson, merges):
    """Whether each merge is of a pair that no other exceeds, so that only what decides between equals may differ."""
    words = lesson.counts
    for pair in merges:
        if pair not in most_frequent(words):
            return False
        words = after(words, pair)
    return True


def has_equals(lesson):
    """Whether a choice between pairs that are as frequent as each other decides its merges."""
    words = lesson.counts
    for pair in lesson.merges:
        if len(most_frequent(words)) > 1:
            return True
        words = after(words, pair)
    return False


def in_any_order(words, count):
    """Every list of merges that some choice between equals leads to."""
    pairs = most_frequent(words) if count else []
    if not pairs:
        yield []
    for pair in pairs:
        for rest in in_any_order(after(words, pair), count - 1):
            yield [pair, *rest]


def explaining(lesson, words, limit=200):
    """The merges of another choice between equals that make these tokens; None if none of the first ones does."""
    for merges in itertools.islice(in_any_order(lesson.counts, lesson.count), limit):
        encoded = lesson.text
        for pair in merges:
            encoded = [merged(word, pair) for word in encoded]
        if [list(word) for word in encoded] == words:
            return merges
    return None


def merged(word, pair):
    joined, place = [], 0
    while place < len(word):
        is_pair = word[place:place + 2] == pair
        joined.append("".join(pair) if is_pair else word[place])
        place += 2 if is_pair else 1
    return tuple(joined)
