"""Writes text/: the files and ids of Hugging Face's tokenizers on 10,000 lines.

    pip install tokenizers==0.23.3 numpy && python tests/golden/make_tokenizers.py

The lines are this repository's own documents and, drawn with a seed, mixtures of what is hard to tokenize. They are
kept in text/lines.npz with the ids, because documents change. With --again the kept lines are used.
"""

import random
import sys
from pathlib import Path

import numpy as np
import tokenizers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

here = Path(__file__).parent / "text"
root = Path(__file__).parent.parent.parent
specials = ["<pad>", "<start>", "<end>"]

HARD = [
    "étudiant", "e\u0301tudiant", "l'homme", "l’eau", "aujourd'hui", "don't", "we'll", "I'M", "it's", "'s", "can't've",
    "naïve", "nai\u0308ve", "Ångström", "A\u030angstro\u0308m", "\u212bngström", "œuvre", "Straße", "İstanbul", "ΣΊΣΥΦΟΣ",
    "👩🏽\u200d💻", "👨\u200d👩\u200d👧", "❤️", "🇫🇷🇬🇧", "🙂", "我是学生", "東京タワー", "한국어", "\u1112\u1161\u11ab", "أنا طالب",
    "שלום", "ฉันเป็นนักเรียน", "मैं छात्र हूँ", "Я студент", "Τὸ ἀγαθόν", "3.14", "1,000", "12:30", "²", "½", "Ⅷ", "٣٤", "100%", "x²+y²",
    " ", "  ", "   ", "\t", "\t\t ", " \t", "\u00a0", "\u2003", "\u3000", "\u0085", "\u200b", "\ufeff", "\u00ad", "\u0301", "\u0301\u0323",
    ".", "...", "…", "!?", "«", "»", "“", "”", "--", "—", "(", ")", "[x]", "<pad>", "<start>", "<unk>", "[UNK]", "##ing", "_x_", "a/b", "#1",
    "$5", "€", "@me", "http://a.b/c?d=e&f=g", "foo_bar.baz()", "\u0001", "\u007f", "\ufffd", "\U0001d504", "ﬁ", "Ǆ", "Dž",
    "a" * 120, "ab" * 60, "é" * 40,
]
WORDS = """je tu il elle nous vous ils suis es est sommes êtes sont un une des le la les étudiant étudiante professeur
grand grande petit petite rouge maison chat chien voir vois voit voyons mange manges pas ne très toujours hier demain
i you he she we they am is are a the student teacher big small red house cat dog see sees eat eats not very always
yesterday tomorrow walking walked walks unhappiness tokenization""".split()


def documents():
    files = [root / "README.md", *sorted(root.glob("docs/**/*.md")), *sorted(root.glob("lessons/**/README.md"))]
    lines = [line.rstrip() for file in files for line in file.read_text().split("\n")]
    return list(dict.fromkeys(line for line in lines if len(line) > 3))[:6000]


def mixtures(count, rng):
    made = []
    for _ in range(count):
        parts = [rng.choice(HARD) if rng.random() < 0.4 else rng.choice(WORDS) for _ in range(rng.randint(1, 10))]
        line = parts[0]
        for part in parts[1:]:
            line += rng.choice(["", " ", " ", " ", "  "]) + (part.title() if rng.random() < 0.1 else part)
        made.append(line)
    return made


def lines():
    if "--again" in sys.argv:
        return bytes(np.load(here / "lines.npz")["bytes"]).decode().split("\n")
    kept = documents()
    return kept + mixtures(10000 - len(kept), random.Random(7))


def byte_level(model, normalizer=None):
    tokenizer = Tokenizer(model)
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def trained_bpe(corpus, vocabulary, min_count):
    tokenizer = byte_level(models.BPE(), normalizers.NFC())
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=vocabulary, min_frequency=min_count, special_tokens=specials, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def merges_of(tokenizer):
    """Of each merge the ids of its left and right part, in order."""
    import json
    ids = tokenizer.get_vocab()
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return np.array([[ids[a], ids[b]] for a, b in merges], dtype=np.int32).reshape(-1, 2)


def bert(model, lower_case):
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def ids_on(tokenizer, corpus):
    encoded = [each.ids for each in tokenizer.encode_batch(corpus, add_special_tokens=False)]
    return {"ids": np.array([id for ids in encoded for id in ids], dtype=np.uint16),
            "lengths": np.array([len(ids) for ids in encoded], dtype=np.uint16)}


def save(name, arrays):
    np.savez_compressed(here / name, **arrays)
    print(name, (here / name).stat().st_size, "bytes")


here.mkdir(exist_ok=True)
corpus = lines()
assert len(corpus) == 10000
save("lines.npz", {"bytes": np.frombuffer("\n".join(corpus).encode(), dtype=np.uint8),
                   "version": np.frombuffer(tokenizers.__version__.encode(), dtype=np.uint8)})

# Byte pairs: trained here, as GPT-2's files. The special tokens would be found in the text too: a model without them.
small = trained_bpe(corpus, 2000, 1)
small.model.save(str(here), "bpe")
plain = models.BPE.from_file(str(here / "bpe-vocab.json"), str(here / "bpe-merges.txt"))
save("bpe_nfc.npz", ids_on(byte_level(plain, normalizers.NFC()), corpus))
save("bpe.npz", ids_on(byte_level(plain), corpus))
save("merges.npz", {f"{size}_{least}": merges_of(trained_bpe(corpus[first:last], size, least))
                    for size, least, first, last in [(2000, 1, 0, 10000), (8000, 2, 0, 10000), (1500, 1, 6000, 6400),
                                                     (4000, 1, 9990, 10000)]})

# WordPiece: its trainer joins as that of byte pairs does.
pieces = bert(models.WordPiece(unk_token="[UNK]"), True)
pieces.train_from_iterator(corpus, trainers.WordPieceTrainer(
    vocab_size=2000, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
pieces.model.save(str(here), "wordpiece")
vocabulary = models.WordPiece.from_file(str(here / "wordpiece-vocab.txt"), unk_token="[UNK]")
save("wordpiece.npz", ids_on(bert(vocabulary, True), corpus))
save("wordpiece_cased.npz", ids_on(bert(vocabulary, False), corpus))
