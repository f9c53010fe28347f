"""BLEU and chrF of hard cases, by the real sacrebleu.

    python3 tests/golden/make_bleu.py             (needs sacrebleu)

Writes bleu.json: for each case its sentences, the words of the tokenizer 13a, and the scores. "versions" says what
wrote it.
"""
import json
import os
import random

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

HERE = os.path.dirname(os.path.abspath(__file__))

CASES = {
    "equal": (["I am a student.", "The cat sleeps."], ["I am a student.", "The cat sleeps."]),
    "one word wrong": (["I am a teacher in the old town."], ["I am a student in the old town."]),
    "nothing in common": (["a b c d e"], ["v w x y z"]),
    "empty translation": ([""], ["I am here."]),
    "empty reference": (["I am here."], [""]),
    "both empty": ([""], [""]),
    "an empty one among others": (["", "the cat is on the mat today"], ["hello there", "the cat is on a mat today"]),
    "short": (["yes", "no thanks"], ["yes", "no thank you"]),
    "three words": (["the cat sleeps"], ["the cat sleeps"]),
    "no 4-gram in common": (["the cat x sat on y the mat z"], ["the cat a sat on b the mat c"]),
    "no 2-gram in common": (["a x b y c z d"], ["a q b r c s d"]),
    "repeated": (["the the the the the the the"], ["the cat is on the mat"]),
    "longer": (["the cat is on the mat and it is not going to move"], ["the cat is on the mat"]),
    "shorter": (["the cat is on"], ["the cat is on the mat and sleeps"]),
    "punctuation": (["«Hello», she said: \"No...\" (really?)"], ["“Hello,” she said; \"No…\" [really!]"]),
    "numbers": (["It costs 3.14, or 1,000 in 2020-2021; 5-6 .5 7."], ["It costs 3.14 or 1,000 in 2020-2021, 5 - 6 .5 7."]),
    "entities": (["a &amp; b &lt;c&gt; &quot;d&quot; &amp;lt; <skipped> e"], ["a & b <c> \"d\" &lt; e"]),
    "apostrophes": (["l'homme n'a pas d'argent, don't"], ["l’homme n'a pas d' argent , don 't"]),
    "points": (["a.b c. .d ,e f,,g 1.2.3 1..2 ...", "x.1 1.x 1,x"], ["a.b c . . d", "x.1 1.x 1 , x"]),
    "white space": (["a\u00a0b\u202fc\u3000d\te  f \x1cg\x85h"], ["a b c d e f g h"]),
    "accents": (["l'élève a été là où œuvre naïve", "e\u0301te\u0301"], ["l'élève est là où l'œuvre naît", "été"]),
    "other scripts": (["我 是 学生 。", "مرحبا بالعالم", "Привет, мир! 👩‍👩‍👧"], ["我 是 一个 学生 。", "مرحبا يا عالم", "Привет мир! 👩‍👧"]),
    "symbols": (["a@b #c $d %e ^f *g ~h `i |j \\k {l} [m] <n> /o/ =p +q _r"], ["a @ b # c d e f g h i j k l m n o p q r"]),
}


def drawn(seed, lines, words):
    """Sentences of few words, the translation with some of them changed, left out and added."""
    draw = random.Random(seed)
    vocabulary = [f"{draw.choice(['w', 'é', 'x-', '1.'])}{i}" for i in range(words)] + [",", ".", "5-", "l'"]
    given, expected = [], []
    for _ in range(lines):
        right = [draw.choice(vocabulary) for _ in range(draw.randint(0, 15))]
        wrong = [draw.choice(vocabulary) if draw.random() < 0.2 else word for word in right if draw.random() > 0.1]
        given.append(" ".join(wrong))
        expected.append(" ".join(right))
    return given, expected


if __name__ == "__main__":
    for seed in range(20):
        CASES[f"drawn {seed}"] = drawn(seed, 1 + seed, 3 + 2 * seed)
    tokenizer = Tokenizer13a()
    cases = []
    for name, (given, expected) in CASES.items():
        cases.append({
            "name": name, "translations": given, "references": expected,
            "words": [tokenizer(line.rstrip()).split() for line in given],
            "bleu": BLEU().corpus_score(given, [expected]).score,
            "chrf": CHRF().corpus_score(given, [expected]).score,
            "sentences": [BLEU(effective_order=True).sentence_score(a, [b]).score for a, b in zip(given, expected)],
        })
    path = os.path.join(HERE, "bleu.json")
    with open(path, "w") as file:
        json.dump({"versions": f"sacrebleu {sacrebleu.__version__}", "cases": cases}, file, ensure_ascii=True, indent=0)
        file.write("\n")
    print(path, os.path.getsize(path), "bytes,", len(cases), "cases")
