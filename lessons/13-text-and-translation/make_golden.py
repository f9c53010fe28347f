"""Makes golden.npz: byte-pair encoding by the real tokenizers library, batches and a decoder by real PyTorch.

    pip install numpy torch tokenizers
    python lessons/13-text-and-translation/make_golden.py

Keys are "<case>/<step>". Letters are stored by their code points, words are rows with 0 behind them. Merges and tokens are
those of tokenizers.trainers.BpeTrainer and tokenizers.models.BPE; that plain counting gives the same merges is asserted. The
decoder is one causal attention of one head; all its positions are computed at once here, by
torch.nn.functional.scaled_dot_product_attention, in double. The first decoder is trained on a handful of sentences, the others
are left as they were drawn. Weights are rounded so that a float holds them exactly.
"""

import math
import pathlib
from collections import Counter

import numpy as np
import tokenizers
import torch
from torch import nn

PAD, START, END, UNKNOWN, FIRST, IGNORED = 0, 1, 2, 3, 4, -1
SPECIALS = ["<pad>", "<start>", "<end>", "<unk>"]
SENTENCES = [("je suis étudiant", "i am a student"), ("tu es ici", "you are here"), ("il est mon ami", "he is my friend"),
             ("elle est étudiante", "she is a student"), ("nous sommes ici", "we are here")]


def padded(rows, filler=PAD):
    longest = max(map(len, rows))
    return torch.tensor([list(row) + [filler] * (longest - len(row)) for row in rows])


def code_points(words):
    return padded([[ord(letter) for letter in word] for word in words])


def pair_counts(words, counts):
    found = Counter()
    for word, count in zip(words, counts):
        for pair in zip(word, word[1:]):
            found[pair] += count
    return found


def joined(word, left, right, new):
    result, i = [], 0
    while i < len(word):
        is_pair = word[i:i + 2] == [left, right]
        result.append(new if is_pair else word[i])
        i += 2 if is_pair else 1
    return result


def merges_by_counting(words, counts, first_new, how_many):
    merges = []
    for new in range(first_new, first_new + how_many):
        found = pair_counts(words, counts)
        left, right = min(found, key=lambda pair: (-found[pair], pair))
        merges.append([left, right, new])
        words = [joined(word, left, right, new) for word in words]
    return merges


def byte_pairs(corpus, how_many, text):
    """Steps letters to tokens of a corpus {word: count} and of a list of words."""
    letters = sorted(set("".join(corpus)))
    V = FIRST + len(letters)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=V + how_many, special_tokens=SPECIALS, show_progress=False)
    tokenizer.train_from_iterator([word for word, count in corpus.items() for _ in range(count)], trainer)
    id_of = tokenizer.get_vocab()
    assert [id_of[letter] for letter in letters] == list(range(FIRST, V))
    ids, counts = [[id_of[letter] for letter in word] for word in corpus], list(corpus.values())
    merges = merges_by_counting(ids, counts, V, how_many)
    words = {number: word for word, number in id_of.items()}
    for left, right, new in merges:
        assert words[new] == words[left] + words[right], "not the trainer's merge"
    pairs = torch.zeros(V, V)
    for pair, count in pair_counts(ids, counts).items():
        pairs[pair] = count
    tokens = [tokenizer.encode(word).ids for word in text]
    print(*("+".join(words[t] for t in m[:2]) for m in merges), "|", *("·".join(words[t] for t in w) for w in tokens))
    text = code_points(text)
    behind = [PAD] * text.shape[1]
    return ({"words": code_points(corpus), "counts": torch.tensor(counts), "how_many": torch.tensor(how_many), "text": text},
            {"letters": torch.tensor([ord(letter) for letter in letters]), "ids": padded(ids), "pairs": pairs,
             "merges": torch.tensor(merges), "tokens": torch.tensor([(w + behind)[:len(behind)] for w in tokens])})


def batch(source, target):
    """(inputs, targets), labels of sentences <start> … <end>, as the fourth document gives them."""
    source, target = padded(source), padded(target)
    inputs, T = source[:, 1:], target.shape[1] - 1
    targets, labels = torch.where(target == END, PAD, target)[:, :T], target[:, 1:]
    causal = torch.tril(torch.ones(T, T, dtype=torch.bool))
    return ({"source": source, "target": target},
            {"inputs": inputs, "source_mask": inputs != PAD, "targets": targets,
             "labels": torch.where(labels == PAD, IGNORED, labels), "target_mask": causal & (targets != PAD)[:, None]})


class Decoder(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.embedding = nn.Embedding(words, d)
        self.query, self.key, self.value = (nn.Linear(d, d) for _ in range(3))
        self.generator = nn.Linear(d, words)

    def forward(self, tokens):  # (n); all steps by name
        n, d = len(tokens), self.embedding.embedding_dim
        angle = torch.arange(n).double()[:, None] * torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        x = math.sqrt(d) * self.embedding(tokens) + torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1).flatten(1)
        Q, K, V = self.query(x), self.key(x), self.value(x)
        values = nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None], is_causal=True)[0]
        unseen = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
        attention = torch.softmax((Q @ K.T / math.sqrt(d)).masked_fill(unseen, -math.inf), dim=-1)
        logits = self.generator(values)
        return {"x": x, "K": K, "V": V, "attention": attention, "values": values, "logits": logits,
                "next": logits.argmax(dim=-1)}


def train(model, sentences):
    with torch.no_grad():  # no louder than the positions that are added to it
        model.embedding.weight /= math.sqrt(model.embedding.embedding_dim)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(400):
        loss = sum(nn.functional.cross_entropy(model(torch.tensor(s[:-1]))["logits"], torch.tensor(s[1:])) for s in sentences)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss {loss.item() / len(sentences):.4f}")


@torch.no_grad()
def reading(model, prompt, n):
    """What a decoder gets that reads the prompt and then what it says itself, n tokens in all, and its steps."""
    for p in model.parameters():
        p.copy_(torch.round(p * 4096) / 4096)
    tokens = list(prompt)
    while len(tokens) < n:
        tokens.append(int(model(torch.tensor(tokens))["next"][-1]))
    steps = model(torch.tensor(tokens))
    best = steps["logits"].topk(2, dim=-1).values
    assert float((best[:, 0] - best[:, 1]).min()) > 1e-3, "too close for floats"
    torch.testing.assert_close(steps["attention"] @ steps["V"], steps["values"], rtol=1e-12, atol=1e-12)
    return {"tokens_read": torch.tensor(tokens), **model.state_dict()}, steps


def vocabulary(sentences):
    words = SPECIALS + sorted({word for sentence in sentences for word in sentence.split()})
    return {word: number for number, word in enumerate(words)}


def main():
    torch.manual_seed(13)
    french, english = vocabulary(f for f, _ in SENTENCES), vocabulary(e for _, e in SENTENCES)
    sentences = [[[START, *(ids[word] for word in text.split()), END] for ids, text in zip((french, english), pair)]
                 for pair in SENTENCES]
    source, target = ([pair[i] for pair in sentences] for i in (0, 1))
    writer, small, wide = Decoder(len(english), 8).double(), Decoder(9, 6).double(), Decoder(12, 10).double()
    train(writer, target)
    with torch.no_grad():
        for model in (small, wide):
            for p in model.parameters():
                p.copy_(torch.randn(p.shape).double() * 0.4)
    cases = {
        "example": (byte_pairs({"low": 5, "lowest": 2, "newer": 6, "wider": 3}, 7, ["lower", "newest", "show", "wide"]),
                    batch(source[:3], target[:3]), reading(writer, [START, english["i"]], 5)),
        "french": (byte_pairs({"étudiant": 4, "étudiante": 3, "été": 5, "étude": 2, "tient": 3}, 9,
                              ["étudiants", "tante", "œuf", "attente"]),
                   batch([source[1], source[2]], [target[2], target[1]]), reading(small, [START, 5, 8, 4, 7, 4, 6], 7)),
        "runs": (byte_pairs({"aaaa": 2, "abab": 3, "baab": 1, "cabc": 2, "aaacaa": 1}, 6, ["aaaaa", "cababc", "bdab", "b"]),
                 batch([[START, 5, 4, END], [START, END], [START, 6, 6, 5, 4, END]],
                       [[START, 7, 7, END], [START, 4, END], [START, 8, END]]), reading(wide, [START, 9, 9, 4, 11, 9], 6))}
    arrays = {"made_by": np.array(f"torch {torch.__version__}, tokenizers {tokenizers.__version__}, numpy {np.__version__}"),
              "french_words": np.array(list(french)), "english_words": np.array(list(english))}
    for name, parts in cases.items():
        inputs, steps = ({key: value for part in parts for key, value in part[i].items()} for i in (0, 1))
        print(name, "reads", inputs["tokens_read"].tolist(), "says", steps["next"].tolist())
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.detach().numpy())
            assert key in steps or np.array_equal(array, value.detach().numpy()), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
