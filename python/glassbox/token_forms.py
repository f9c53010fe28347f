"""Merges and tokens in the forms in which tokenizers give them back: as texts or ids, in lists and dictionaries."""
import itertools
import re

import numpy as np

from .arrays import is_array, to_numpy
from .byte_pairs import FIRST_LETTER

MANY = 2000  # tokens of which merges are found out
SPECIAL = r"<s>|</s>|<bos>|<eos>|<start>|<end>|<pad>|\[CLS\]|\[SEP\]|\[PAD\]"


def text_of(value):
    """A token as text; None where it is none."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value) if isinstance(value, str) else None


def is_id(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def listed(value):
    """Arrays and the like as lists."""
    return to_numpy(value).tolist() if is_array(value) else value


def pair_of(value):
    """(left, right) of texts or of ids; None if it is no pair. A third is what they make."""
    value = listed(value)
    if isinstance(value, str) and value.count(" ") == 1 and len(value) > 2:
        value = value.split(" ")
    if not isinstance(value, (tuple, list)) or len(value) not in (2, 3):
        return None
    if isinstance(value[0], (tuple, list)):  # ((left, right), what they make or how frequent they were)
        return pair_of(value[0])
    if all(is_id(each) or (isinstance(each, float) and each.is_integer()) for each in value):
        return tuple(int(each) for each in value)
    texts = tuple(text_of(each) for each in value[:2])
    return None if None in texts else texts


def pairs_in(value):
    """The merges in what a function gave back, in their order; None if it gave none."""
    value = listed(value)
    if isinstance(value, dict):
        ranks = list(value.values())
        if value and all(is_id(key) for key in value):  # {rank or new id: pair}
            return pairs_in([value[key] for key in sorted(value)])
        keys = sorted(value, key=value.get) if all(is_id(each) for each in ranks) else list(value)
        if all(is_id(each) for each in ranks) and all(isinstance(key, bytes) for key in keys):
            return pairs_of_ranks(keys)
        pairs = [pair_of(key) for key in keys]
        if pairs and None not in pairs and all(is_id(each[0]) for each in pairs) and all(is_id(each) for each in ranks):
            pairs = [(*pair[:2], int(value[key])) for pair, key in zip(pairs, keys)]
        return None if None in pairs or not pairs else pairs
    if not isinstance(value, (list, tuple)):
        return None
    pairs = [pair_of(each) for each in value]
    if value and None not in pairs:
        return pairs
    inside = [pairs_in(each) for each in value if isinstance(each, (list, tuple, dict))]  # (merges, vocabulary)
    return next((each for each in inside if each), [] if len(value) == 0 else None)


def pairs_of_ranks(tokens):
    """The merges behind tokens in the order of their ranks, as tiktoken has them: each is what two earlier ones make. None where
    one is not."""
    known, pairs = {token for token in tokens if len(token) == 1}, []
    if len(tokens) > MANY:
        return None
    for token in tokens:
        parts = [bytes([byte]) for byte in token]
        for left, right in pairs:
            place = 0
            while place + 1 < len(parts):
                if (parts[place], parts[place + 1]) == (left, right):
                    parts[place:place + 2] = [left + right]
                place += 1
        if len(token) > 1 and len(parts) == 2 and known.issuperset(parts):
            pairs.append(tuple(parts))
        elif len(token) > 1:
            return None
        known.add(token)
    return [(text_of(left), text_of(right)) for left, right in pairs] or None


def tokens_in(value):
    """The tokens of a word as texts, or as ids; None if it gave none."""
    value = listed(value)
    if isinstance(value, str):
        value = value.split()
    if not isinstance(value, (list, tuple)):
        ids = getattr(value, "tokens", None) or getattr(value, "ids", None)  # of the library tokenizers
        return tokens_in(ids) if isinstance(ids, (list, tuple)) else None
    if len(value) == 1 and isinstance(value[0], (list, tuple)):  # a batch, or a sentence, of one word
        return tokens_in(value[0])
    if value and all(is_id(each) for each in value):
        return [int(each) for each in value]
    if value and isinstance(value[0], (list, tuple)) and all(is_id(each) for each in value[-1]) and value[-1]:
        return tokens_in(value[0])  # (tokens, ids)
    texts = [text_of(each) for each in value]
    if None in texts:
        return None
    while texts and re.fullmatch(SPECIAL, texts[0]):
        texts = texts[1:]
    while texts and re.fullmatch(SPECIAL, texts[-1]):
        texts = texts[:-1]
    if len(texts) > 1 and all(each.endswith("@@") for each in texts[:-1]):  # more of the word comes
        texts = [each.removesuffix("@@") for each in texts]
    if len(texts) > 1 and all(each.startswith("##") for each in texts[1:]):
        texts = [each.removeprefix("##") for each in texts]
    return texts


def numberings(lesson):
    """The ids that letters may have, and that of the first merge: their bytes, the command's, from 0 on."""
    met = list(dict.fromkeys(sign for word in lesson.counts for sign in word))
    yield {code: chr(code) for code in range(256)}, 256
    for first, signs in itertools.product((FIRST_LETTER, 0, 1), (lesson.known, met)):
        yield {first + place: sign for place, sign in enumerate(signs)}, first + len(signs)


def in_texts(pairs, lesson):
    """Merges as texts: as they are, or as each numbering of the letters has them."""
    if not pairs or isinstance(pairs[0][0], str):
        return [pairs]
    found = []
    for names, first in numberings(lesson):
        names, texts = dict(names), []
        for place, pair in enumerate(pairs):
            if pair[0] not in names or pair[1] not in names:
                break
            texts.append((names[pair[0]], names[pair[1]]))
            names[pair[2] if len(pair) > 2 else first + place] = "".join(texts[-1])
        else:
            found.append(texts)
    return found


def tokens_in_texts(words, merges, lesson, names):
    """Words' tokens as texts: as they are, by the names that a tokenizer has for its ids, or by each numbering."""
    if not any(is_id(each) for word in words for each in word):
        return [words]
    found = []
    tables = [names] if names else []
    for letters, first in numberings(lesson):
        tables.append({**letters, **{first + place: "".join(pair) for place, pair in enumerate(merges)}})
    for table in tables:
        if all(each in table for word in words for each in word):
            found.append([[table[each] for each in word] for word in words])
    right = lesson.tokens()  # each of its ids stands for one token, and each token has one id
    if [len(word) for word in words] == [len(word) for word in right]:
        both = {(number, text) for given, own in zip(words, right) for number, text in zip(given, own)}
        if len(both) == len({number for number, _ in both}) == len({text for _, text in both}):
            found.insert(0, right)
    return found
