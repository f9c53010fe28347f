"""A check of byte-pair encoding: functions that learn merges or encode words, and objects that do both, as people write
them."""
import contextlib
import copy
import inspect
import re
from collections import Counter

from .arrays import is_array
from .byte_pairs import Lesson, Mark, are_most_frequent, explaining, has_equals, marks_in, taught
from .calling import Raised, right_steps
from .errors import Error
from .judging import failed, in_a_sentence, judge_result
from .options import as_words
from .probing import Case
from .signature import Fixed, plain
from .token_forms import SPECIAL, in_texts, is_id, pairs_in, tokens_in, tokens_in_texts
from .tokenizer_calls import (CALLED, COUNT_HELD, DECODING, ENCODING, LEARNING, MERGES_HELD, SIZE_HELD, Called, held, method_of, names_in,
                              roles_of, said_role)

# Searched so that no two pairs are ever as frequent as each other, with and without a mark at either end of a word, and
# whether "ooo" has the pair "oo" once or twice: what decides between equals is free. Words counted once, pairs counted only
# once, and what goes wrong in "ooo" give other merges; merges out of their order, and the first that fits, other tokens.
CORPUS = {"wesh": 12, "woosh": 4, "wooo": 13, "moo": 12, "west": 10, "best": 4, "moomoo": 6}
ONE_MERGE = {"xabc": 5, "yabd": 5, "uefg": 1, "vefh": 1, "wefi": 1, "zefj": 1}
WORDS, MERGES = "woooo mooo weshest moomooo shoo".split(), 8
# Searched in the same way: with each mark what takes another pair of those that are there first, the longest token or the pair at
# one place alone gives other tokens, and what joins letters of longer tokens, or counts a pair once in a word, other merges.
OTHER_CORPUS = {"oeo": 38, "odo": 40, "ddoee": 13, "dodd": 18, "eo": 7, "doo": 33, "do": 12, "ed": 6, "oeddod": 16, "eeededo": 29, "dd": 37,
                "eodoeo": 16}
OTHER_WORDS = "eeedoo dooedoe deo".split()
# Searched so that with each mark the first pair that is there and the longest token give other tokens, and no two pairs are as frequent.
# For what two mistakes of the catalogue explain on the first corpus: abc is a + bc, and ab is another token.
APART = {"deabcd": 19, "abed": 31, "bcd": 55, "edabcd": 23, "edabde": 58, "eabce": 57, "debcde": 54, "debce": 41, "edabe": 11}
APART_WORDS = "abcad edece".split()
ALL_BYTES, SPECIALS = 256, 2  # in a vocabulary, before the merges: the second beside the corpus' letters


def is_tokenizer(given):
    """Whether it can be called, or has a method that learns or encodes."""
    return not is_array(given) and not isinstance(given, (str, bytes, dict, list, tuple)) and (
        callable(given) or method_of(given, LEARNING + ENCODING) is not None)


def judged(objects, asked, how):
    """The result of the first that is right, else of the one with the fewest mistakes."""
    results = []
    for each in objects:
        results.append(OfTokenizer(each, asked, how).result())
        if results[-1]:
            break
    return next(filter(None, results), None) or min(results, key=lambda result: result.size())


class Reading:
    """What a function or an object gave, and the lesson by which it is judged."""
    def __init__(self, lesson, merges=None, words=None, remarks=()):
        self.lesson, self.merges, self.words, self.remarks = lesson, merges, words, list(remarks)

    def merges_any(self):
        """Whether there is a token of several letters."""
        return bool(self.merges) or any(len(token) > 1 for word in self.words or [] for token in word)

    def is_like(self, other):
        """Whether it has the same mark, and merges or tokens as the other has."""
        are_there = [(each.merges is None, each.words is None, each.lesson.mark) for each in (self, other)]
        return are_there[0] == are_there[1] and (self.merges is None or len(self.merges) == len(self.lesson.merges))

    def submitted(self):
        """Its numbers by the command's names, with the command's ids."""
        steps = {} if self.merges is None else {"merges": self.lesson.merges_by_id(self.merges)}
        if self.words is not None:
            steps["tokens"] = self.lesson.tokens_by_id(self.words, self.merges)
        return steps

    def is_right(self):
        right_merges = self.merges is None or self.merges == self.lesson.merges
        return right_merges and (self.words is None or self.words == self.lesson.tokens())


class OfTokenizer:
    """A check of byte-pair encoding."""
    def __init__(self, given, asked, how):
        self.given, self.how = given, how
        self.name = getattr(given, "__qualname__", type(given).__name__).rpartition("<locals>.")[2]
        self.options = dict(asked.options)
        self.own_corpus = words_of(self.options.pop("corpus", None), "corpus")
        self.own_words = words_of(self.options.pop("apply", None), "apply")
        self.count = self.options.pop("merges", None)
        if self.count is not None and not (is_id(self.count) and 0 < self.count <= 4096):
            raise Error(f"check: merges is the number of merges, from 1 to 4096, got {self.count!r}")
        if self.options:  # what the command does not know it says itself
            right_steps(Case("bpe", as_words(self.options), {}, {}))
        self.problem, self.is_named = None, False
        self.trained, self.has_learned = None, False  # the object once it has learned; whether it did somewhere else

    def result(self):
        corpus = self.own_corpus or in_turn(CORPUS)
        words = self.own_words or (WORDS if self.own_corpus is None else ["lowest"] if "low" in corpus else corpus[:1])
        lesson = Lesson(corpus, words, self.count or (MERGES if self.own_corpus is None else 4))
        readings = self.readings(lesson)
        if not readings:
            return self.unread(lesson)
        result = self.judged(readings)
        if result:
            wrong = self.undecoded(lesson)
            return in_a_sentence(lesson.case, wrong) if wrong else self.on_the_other_corpus(result)
        if self.own_corpus is None and not result.explanations and not self.is_named:
            result = self.by_a_shorter_one(result)
        if self.own_corpus is None:
            result = self.told_apart(result)
        if not result and self.own_corpus and not result.explanations and has_equals(lesson):
            other = copy.copy(self)
            other.own_corpus = other.own_words = other.count = None
            again = other.result()
            again.remarks.insert(0, "in corpus=… pairs are as frequent as each other, and which of them comes first is free; judged "
                                    "with another corpus, which has none:")
            return again
        return result

    def on_the_other_corpus(self, result):
        """What is right for one corpus may not be for another, in which other pairs meet."""
        if self.own_corpus is not None or self.has_learned:
            return result
        other = copy.copy(self)
        corpus = in_turn(OTHER_CORPUS)
        other.own_corpus, other.own_words = corpus, OTHER_WORDS
        with contextlib.suppress(Error):
            lesson = Lesson(corpus, OTHER_WORDS, self.count or MERGES)
            again = other.judged(other.readings(lesson) or [Reading(lesson)])
            if not again and "error" not in again.as_json:
                told = ", ".join(f"{word} {times}×" for word, times in OTHER_CORPUS.items())
                again.remarks.insert(0, f"right for one corpus but not for another: {told}")
                return self.told_apart(again) if again.explanations else self.by_a_shorter_one(again)
        return result

    def told_apart(self, result):
        """Of what several mistakes explain those that also give what it does with a corpus in which they differ."""
        if len(result.explanations) < 2:
            return result
        other, reading = copy.copy(self), result.reading
        other.own_corpus, other.own_words = in_turn(APART), APART_WORDS
        with contextlib.suppress(Error):
            for there in other.readings(Lesson(other.own_corpus, APART_WORDS, reading.lesson.count)):
                if not there.is_like(reading):
                    continue
                left = judge_result(reading.lesson.case, reading.submitted(), None, self.how.hide_expected, search=self.how.search,
                                    also=[(there.lesson.case, there.submitted())])
                without_ids(left)
                if 0 < len(left.explanations) < len(result.explanations):
                    left.remarks, left.reading = result.remarks, reading
                    return left
        return result

    def undecoded(self, lesson):
        """What is said of a word that does not come back from its tokens; "" where each does, or nobody can tell."""
        encode, decode = (method_of(self.trained, names) if self.trained is not None else None for names in (ENCODING, DECODING))
        with contextlib.suppress(Exception):  # it may decode something else than what it encodes
            for word in lesson.apply if encode and decode else ():
                tokens = encode(word)
                text = decode(tokens if isinstance(tokens, (list, tuple)) else tokens.ids)
                plain_text = re.sub(SPECIAL, "", text) if isinstance(text, str) else word
                if re.sub(MARKS, "", plain_text) != word:
                    return f"{decode.__name__}({encode.__name__}({word!r})) is {text!r}, expected {word!r}"
        return ""

    def by_a_shorter_one(self, result):
        """The verdict on a corpus of which one merge is learned, where words counted once have no equals either."""
        other = copy.copy(self)
        other.is_named = True
        readings = other.readings(Lesson(in_turn(ONE_MERGE), ONE_MERGE, 1))
        wrong = [each for each in readings if not each.is_right() and each.merges_any()]
        again = other.judged(wrong) if wrong else result
        return again if again.explanations else result

    def unread(self, lesson):
        if isinstance(self.problem, Raised):
            return failed(lesson.case, str(self.problem))
        raise self.problem or Error(
            f"check: {self.name}: expected a function learn(corpus, num_merges), encode(word, merges) or encode(corpus, word, "
            "num_merges), or an object with train and encode; arguments={\"NAME\": \"corpus\"} says what a parameter takes: "
            f"{', '.join(CALLED)}")

    def readings(self, lesson):
        """What it gives in each of the ways that it may be called in."""
        given = self.given
        owner = getattr(given, "__self__", None)
        if owner is not None and not inspect.ismodule(owner) and not isinstance(owner, type):
            is_learning = plain(given.__name__) in LEARNING
            return self.of_object(owner, lesson, None if is_learning else given.__name__, not is_learning)
        if method_of(given, LEARNING + ENCODING) is not None and not inspect.isfunction(given):
            encoding = method_of(given, ENCODING)
            return self.of_object(given, lesson, encoding and encoding.__name__, True)
        return self.of_function(given, lesson)

    def stated(self):
        arguments = self.how.arguments or {}
        return {name: Fixed(what) if role is None else role for name, what in arguments.items() for role in [said_role(what)]}

    def of_function(self, function, lesson):
        stated, found = self.stated(), []
        choices = roles_of(function, stated)
        for roles in choices:
            called = Called(function, roles)
            if called.used == {"word"} and self.own_corpus is None:
                self.problem = self.problem or self.untold()
            elif "word" in called.used:
                found += self.encodings(called, lesson)
            else:
                found += self.learnings(called, lesson)
            if any(each.is_right() for each in found):
                break
        return found

    def learnings(self, called, lesson):
        """What a learning function gives, in each form of the corpus."""
        found, seen = [], []
        for way in called.ways(lesson, found):
            try:
                value = called.once(way)
                pairs = pairs_in(value)
            except Raised as raised:
                self.problem = self.problem or raised
                continue
            if pairs is None:
                self.problem = self.problem or not_merges(called, value)
            elif pairs not in seen:
                seen.append(pairs)
                found += self.of_merges(pairs, lesson, "count" in called.used)
                if any(each.is_right() for each in found):
                    break
        return found

    def of_merges(self, pairs, lesson, tells_count):
        """Merges in every reading: of ids as texts, with each mark."""
        found = []
        for texts in in_texts(pairs, lesson):
            for mark in marks_in([sign for pair in texts for sign in pair], set("".join(lesson.corpus))):
                count = lesson.count if tells_count or self.count else max(1, len(texts))
                found.append(Reading(Lesson(lesson.corpus, lesson.apply, count, mark), texts))
        return [self.by_choice(each) for each in found]

    def by_choice(self, reading):
        """Of pairs that are as frequent as each other another one may be merged first: then what it learned is taken."""
        lesson, merges = reading.lesson, reading.merges
        if merges == lesson.merges or len(merges) != len(lesson.merges) or not are_most_frequent(lesson, merges):
            return reading
        other = taught(merges, lesson.apply, lesson.mark)
        if other is None:
            return reading
        place = next(place for place, (a, b) in enumerate(zip(merges, lesson.merges)) if a != b)
        remark = (f"of pairs as frequent as each other it merges {plus(merges[place])} before {plus(lesson.merges[place])}: "
                  "as right as the command's order")
        return Reading(other, merges, reading.words, [remark])

    def encodings(self, called, lesson, mark=None):
        """What an encoding function gives of each word, in each form of what it takes. With a mark that its tokens have its
        merges need it, too."""
        found, seen, marks = [], [], []
        for way in called.ways(lesson, found):
            words = self.encoded(lambda word, way=way: called.once(way, word), lesson.apply)
            if words is None or words in seen:
                continue
            seen.append(words)
            texts = [token for word in words for token in word if isinstance(token, str)]
            own = marks_in(texts, set("".join([*lesson.corpus, *lesson.apply]))) if texts else [Mark()]
            marks += [each for each in own if mark is None and each.text.strip() and each not in marks]
            found += self.of_words(words, lesson, own if "merges" not in called.used or mark else [Mark()])
            if any(each.is_right() for each in found):
                return found
        for each in marks if "merges" in called.used else ():
            marked = self.encodings(called, Lesson(lesson.corpus, lesson.apply, lesson.count, each), each)
            if any(reading.is_right() for reading in marked):
                return marked
            found += marked
        return found

    def encoded(self, encode, words):
        found = []
        for word in words:
            try:
                tokens = tokens_in(encode(word))
            except Raised as raised:
                self.problem = self.problem or raised
                return None
            if tokens is None:
                told = f"check: {self.name}: expected a word's tokens, as texts or ids, got none"
                self.problem = self.problem or Error(told)
                return None
            found.append(tokens)
        return found

    def of_words(self, words, lesson, marks, merges=None, names=None, remarks=()):
        found = []
        for mark in marks:
            for is_marked in (False, True) if mark.place == "between" else (None, ):
                own = lesson if mark == lesson.mark else Lesson(lesson.corpus, lesson.apply, lesson.count, mark, is_marked)
                for texts in tokens_in_texts(words, own.merges if merges is None else merges, own, names):
                    found.append(Reading(own, merges, texts, remarks=remarks))
        return found

    # ---- objects

    def of_object(self, owner, lesson, encoding, judges_tokens):
        """What an object learns and how it encodes then; of one that learns nothing what it has learned is taken."""
        own = owner
        with contextlib.suppress(Exception):  # what cannot be copied is used itself
            owner = copy.deepcopy(owner)
        learn = method_of(owner, LEARNING)
        encode = getattr(owner, encoding, None) if encoding and judges_tokens else None
        if learn is None:
            return self.of_learned(owner, encode, lesson)
        return self.of_learner(owner, learn, encode, lesson) or self.of_learned(own, encode and getattr(own, encoding), lesson)

    def of_learner(self, owner, learn, encode, lesson):
        """What it learns from the lesson; nothing where it learns from files, say."""
        says_count = self.say_count(owner, lesson)
        found = []
        for roles in roles_of(learn, self.stated(), learns=True):
            called = Called(learn, roles)
            if "corpus" not in called.used or {"word", "merges"} & called.used:  # its text is what it learns from
                continue
            for way in called.ways(lesson, found):
                try:
                    given = called.once(way)
                except Raised as raised:
                    self.problem = self.problem or raised
                    continue
                merges = next((pairs for pairs in map(pairs_in, [value for _, value in held(owner, MERGES_HELD)]) if pairs),
                              None) or pairs_in(given)
                self.trained = owner
                found += self.of_trained(owner, encode, merges, lesson, says_count or "count" in called.used)
                if any(each.is_right() for each in found):
                    return found
        return found

    @staticmethod
    def say_count(owner, lesson):
        """Tells an object that keeps its number of merges another one; whether it has such a number."""
        own = [(name, value) for name, value in held(owner, COUNT_HELD) if is_id(value)]
        sizes = [(name, ALL_BYTES if value > ALL_BYTES else len(lesson.known) + SPECIALS)
                 for name, value in held(owner, SIZE_HELD) if is_id(value)]
        for name, before in [(name, 0) for name, _ in own] + sizes:  # a vocabulary has the letters, too
            with contextlib.suppress(Exception):
                setattr(owner, name, before + lesson.count)
        return bool(own)

    def of_trained(self, owner, encode, merges, lesson, tells_count):
        words = self.encoded(lambda word: called_with(encode, word), lesson.apply) if encode is not None else None
        names = names_in(owner)
        if merges:
            found = []
            for reading in self.of_merges(merges, lesson, tells_count):
                found += [reading] if words is None else self.with_tokens(reading, words, names)
            return found
        if words is None:
            return []
        texts = [token for word in words for token in word if isinstance(token, str)]
        return self.of_words(words, lesson, marks_in(texts, set("".join([*lesson.corpus, *lesson.apply]))), names=names)

    @staticmethod
    def with_tokens(reading, words, names):
        """A reading of its merges, with its tokens; where the merges show no mark, the tokens may."""
        lesson, merges, found = reading.lesson, reading.merges, []
        texts = [token for word in words for token in word if isinstance(token, str)]
        marks = [lesson.mark] if lesson.mark.text else marks_in(texts, set("".join([*lesson.corpus, *lesson.apply])))
        for mark in marks:
            for is_marked in (False, True) if mark.place == "between" else (None, ):
                own = lesson
                if mark != lesson.mark or is_marked is not None:
                    own = Lesson(lesson.corpus, lesson.apply, lesson.count, mark, is_marked)
                for tokens in tokens_in_texts(words, merges, own, names):
                    found.append(Reading(own, merges, tokens, reading.remarks))
        return found or [reading]

    def of_learned(self, owner, encode, lesson):
        """An object that has learned before: its own merges, and its tokens."""
        self.has_learned = True
        merges = next((pairs for pairs in map(pairs_in, [value for _, value in held(owner, MERGES_HELD)]) if pairs), None)
        if encode is None:
            return []
        if merges is None or self.own_corpus is not None:
            if merges is None and self.own_corpus is None:
                self.problem = self.problem or self.untold()
                return []
            own = Lesson(lesson.corpus, lesson.apply, self.count or len(merges or []) or lesson.count)
            return self.of_trained(owner, encode, merges, own, True)
        letters = set("".join(sign for pair in merges for sign in pair if isinstance(sign, str)))
        made = ["".join(pair) for pair in merges if isinstance(pair[0], str)]
        words = self.own_words or list(dict.fromkeys([*made, *(a + b for a, b in zip(made, made[::-1]))]))
        for mark in [Mark()] if not words else marks_in([sign for pair in merges for sign in pair if isinstance(sign, str)],
                                                        {sign for sign in letters if sign.isalnum()}):
            other = taught(merges, [strip(word, mark) for word in words if strip(word, mark)], mark)
            if other is not None:
                given = self.encoded(lambda word: called_with(encode, word), other.apply)
                remark = "its merges are taken as they are; corpus=… says what it learned them from"
                return [] if given is None else self.of_words(given, other, [mark], None, names_in(owner), [remark])
        self.problem = self.problem or self.untold()
        return []

    def untold(self):
        return Error(f"check: {self.name}: what did it learn its merges from? Say corpus=\"low low lower\", merges=4, or give "
                     "the object with its method train(corpus)")

    # ---- the verdict

    def judged(self, readings):
        """The reading that is right, else that with the fewest mistakes."""
        right = next((each for each in readings if each.is_right()), None)
        if right is not None:
            return self.verdict(right)
        other = next(filter(None, map(self.in_another_order, readings)), None)
        if other is not None:
            return self.verdict(other)
        merging = [each for each in readings if each.merges_any()] or readings  # else it was given what it does not know
        results = [self.verdict(each) for each in merging[:6]]
        return min(results, key=lambda each: each.size())

    @staticmethod
    def in_another_order(reading):
        """Of tokens alone: the choice between equals that makes them; None if none does."""
        lesson = reading.lesson
        merges = explaining(lesson, reading.words) if reading.merges is None and has_equals(lesson) else None
        other = taught(merges, lesson.apply, lesson.mark) if merges else None
        remark = "of pairs as frequent as each other it merges another one first than the command: as right"
        return other and Reading(other, None, reading.words, [*reading.remarks, remark])

    def verdict(self, reading):
        lesson, merges, words = reading.lesson, reading.merges, reading.words
        if merges is not None and len(merges) != len(lesson.merges):
            return in_a_sentence(lesson.case, f"it learned {counted(len(merges))}, expected {len(lesson.merges)}"
                          + ("" if self.how.hide_expected else f": {listing(merges)}; expected {listing(lesson.merges)}"))
        if words is not None and max(map(len, words)) > len(max(lesson.text, key=len)):
            return failed(lesson.case, "it gives more tokens than a word has letters: " + shown(words))
        result = judge_result(lesson.case, reading.submitted(), None, self.how.hide_expected, reading.remarks, self.how.search)
        result.reading = reading
        if not result:
            without_ids(result)
            result.remarks[:0] = self.difference(reading)
        if lesson.mark.text and result:
            result.remarks.append(f"read with the mark {lesson.mark.text!r} at {WHERE[lesson.mark.place]}")
        return result

    def difference(self, reading):
        """What is wrong, in letters: the command has ids."""
        lesson, merges, lines = reading.lesson, reading.merges, []
        if self.own_corpus is None and not lesson.is_taught:
            lines.append("the corpus: " + ", ".join(f"{word} {times}×" for word, times in Counter(lesson.corpus).items()))
        if merges is not None and merges != lesson.merges:
            place = next(place for place, (a, b) in enumerate(zip(merges, lesson.merges)) if a != b)
            line = f"its merge {place + 1} is {plus(merges[place])}"
            lines.append(line if self.how.hide_expected else f"{line}, expected {plus(lesson.merges[place])}")
            across = next((pair for pair in merges if crosses(pair, lesson)), None)
            if across is not None:
                lines.append(f"{plus(across)} is in no word: pairs do not cross words")
        if not reading.merges_any():
            lines.append("nothing is merged")
        if reading.words is not None:
            for word, own, right in zip(lesson.apply, reading.words, lesson.tokens()):
                if own != right:
                    line = f"{word} is {shown([own])}"
                    lines.append(line if self.how.hide_expected else f"{line}, expected {shown([right])}")
                    break
        return lines


OF_IDS = ("ids/", "letters/")  # the ids that are handed in are made here: no mistake of theirs is anyone's


NONE = "   No mistake in the catalogue gives these numbers."


def without_ids(result):
    """Takes away what would explain the numbers by ids."""
    for step in result.steps:
        left = [names for names in step["mistakes"] if not all(name.startswith(OF_IDS) for name in names)]
        if step["mistakes"] and len(left) < len(step["mistakes"]):
            step["mistakes"] = left
            result.as_json["text"] = text_without_ids(result.as_json["text"], len(left))


def text_without_ids(text, left):
    """A text of which so many explanations are left."""
    kept, is_of_ids = [], False
    for line in text.splitlines():
        name = re.match(r"   (\w+/[\w-]+)\b", line)
        is_of_ids = name[1].startswith(OF_IDS) if name else is_of_ids and line.startswith("   ")
        if name and is_of_ids and left == 0 and NONE not in kept:
            kept.append(NONE)
        if not is_of_ids and not (left < 2 and "One of these, indistinguishable" in line):
            kept.append(line)
    return "\n".join(kept)


def in_turn(counts):
    """The words one after the other, again and again: so that "o w" is frequent, and merges across words show."""
    return [word for turn in range(max(counts.values())) for word, times in counts.items() if turn < times]


MARKS = r"^\s+|\s+$|</w>|[Ġ▁_]|@@|##"
WHERE = {"end": "the end of each word", "fused": "the end of each word, with its last letter",
         "front": "the front of each word", "between": "the front of each word but the first"}


def plus(pair):
    return " + ".join(repr(each) if " " in each or not each else each for each in pair)


def listing(merges):
    return ", ".join(map(plus, merges)) or "none"


def shown(words):
    return "; ".join(" | ".join(word) for word in words)


def counted(number):
    return f"{number} merge" + ("" if number == 1 else "s")


def crosses(pair, lesson):
    """Whether the corpus has this text from one word to the next alone."""
    text = "".join(pair)
    is_across = " " in text.strip() or text in "".join(lesson.corpus)
    return is_across and not any(text in "".join(word) for word in lesson.counts)


def strip(word, mark):
    return word.replace(mark.text, "") if mark.text else word


def called_with(encode, word):
    try:
        return encode(word)
    except (Exception, SystemExit) as problem:
        raise Raised.inside(encode, problem) from None


def not_merges(called, value):
    name = getattr(called.function, "__name__", type(called.function).__name__)
    shown_value = repr(value) if len(repr(value)) < 60 else type(value).__name__
    return Error(f"check: {name}: expected merges in their order, as pairs of texts, [(\"l\", \"o\"), …], or of ids, got "
                 f"{shown_value}")


def words_of(value, name):
    """The words that a caller gives, as a text or a list; None if none are given."""
    if value is None:
        return None
    words = value.split() if isinstance(value, str) else [str(each) for each in value]
    if not words:
        raise Error(f"check: {name}: expected words, got none")
    return words
