"""Byte-pair encoding by counting: letters, ids, pairs, merges, and other words in tokens."""
from collections import Counter

import numpy as np
import torch

PAD, START, END, UNKNOWN, FIRST, IGNORED = 0, 1, 2, 3, 4, -1


def words(x, stop=PAD):
    """each row up to its padding"""
    rows = [[int(number) for number in row] for row in x]
    return [row[:row.index(stop)] if stop in row else row for row in rows]


def rows(words, width, behind=PAD):
    return np.array([(word + [behind] * width)[:width] for word in words])


def ids_from(first):
    """letters from this id on"""
    def wrong(s):
        place = {int(letter): a for a, letter in enumerate(s["letters"])}
        return rows([[first + place[letter] for letter in word] for word in words(s["words"])], s.right.shape[1])
    return wrong


def ids_behind(token):
    return lambda s: rows(words(s["ids"] if s.has("ids") else s.right), s.right.shape[1], token)


def weights(s):
    return [float(count) for count in s["counts"]]


def ones(s):
    return [1.0] * len(s["counts"])


def pairs_of(all_words, counts):
    """in the order in which they are met"""
    found = Counter()
    for word, count in zip(all_words, counts):
        for pair in zip(word, word[1:]):
            found[pair] += count
    return found


def table(found, size):
    out = np.zeros((size, size))
    for (left, right), count in found.items():
        out[left, right] += count
    return out


def with_padding(most):
    """as if a word went on so many places"""
    def wrong(s):
        width = s["ids"].shape[1]
        longer = [(word + [PAD] * min(most, width))[:max(width, len(word))] for word in words(s["ids"])]
        return table(pairs_of(longer, weights(s)), len(s.right))
    return wrong


def across_words(s):
    all_words, out = words(s["ids"]), s.right.numpy().copy()
    for before, word, count in zip(all_words, all_words[1:], weights(s)[1:]):
        out[before[-1], word[0]] += count
    return out


def everywhere(word, left, right, joined):
    out, i = [], 0
    while i < len(word):
        is_pair = word[i:i + 2] == [left, right]
        out.append(joined if is_pair else word[i])
        i += 2 if is_pair else 1
    return out


def at_first(word, left, right, joined):
    for i in range(len(word) - 1):
        if word[i:i + 2] == [left, right]:
            return word[:i] + [joined] + word[i + 2:]
    return word


def from_right(word, left, right, joined):
    return everywhere(word[::-1], right, left, joined)[::-1]


def beside_right_half(word, left, right, joined):
    return [joined if word[i:i + 2] == [left, right] else token for i, token in enumerate(word)]


def most_frequent(found):
    return min(found, key=lambda pair: (-found[pair], pair))


def learned(best=most_frequent, merge=everywhere, counts=weights, new_id=lambda V, m: V + m, again=True):
    def wrong(s):
        all_words, V, out = words(s["ids"]), len(s["pairs"]), []
        found = pairs_of(all_words, counts(s))
        for m in range(len(s.right)):
            left, right = best(found)
            out.append([left, right, new_id(V, m)])
            del found[left, right]
            if again:
                all_words = [merge(word, *out[-1]) for word in all_words]
                found = pairs_of(all_words, counts(s))
        return np.array(out)
    return wrong


MERGES = {
    "exchanged": lambda s: s.right[:, [1, 0, 2]],
    "first-met": learned(best=lambda found: max(found, key=found.get)),
    "from-right": learned(merge=from_right),
    "id-too-large": learned(new_id=lambda V, m: V + m + 1),
    "last-of-equals": learned(best=lambda found: max(found, key=lambda pair: (found[pair], pair))),
    "not-counted-again": learned(again=False),
    "one-place": learned(merge=at_first),
    "rarest": learned(best=lambda found: min(found, key=lambda pair: (found[pair], pair))),
    "right-first": learned(best=lambda found: min(found, key=lambda pair: (-found[pair], pair[::-1]))),
    "right-half-stays": learned(merge=beside_right_half),
    "same-id": learned(new_id=lambda V, m: V),
    "unweighted": learned(counts=ones),
}


def letters_of(s, unknown=UNKNOWN):
    """the text before the first merge; None: unknown letters are left out"""
    place = {int(letter): FIRST + a for a, letter in enumerate(s["letters"])}
    return [[place.get(letter, unknown) for letter in word if letter in place or unknown is not None] for word in words(s["text"])]


def merges(s):
    return [tuple(int(each) for each in merge) for merge in s["merges"]]


def merged(all_words, all_merges, merge=everywhere):
    for each in all_merges:
        all_words = [merge(word, *each) for word in all_words]
    return all_words


def width(s):
    return s["text"].shape[1]


def tokens(merge=everywhere, unknown=lambda s: UNKNOWN, order=1, behind=PAD):
    return lambda s: rows(merged(letters_of(s, unknown(s)), merges(s)[::order], merge), width(s), behind)


def by_word(one_by_one):
    return lambda s: rows([one_by_one(word, merges(s)) for word in letters_of(s)], width(s))


def in_text_order(word, all_merges):
    joined = {(left, right): new for left, right, new in reversed(all_merges)}
    i = 0
    while i < len(word) - 1:
        new = joined.get(tuple(word[i:i + 2]))
        word, i = (word, i + 1) if new is None else (word[:i] + [new] + word[i + 2:], 0)
    return word


def longest_first(word, all_merges):
    spelled = {}
    for left, right, new in all_merges:
        spelled[new] = spelled.get(left, [left]) + spelled.get(right, [right])
    out = []
    while word:
        fitting = [new for new in spelled if word[:len(spelled[new])] == spelled[new]]
        best = max(fitting, key=lambda new: len(spelled[new]), default=None)
        out.append(word[0] if best is None else best)
        word = word[1 if best is None else len(spelled[best]):]
    return out


def gaps(s):
    out = rows(letters_of(s), width(s))
    for left, right, new in merges(s):
        for word in out:
            for i in range(len(word) - 1):
                if word[i] == left and word[i + 1] == right:
                    word[i:i + 2] = new, PAD
    return out


TOKENS = {
    "from-right": tokens(from_right),
    "gaps": gaps,
    "last-merge-first": tokens(order=-1),
    "longest-first": by_word(longest_first),
    "not-merged": by_word(lambda word, _: word),
    "one-place": tokens(at_first),
    "pad-ignored": tokens(behind=IGNORED),
    "right-half-stays": tokens(beside_right_half),
    "text-order": by_word(in_text_order),
    "unknown-is-a-letter": tokens(unknown=lambda s: FIRST),
    "unknown-is-merged": tokens(unknown=lambda s: FIRST + len(s["letters"])),
    # What stands behind it is merged, too.
    "unknown-is-pad": tokens(unknown=lambda s: PAD),
    "unknown-left-out": tokens(unknown=lambda s: None),
}

LINES = {
    "letters/as-met": lambda s: torch.tensor(list(dict.fromkeys(letter for word in words(s["words"]) for letter in word))),
    "letters/descending": lambda s: s.right.flip(0),
    "ids/from-end": ids_from(END),
    "ids/from-next": ids_from(FIRST + 1),
    "ids/from-start": ids_from(START),
    "ids/letters": lambda s: s["words"],
    "ids/on-specials": ids_from(0),
    "ids/on-unknown": ids_from(UNKNOWN),
    "ids/pad-ignored": ids_behind(IGNORED),
    "ids/pad-unknown": ids_behind(UNKNOWN),
    "pairs/across-words": across_words,
    "pairs/backwards": lambda s: s.right.T,
    "pairs/both-ways": lambda s: s.right + s.right.T,
    "pairs/unweighted": lambda s: table(pairs_of(words(s["ids"]), ones(s)), len(s.right)),
    "pairs/with-end-of-word": with_padding(1),
    "pairs/with-padding": with_padding(1000),
    **{f"merges/{name}": line for name, line in MERGES.items()},
    **{f"tokens/{name}": line for name, line in TOKENS.items()},
}
