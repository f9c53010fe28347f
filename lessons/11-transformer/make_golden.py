"""Makes golden.npz: tokens, weights and every step of the whole Transformer, by real PyTorch.

    pip install numpy torch
    python lessons/11-transformer/make_golden.py

Keys are "<case>/<step>". Encoder and decoder are torch.nn.TransformerEncoder and torch.nn.TransformerDecoder; embeddings,
positions, masks and the last layer are written from the paper's description (sections 3.1 to 3.5). The first model is
trained here, on a handful of French and English sentences, so that it translates them; the second is left as it was drawn.
Weights are rounded so that a float holds them exactly, and all steps are computed in double. Attention's rows are stored in
the tutorial's order: each head's query, key and value side by side.
"""

import math
import pathlib

import numpy as np
import torch
from torch import nn

PAD, START, END = 0, 1, 2
SENTENCES = [("je suis étudiant", "i am a student"), ("tu es étudiant", "you are a student"), ("je suis ici", "i am here"),
             ("il est ici", "he is here"), ("tu es mon ami", "you are my friend"),
             ("il est le bon ami de mon frère", "he is my good friend"),
             ("je suis mon frère", "i am my brother")]


class Transformer(nn.Module):
    def __init__(self, source_words, target_words, d_model, heads, d_ff, encoders, decoders):
        super().__init__()
        block = dict(d_model=d_model, nhead=heads, dim_feedforward=d_ff, dropout=0.0, batch_first=True)
        self.source_embedding = nn.Embedding(source_words, d_model)
        self.target_embedding = nn.Embedding(target_words, d_model)
        # A stack of its own for each block's own weights: torch's stacks begin with equal copies.
        self.encoder = nn.ModuleList(nn.TransformerEncoderLayer(**block) for _ in range(encoders))
        self.decoder = nn.ModuleList(nn.TransformerDecoderLayer(**block) for _ in range(decoders))
        self.generator = nn.Linear(d_model, target_words)

    def embedded(self, tokens, embedding):
        scaled = math.sqrt(embedding.embedding_dim) * embedding(tokens)
        return scaled, scaled + positional_encoding(*scaled.shape[-2:])

    def forward(self, source, target):  # (B, S) and (B, T); all steps by name
        (S, T), steps = (source.shape[1], target.shape[1]), {}
        real, written = source != PAD, target != PAD
        steps["source_mask"] = real[:, None].expand(-1, S, -1)
        steps["target_mask"] = torch.tril(torch.ones(T, T, dtype=torch.bool)) & written[:, None]
        steps["memory_mask"] = real[:, None].expand(-1, T, -1)
        steps["source/scaled"], x = self.embedded(source, self.source_embedding)
        steps["source/positional/output"] = x
        for block in self.encoder:
            x = block(x, src_key_padding_mask=~real)
        steps["memory"] = x
        steps["target/scaled"], y = self.embedded(target, self.target_embedding)
        steps["target/positional/output"] = y
        for block in self.decoder:
            hidden = (~steps["target_mask"]).repeat_interleave(block.self_attn.num_heads, dim=0)
            y = block(y, x, tgt_mask=hidden, memory_key_padding_mask=~real)
        steps["decoded"] = y
        steps["logits"] = self.generator(y)
        steps["softmax"] = torch.softmax(steps["logits"], dim=-1)
        steps["words"] = steps["logits"].argmax(dim=-1)
        return steps

    def translate(self, source, longest):
        """One word after the other; also by how much the least certain of them won."""
        written, margin = [START], math.inf
        while len(written) < longest and written[-1] != END:
            logits = self(source, torch.tensor([written]))["logits"][0, -1]
            best = logits.topk(2)
            margin = min(margin, float(best.values[0] - best.values[1]))
            written.append(int(best.indices[0]))
        return torch.tensor([written + [PAD] * (longest - len(written))]), margin


def positional_encoding(T, d_model):
    angle = torch.arange(T).double()[:, None] * torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    return torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1).flatten(1)


def vocabulary(sentences):
    words = sorted({word for sentence in sentences for word in sentence.split()})
    return {word: token for token, word in enumerate(["<pad>", "<start>", "<end>", *words])}


def padded(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def train(model, sources, sentences):
    """Teacher forcing: the targets are the sentence without its end, the labels the sentence without its start."""
    source = padded(sources)
    target, labels = padded([s[:-1] for s in sentences]), padded([s[1:] for s in sentences])
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(300):
        logits = model(source, target)["logits"]
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), labels, ignore_index=PAD)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss after {step + 1} steps: {loss.item():.4f}")


def draw(model, rng):
    for name, p in model.named_parameters():
        scale = 0.3 if "embedding" in name else 1.5 / math.sqrt(p.shape[-1]) if p.dim() == 2 else 0.4
        p.copy_(torch.from_numpy(rng.standard_normal(tuple(p.shape)) * scale) + float("norm" in name and "weight" in name))


def attention_of(attention):
    by_head = torch.arange(3 * attention.embed_dim).reshape(3, attention.num_heads, -1).permute(1, 0, 2).flatten()
    return {"qkv_proj.weight": attention.in_proj_weight[by_head], "qkv_proj.bias": attention.in_proj_bias[by_head],
            "o_proj.weight": attention.out_proj.weight, "o_proj.bias": attention.out_proj.bias}


def weights_of(model):
    """By the tutorial's names."""
    weights = {k: v for k, v in model.state_dict().items() if "embedding" in k or "generator" in k}
    for stack, blocks in (("encoder", model.encoder), ("decoder", model.decoder)):
        for i, block in enumerate(blocks):
            parts = {"self_attn": attention_of(block.self_attn)}
            if stack == "decoder":
                parts["cross_attn"] = attention_of(block.multihead_attn)
                parts["norm3"] = block.norm3.state_dict()
            parts |= {"linear_net.0": block.linear1.state_dict(), "linear_net.3": block.linear2.state_dict(),
                      "norm1": block.norm1.state_dict(), "norm2": block.norm2.state_dict()}
            for part, values in parts.items():
                weights |= {f"{stack}.layers.{i}.{part}.{name}": value for name, value in values.items()}
    return weights


@torch.no_grad()
def steps_of(model, source, sentence, longest):
    """source and sentence as lists, with their padding."""
    target = [token for token in sentence if token != END]
    labels = [token for token in sentence if token != START]
    steps = {name: value[0] for name, value in model(torch.tensor([source]), torch.tensor([target])).items()}
    translation, margin = model.translate(torch.tensor([source]), longest)
    best = steps["logits"].topk(2, dim=-1).values
    assert min(margin, float((best[:, 0] - best[:, 1]).min())) > 1e-3, "too close for floats"
    steps |= {"target/tokens": torch.tensor(target), "labels": torch.tensor(labels), "translation": translation[0]}
    return steps, translation[0].tolist()


def main():
    torch.manual_seed(11)
    rng = np.random.default_rng(218)
    french, english = vocabulary(f for f, _ in SENTENCES), vocabulary(e for _, e in SENTENCES)
    sources = [[french[word] for word in f.split()] + [END] for f, _ in SENTENCES]
    sentences = [[START, *(english[word] for word in e.split()), END] for _, e in SENTENCES]
    trained = Transformer(len(french), len(english), 8, 2, 12, 1, 1).double()
    train(trained, sources, sentences)
    drawn = Transformer(9, 11, 12, 3, 10, 2, 3).double()
    with torch.no_grad():
        draw(drawn, rng)
        for model in (trained, drawn):
            for p in model.parameters():
                p.copy_(torch.round(p * 4096) / 4096)
    cases = {"example": (trained, sources[0], sentences[0], 8),
             "sizes": (drawn, [5, 3, 8, 4, 7, 6, 3, 2], [START, 9, 4, 3, 10, END], 7),
             "padding": (trained, sources[3] + [PAD, PAD, PAD], sentences[3] + [PAD, PAD], 9)}
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}"),
              "french": np.array(list(french)), "english": np.array(list(english))}
    for name, (model, source, sentence, longest) in cases.items():
        model.train()  # as it is written down, without the fused path of eval(); nothing is dropped
        steps, translation = steps_of(model, source, sentence, longest)
        print(name, *([list(english)[token] for token in translation] if model is trained else translation))
        inputs = dict(source=torch.tensor(source), sentence=torch.tensor(sentence), longest=torch.tensor(longest),
                      heads=torch.tensor(model.encoder[0].self_attn.num_heads), **weights_of(model))
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.detach().numpy())
            assert key in steps or np.array_equal(array, value.detach().numpy()), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
