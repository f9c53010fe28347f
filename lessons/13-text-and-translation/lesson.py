"""Lesson 13: what exercise.py works with.

Given, from earlier lessons: linear(x, W, b), softmax(scores): each row by itself, positional_encoding(T, d_model).

What the lesson asks for, step by step; each is empty until you give it an array.
learn(words, counts, how_many, steps): from a corpus to tokens. V = first_letter + A ids are there before the first merge.
    words (W, L): the distinct words of the corpus, a letter is its number in Unicode, with 0 behind each word
    counts (W): how often each occurs in the corpus; how_many: the number of merges
    steps.letters  (A)          the distinct letters of the corpus, ascending
    steps.ids      (W, L)       the corpus in ids; pad behind each word
    steps.pairs    (V, V)       pairs[a, b]: how often b stands directly behind a
    steps.merges   (how_many, 3)  each: left, right, and the id of the token that they become
encode(text, steps), called after it with the same steps; text (W', L'): other words, as above
    steps.tokens   (W', L')     in ids of letters and of merged tokens; pad behind each word
make_batch(source, target, steps): from sentences to a batch
    source (B, S + 1), target (B, T + 1): in each row start, the words' ids, end, and pad behind it
    steps.inputs       (B, S)     what the encoder reads: a sentence without its start
    steps.source_mask  (B, S)     1 where inputs has a word, 0 where it has pad
    steps.targets      (B, T)     what the decoder is given: a sentence without its end
    steps.labels       (B, T)     what it is to say: a sentence without its start; ignored, not pad
    steps.target_mask  (B, T, T)  1 where place i may see place j
read_token(token, position, cache, w, steps), called once for each token: position 0, 1, 2, …
    cache: cache.K, cache.V (n - 1, d), the rows of the tokens before it
    w: w.embedding (words, d), w.W_Q, w.b_Q, w.W_K, w.b_K, w.W_V, w.b_V, each as linear takes them, w.W (words, d), w.b
    steps.x          (d)      the token's row of the embedding, times √d, with its position
    steps.K          (n, d)   keys of all n tokens so far: those of the cache, and one row more
    steps.V          (n, d)   values, likewise
    steps.attention  (n)      how much the last token looks at each
    steps.values     (d)      what it takes from them
    steps.logits     (words)  one score for each token that may come next
    steps.next       a number the token that is written
"""
import numpy as np

from given import linear, positional_encoding, softmax
from weights import Weights, whole

pad, start, end, unknown, first_letter = 0, 1, 2, 3, 4  # letter a of the corpus has the id first_letter + a
ignored = -1  # a label that is none: it does not count

of_a_token = ["x", "K", "V", "attention", "values", "logits", "next"]


def call(exercise, golden, steps):
    exercise.learn(whole(golden["words"]), whole(golden["counts"]), whole(golden["how_many"]), steps)
    exercise.encode(whole(golden["text"]), steps)
    exercise.make_batch(whole(golden["source"]), whole(golden["target"]), steps)
    w = Weights(embedding=golden["embedding.weight"], W=golden["generator.weight"], b=golden["generator.bias"])
    for letter, name in [("Q", "query"), ("K", "key"), ("V", "value")]:
        setattr(w, "W_" + letter, golden[name + ".weight"])
        setattr(w, "b_" + letter, golden[name + ".bias"])
    read_tokens(exercise, whole(golden["tokens_read"]), w, steps)


def read_tokens(exercise, tokens, w, steps):
    """Token after token; golden.npz has a row for each of them, and the cache as it is in the end."""
    rows = {name: [] for name in of_a_token}
    cache = Weights(K=np.zeros((0, w.W_K.shape[0])), V=np.zeros((0, w.W_V.shape[0])))
    try:
        for position, token in enumerate(tokens):
            one = type(steps)(of_a_token)
            try:
                exercise.read_token(int(token), position, cache, w, one)
            finally:
                for name, value in one.collected().items():
                    rows[name].append(value)
            cache = Weights(**{**vars(cache), **{name: getattr(one, name) for name in "KV" if rows[name]}})
    finally:
        for name, values in rows.items():
            if values and (name in "KV" or len(values) == len(tokens)):
                setattr(steps, name, values[-1] if name in "KV" else stacked(values))


def stacked(values):
    """Rows of one length; those of attention grow with the tokens, and what is not there yet is 0."""
    longest = max(value.size for value in values)
    rows = np.array([np.pad(value.ravel().astype(float), (0, longest - value.size)) for value in values])
    return rows[:, 0] if longest == 1 else rows
