"""Byte-pair encoding as people write it: right whatever its ties, marks and ids are; of wrong ones the mistake is named."""
import re
from collections import Counter
from functools import reduce

import pytest

import glassbox

EXAMPLE = "low low low lower lower newest"


def counted(words, is_weighted=True):
    pairs = Counter()
    for word, times in words.items():
        for pair in zip(word, word[1:]):
            pairs[pair] += times if is_weighted else 1
    return pairs


def merged(word, pair, step=2):
    out, i = [], 0
    while i < len(word):
        is_pair = word[i:i + 2] == pair
        out.append(word[i] + word[i + 1] if is_pair else word[i])
        i += step if is_pair else 1
    return tuple(out)


def learned(corpus, num_merges, signs=tuple, is_weighted=True, key=lambda item: item[1], step=2, recounted=True):
    words, merges, first = Counter(map(signs, corpus.split())), [], None
    for _ in range(num_merges):
        pairs = counted(words, is_weighted)
        first = first or pairs
        pairs = pairs if recounted else Counter({pair: times for pair, times in first.items() if pair not in merges})
        best = max(pairs.items(), key=key)[0]
        merges.append(best)
        words = Counter({merged(word, best, step): times for word, times in words.items()})
    return merges


def encoded(word, merges, step=2):
    return list(reduce(lambda signs, pair: merged(signs, pair, step), merges, tuple(word)))


def lowest_rank_first(token, bpe_ranks):
    word = tuple(token)
    while len(word) > 1:
        pair = min(zip(word, word[1:]), key=lambda each: bpe_ranks.get(each, 10**9))
        if pair not in bpe_ranks:
            break
        word = merged(word, pair)
    return " ".join(word)


def by_bytes(text, vocab_size):
    words, merges = [tuple(word.encode()) for word in text.split()], {}
    for new in range(256, vocab_size):
        pair = Counter(pair for word in words for pair in zip(word, word[1:])).most_common(1)[0][0]
        merges[pair] = new
        words = [joined_as(word, pair, new) for word in words]
    return merges


def joined_as(word, pair, new):
    out, i = [], 0
    while i < len(word):
        out, i = (out + [new], i + 2) if word[i:i + 2] == pair else (out + [word[i]], i + 1)
    return tuple(out)


def across_words(corpus, num_merges):
    text, merges = tuple(corpus), []
    for _ in range(num_merges):
        merges.append(counted({text: 1}).most_common(1)[0][0])
        text = merged(text, merges[-1])
    return merges


def first_that_fits(word, merges):
    word, i = list(word), 0
    while i + 1 < len(word):
        is_pair = (word[i], word[i + 1]) in merges
        word[i:i + 2], i = ([word[i] + word[i + 1]], max(0, i - 1)) if is_pair else (word[i:i + 2], i + 1)
    return word


class Tokenizer:
    def __init__(self, signs=tuple, order=1):
        self.n_merges, self.signs, self.order = 1000, signs, order

    def fit(self, texts):
        self.merges = learned(texts, self.n_merges, self.signs)
        letters = sorted({sign for word in texts.split() for sign in self.signs(word)})
        self.vocab = {token: i for i, token in enumerate([*letters, *map("".join, self.merges)])}

    def encode(self, text):
        return [self.vocab[each] for word in text.split() for each in encoded(self.signs(word), self.merges[::self.order])]


class Learned:
    order = 1

    def __init__(self):
        self.merges = learned(EXAMPLE, 4)

    def encode(self, word):
        return encoded(word, self.merges[::self.order])


class LearnedBackwards(Learned):
    order = -1


def with_end(word):
    return (*word, "</w>")


class OfBytes:
    """As minbpe has it: chunks of a regular expression, merges by ids."""
    chosen = staticmethod(min)  # of the pairs that may be merged, by their ids
    between = b""

    def train(self, text, vocab_size):
        chunks, self.merges, self.vocab = [tuple(each.encode()) for each in self.chunks(text)], {}, {i: bytes([i]) for i in range(256)}
        for new in range(256, vocab_size):
            pair = counted(Counter(chunks)).most_common(1)[0][0]
            self.merges[pair], self.vocab[new] = new, self.vocab[pair[0]] + self.vocab[pair[1]]
            chunks = [joined_as(chunk, pair, new) for chunk in chunks]

    def chunks(self, text):
        return re.findall(r" ?\w+|\s+", text)

    def encode(self, text):
        return [token for chunk in self.chunks(text) for token in self.encoded(tuple(chunk.encode()))]

    def encoded(self, ids):
        while pairs := [pair for pair in zip(ids, ids[1:]) if pair in self.merges]:
            pair = self.chosen(pairs, key=self.merges.get)
            ids = joined_as(ids, pair, self.merges[pair])
        return ids

    def decode(self, ids):
        return self.between.join(self.vocab[i] for i in ids).decode()


class LatestFirst(OfBytes):
    chosen = staticmethod(max)


class DecodesWithBlanks(OfBytes):
    between = b" "


class OfRanks(OfBytes):
    """As tiktoken has it: a rank for each token, and no merges."""
    def train(self, text, vocab_size):
        super().train(text, vocab_size)
        self.mergeable_ranks = {token: rank for rank, token in self.vocab.items()}
        self.own = self.__dict__.pop("merges")

    def encoded(self, ids):
        parts = [bytes([each]) for each in ids]
        while len(parts) > 1:
            place = min(range(len(parts) - 1), key=lambda i: self.mergeable_ranks.get(parts[i] + parts[i + 1], 10**9))
            if parts[place] + parts[place + 1] not in self.mergeable_ranks:
                break
            parts[place:place + 2] = [parts[place] + parts[place + 1]]
        return [self.mergeable_ranks[each] for each in parts]


class OfSplits:
    """As in Hugging Face's course: Ġ, words' frequencies, and a size of the vocabulary that it keeps."""
    is_weighted, counts_again = True, True

    def __init__(self, vocab_size=50):
        self.vocab_size = vocab_size

    def words(self, text):
        return [("Ġ" if place else "") + word for place, word in enumerate(text.split())]

    def train(self, corpus):
        words, self.merges = Counter(map(tuple, self.words(corpus))), {}
        size = 1 + len({letter for word in words for letter in word})
        while size + len(self.merges) < self.vocab_size and counted(words):
            pair = self.counted(words).most_common(1)[0][0]
            words = Counter({merged(word, pair): times for word, times in words.items()})
            self.merges[pair] = "".join(pair)

    def counted(self, words):
        return counted(words, self.is_weighted)

    def tokenize(self, text):
        return [token for word in self.words(text) for token in encoded(word, self.merges)]


class Unweighted(OfSplits):
    is_weighted = False


class OncePerWord(OfSplits):
    def counted(self, words):
        return Counter(pair for word, times in words.items() for pair in dict.fromkeys(zip(word, word[1:])) for _ in range(times))


def longest_first(word, merges):
    tokens, known = [], {*word, *map("".join, merges)}
    while word:
        size = next(size for size in range(len(word), 0, -1) if word[:size] in known)
        tokens, word = [*tokens, word[:size]], word[size:]
    return tokens


def of_spaced_words(text, num_merges):
    """Letters of longer tokens are joined, for the pattern has no ends."""
    words, merges = Counter(map(" ".join, text.split())), []
    for _ in range(num_merges):
        merges.append(counted(Counter({tuple(word.split()): times for word, times in words.items()})).most_common(1)[0][0])
        words = Counter({word.replace(" ".join(merges[-1]), "".join(merges[-1])): times for word, times in words.items()})
    return merges


RIGHT = [
    OfBytes(),
    OfRanks,
    OfSplits(),
    lambda corpus, num_merges: learned(corpus, num_merges),
    lambda corpus, num_merges: learned(corpus, num_merges, with_end),
    lambda corpus, num_merges: learned(corpus, num_merges, lambda word: (*word[:-1], word[-1] + "</w>")),
    lambda corpus, num_merges: learned(corpus, num_merges, lambda word: ("▁", *word)),
    lambda text, k: {pair: rank for rank, pair in enumerate(learned(text, k))},
    lambda words, n_merges: [" ".join(pair) for pair in learned(" ".join(iter(words)), n_merges)],
    lambda vocab, num_merges: learned(" ".join(" ".join([word] * times) for word, times in vocab.items()), num_merges),
    lambda corpus, num_merges: learned(corpus, num_merges, key=lambda item: item[::-1]),  # of equals the last in the alphabet
    by_bytes,
    lowest_rank_first,
    encoded,
    lambda word, merges: encoded(with_end(word), merges),
    lambda corpus, word, num_merges: encoded(word, learned(corpus, num_merges)),
    Tokenizer(),
    Tokenizer(with_end),
    Tokenizer().encode,
    Tokenizer().fit,
    Learned(),
]
WRONG = [
    (LatestFirst, "tokens/last-merge-first"),
    (DecodesWithBlanks, "expected 'woooo'"),
    (Unweighted, "merges/unweighted"),
    (OncePerWord, "its merge "),
    (longest_first, "tokens/longest-first"),
    (of_spaced_words, "right for one corpus but not for another"),
    (lambda corpus, num_merges: learned(corpus, num_merges, is_weighted=False), "merges/unweighted"),
    (lambda corpus, num_merges: learned(corpus, num_merges, with_end, is_weighted=False), "merges/unweighted"),
    (lambda corpus, num_merges: learned(" ".join(set(corpus.split())), num_merges), "merges/unweighted"),
    (lambda corpus, num_merges: learned(corpus, num_merges, recounted=False), "merges/not-counted-again"),
    (lambda corpus, num_merges: learned(corpus, num_merges, step=1), "merges/right-half-stays"),
    (lambda corpus, num_merges: learned(corpus, num_merges - 1), "it learned 7 merges, expected 8"),
    (across_words, "pairs do not cross words"),
    (lambda text, n: across_words(text.replace(" ", ""), n), "pairs do not cross words"),
    (lambda word, merges: encoded(word, merges[::-1]), "tokens/last-merge-first"),
    (lambda word, merges: encoded(word, merges, step=1), "tokens/right-half-stays"),
    (lambda corpus, word, num_merges: encoded(word, learned(corpus, num_merges)[::-1]), "tokens/last-merge-first"),
    (first_that_fits, "tokens/text-order"),
    (Tokenizer(order=-1), "tokens/last-merge-first"),
    (Tokenizer(order=-1).encode, "tokens/last-merge-first"),
    (LearnedBackwards(), "tokens/last-merge-first"),
]


@pytest.mark.parametrize("given", RIGHT)
def test_what_is_right_passes(given):
    result = glassbox.check("bpe", given)
    assert result, result.text


@pytest.mark.parametrize("given, named", WRONG)
def test_of_what_is_wrong_the_mistake_is_named(given, named):
    result = glassbox.check("bpe", given)
    assert not result and named in result.text, result.text


class FewUnweighted:
    """So few merges are the same on the first corpus; ties are broken as the words come."""
    num_merges = 4

    def train(self, text):
        words, self.merges = list(dict.fromkeys(map(tuple, text.split()))), []
        for _ in range(self.num_merges):
            pairs = Counter(pair for word in words for pair in zip(word, word[1:]))
            self.merges.append(max(pairs, key=pairs.get))
            words = [merged(word, self.merges[-1]) for word in words]

    def encode(self, word):
        return encoded(word, self.merges)


@pytest.mark.parametrize("given", [FewUnweighted(), OncePerWord()], ids=lambda each: type(each).__name__)
def test_merges_are_not_explained_by_ids_that_nobody_gave(given):
    result = glassbox.check("bpe", given, **({"merges": 4} if isinstance(given, FewUnweighted) else {}))
    assert not result and "ids/" not in result.text and "indistinguishable" not in result.text, result.text
    assert not any(name.startswith(("ids/", "letters/")) for name in result.mistakes)
    assert isinstance(given, OncePerWord) or result.mistakes == ["merges/unweighted"], result.text


@pytest.mark.parametrize("given", [lambda corpus, num_merges: learned(corpus, num_merges, key=lambda item: item[::-1]),
                                   lambda corpus, word, num_merges: encoded(word, learned(corpus, num_merges,
                                                                                          key=lambda item: item[::-1]))])
def test_what_comes_first_of_equals_is_free(given):
    result = glassbox.check("bpe", given, corpus=EXAMPLE, apply="lower newest", merges=1)
    assert result and "as frequent as each other" in result.text, result.text


def test_what_has_learned_somewhere_else_is_asked_for_it():
    tokenizer = Learned()
    with pytest.raises(glassbox.Error, match="what did it learn its merges from"):
        glassbox.check("bpe", lambda word: tokenizer.encode(word))
    assert glassbox.check("bpe", lambda word: tokenizer.encode(word), corpus=EXAMPLE, merges=4)


class NeedsSize(Tokenizer):
    def __init__(self, size):
        super().__init__()


class NeedsMerges(Tokenizer):
    def __init__(self, num_merges):
        super().__init__()
        self.n_merges = num_merges


class NeedsMore(NeedsMerges):
    def __init__(self, num_merges, shape):
        super().__init__(num_merges)


def test_what_gives_no_merges_is_told_so():
    with pytest.raises(glassbox.Error, match="expected merges in their order, .* got None"):
        glassbox.check("bpe", lambda corpus, num_merges: None)
    with pytest.raises(glassbox.Error, match="the layer bpe has no keyword 'heads'"):
        glassbox.check("bpe", learned, heads=3)


def test_hidden_numbers_stay_hidden():
    result = glassbox.check("bpe", lambda corpus, num_merges: learned(corpus, num_merges, recounted=False), hide_expected=True)
    assert "m + o" in result.text and "expected m" not in result.text


@pytest.mark.parametrize("kind", [Tokenizer, NeedsSize, NeedsMerges])
def test_a_class_is_made_an_object_with_what_its_names_say(kind):
    result = glassbox.check("bpe", kind, quiet=True)
    assert result, result.text


def test_of_a_class_that_cannot_be_made_is_said_what_to_type():
    with pytest.raises(glassbox.Error, match=r"nothing says what shape should be: type check\(\"bpe\", NeedsMore\(num_merges=8, shape=…"):
        glassbox.check("bpe", NeedsMore, quiet=True)


@pytest.mark.parametrize("name", ["text", "s", "input", "sentence", "corpus_text", "my_texts"])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_what_a_method_trains_on_may_have_any_name(name, is_weighted):
    scope = {**globals()}
    exec(f"""class Trained:
    num_merges = 4

    def train(self, {name}):
        self.rules = learned({name}, self.num_merges, is_weighted={is_weighted})

    def encode(self, word):
        return encoded(word, self.rules)""", scope)
    result = glassbox.check("bpe", scope["Trained"](), quiet=True)
    assert bool(result) == is_weighted and (is_weighted or result.mistakes), result.text


def test_what_trains_on_a_file_is_asked_and_not_called_wrong():
    class OfFile(Tokenizer):
        def fit(self, path):
            with open(path) as file:
                super().fit(file.read())
    with pytest.raises(glassbox.Error, match="what did it learn its merges from"):
        glassbox.check("bpe", OfFile(), quiet=True)
