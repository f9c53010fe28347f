"""A translation model of PyTorch's own parts, trained on a corpus for some minutes, as one writes it.

corpus_peer.py FOLDER [--minutes 12] [--seed 42] [--threads 2]        # needs torch, tokenizers and sacrebleu
FOLDER has the train.tsv and test.tsv of docs/corpus_of_descriptions.py. torch.nn.Transformer, d_model 256, 3 + 3 blocks,
dropout 0.1; 8,000 byte pairs for both languages, the source in lower case, one table for both embeddings and the output
layer; label smoothing 0.1, Adam with 400 steps of warm-up and a cosine over the minutes. Prints a line of JSON.
"""
import argparse
import json
import math
import pathlib
import random
import time

import sacrebleu
import tokenizers
import torch
import torch.nn.functional as F

PAD, START, END = 0, 1, 2


def read(path, limit=None):
    pairs = [line.split("\t") for line in path.read_text().splitlines()]
    return [(source.lower(), target) for source, target, *_ in pairs][:limit]


def byte_pairs(texts):
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.normalizer = tokenizers.normalizers.NFC()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, tokenizers.trainers.BpeTrainer(
        vocab_size=8000, special_tokens=["<pad>", "<start>", "<end>"], show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


class Model(torch.nn.Module):
    def __init__(self, vocabulary, d=256):
        super().__init__()
        self.d = d
        self.table = torch.nn.Embedding(vocabulary, d)
        torch.nn.init.normal_(self.table.weight, std=d ** -0.5)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))
        self.core = torch.nn.Transformer(d, 4, 3, 3, 1024, 0.1, batch_first=True)
        angle = torch.arange(256)[:, None] * torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        self.register_buffer("pe", torch.stack([angle.sin(), angle.cos()], -1).view(256, d))

    def embed(self, tokens):
        return F.dropout(self.table(tokens) * math.sqrt(self.d) + self.pe[:tokens.shape[1]], 0.1, self.training)

    def forward(self, source, target):
        causal = torch.nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        y = self.core(self.embed(source), self.embed(target), tgt_mask=causal, tgt_is_causal=True,
                      src_key_padding_mask=source == PAD, memory_key_padding_mask=source == PAD)
        return F.linear(y, self.table.weight, self.bias)


def padded(rows):
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def tensors(rows):
    target = padded([[START, *target] for _, target in rows])
    labels = padded([[*target, END] for _, target in rows])
    return padded([[*source, END] for source, _ in rows]), target, labels


def written(model, sources, limit=41):
    source = padded([[*source, END] for source in sources])
    tokens = torch.full((len(source), 1), START)
    for _ in range(limit):
        tokens = torch.cat([tokens, model(source, tokens)[:, -1:].argmax(-1)], 1)
        if (tokens == END).any(1).all():
            break
    return [row[1:row.index(END)] if END in row else row[1:] for row in tokens.tolist()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--threads", type=int, default=2)
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    chance = random.Random(o.seed)
    train, test = read(o.folder / "train.tsv"), read(o.folder / "test.tsv")
    bpe = byte_pairs([text for pair in train for text in pair])
    ids = [(bpe.encode(source).ids, bpe.encode(target).ids) for source, target in train]
    ids = [pair for pair in ids if max(map(len, pair)) <= 40]
    model = Model(bpe.get_vocab_size())
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    begin, steps, share = time.perf_counter(), 0, 0.0
    while share < 1:
        chance.shuffle(ids)
        rows = sorted(ids, key=lambda pair: len(pair[1]))  # batches of like lengths
        batches = [rows[i:i + 64] for i in range(0, len(rows), 64)]
        chance.shuffle(batches)
        for batch in batches:
            share = (time.perf_counter() - begin) / (60 * o.minutes)
            if share >= 1:
                break
            steps += 1
            for group in adam.param_groups:
                group["lr"] = 1e-3 * min(steps / 400, 1) * 0.5 * (1 + math.cos(math.pi * share))
            source, target, labels = tensors(batch)
            loss = F.cross_entropy(model(source, target).flatten(0, 1), labels.flatten(), ignore_index=PAD, label_smoothing=0.1)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            adam.step()
            adam.zero_grad()
    model.eval()
    total = tokens = 0
    texts = []
    with torch.no_grad():
        for i in range(0, len(test), 64):
            rows = [(bpe.encode(source).ids, bpe.encode(target).ids) for source, target in test[i:i + 64]]
            source, target, labels = tensors(rows)
            total += F.cross_entropy(model(source, target).flatten(0, 1), labels.flatten(), ignore_index=PAD, reduction="sum").item()
            tokens += int((labels != PAD).sum())
            texts += [bpe.decode(row) for row in written(model, [source for source, _ in rows])]
    references = [[target for _, target in test]]
    print(json.dumps({"torch": torch.__version__, "steps": steps, "epochs": steps * 64 / len(ids), "loss": total / tokens,
                      "bleu": sacrebleu.corpus_bleu(texts, references).score, "chrf": sacrebleu.corpus_chrf(texts, references).score,
                      "exact": sum(a == b for a, b in zip(texts, references[0])) / len(texts)}))


if __name__ == "__main__":
    main()
