"""Makes golden.npz: batches, weights and every step of training and using a decoder, by real PyTorch.

    pip install numpy torch
    python lessons/12-copy/make_golden.py

Keys are "<case>/<step>". Encoder and decoder are torch.nn.TransformerEncoderLayer and torch.nn.TransformerDecoderLayer;
embeddings, positions and masks are written from the paper's description (sections 3.1 to 3.5). The first model is trained
here to copy, the second to sort, both not quite to the end, so that there is something to be lost; the third is left as it
was drawn. The loss is torch.nn.functional.cross_entropy with ignore_index. Weights are rounded so that a float holds them
exactly, and all steps are computed in double. Attention's rows are stored in the tutorial's order: each head's query, key and
value side by side.
"""

import math
import pathlib

import numpy as np
import torch
from torch import nn

PAD, START, END, FIRST, IGNORED = 0, 1, 2, 3, -1


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

    def placed(self, tokens, embedding):
        x = math.sqrt(embedding.embedding_dim) * embedding(tokens)
        return x + positional_encoding(*x.shape[-2:])

    def forward(self, source, target):  # (B, S) and (B, T); logits (B, T, words)
        unreal, T = source == PAD, target.shape[1]
        ahead = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
        x, y = self.placed(source, self.source_embedding), self.placed(target, self.target_embedding)
        for block in self.encoder:
            x = block(x, src_key_padding_mask=unreal)
        for block in self.decoder:
            y = block(y, x, tgt_mask=ahead, tgt_key_padding_mask=target == PAD, memory_key_padding_mask=unreal)
        return self.generator(y)

    def greedy(self, source, longest, stop=True):
        """Tokens with their probabilities, and by how much the least certain of them won."""
        written, certainty, margin = [], [], math.inf
        while len(written) < longest and (not stop or END not in written):
            logits = self(source[None], torch.tensor([[START, *written]]))[0, -1]
            best = logits.topk(2)
            margin = min(margin, float(best.values[0] - best.values[1]))
            written.append(int(best.indices[0]))
            certainty.append(float(torch.softmax(logits, dim=-1)[written[-1]]))
        return written, certainty, margin


def positional_encoding(T, d_model):
    angle = torch.arange(T).double()[:, None] * torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    return torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1).flatten(1)


def padded(rows, width, filler):
    return torch.tensor([row + [filler] * (width - len(row)) for row in rows])


def batch(sequences, answer, L):
    """source (B, L + 1), answers (B, L), target and labels (B, L + 1)."""
    answers = [answer(s) for s in sequences]
    return (padded([s + [END] for s in sequences], L + 1, PAD), padded(answers, L, PAD),
            padded([[START] + a for a in answers], L + 1, PAD), padded([a + [END] for a in answers], L + 1, IGNORED))


def train(model, rng, answer, L, symbols, steps):
    with torch.no_grad():  # no louder than the positions that are added to them
        for embedding in (model.source_embedding, model.target_embedding):
            embedding.weight /= math.sqrt(embedding.embedding_dim)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
    for step in range(steps):
        sequences = [rng.integers(FIRST, FIRST + symbols, size=rng.integers(2, L + 1)).tolist() for _ in range(64)]
        source, _, target, labels = batch(sequences, answer, L)
        loss = nn.functional.cross_entropy(model(source, target).transpose(1, 2), labels, ignore_index=IGNORED)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss after {steps} steps: {loss.item():.4f}")


def draw(model, rng):
    for name, p in model.named_parameters():
        scale = 1.5 if "embedding" in name else 1.5 / math.sqrt(p.shape[-1]) if p.dim() == 2 else 0.4
        p.copy_(torch.from_numpy(rng.standard_normal(tuple(p.shape)) * scale) + float("norm" in name and "weight" in name))
    model.generator.bias[END] -= 9  # it never comes to an end


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
def steps_of(model, source, target, labels, longest):
    logits = model(source, target)
    losses = nn.functional.cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORED, reduction="none")
    counts = labels != IGNORED
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORED)
    best = logits.topk(2, dim=-1).values[counts]
    margin = float((best[:, 0] - best[:, 1]).min())
    written, certainty = [], []
    for row in source:
        tokens, sure, least = model.greedy(row, longest)
        margin = min(margin, least)
        written.append(tokens + [PAD] * (longest - len(tokens)))
        certainty.append(sure + [0.0] * (longest - len(sure)))
    assert margin > 1e-3, "too close for floats"
    return {"target": target, "labels": labels, "logits": logits, "losses": losses, "loss": loss[None],
            "accuracy": (logits.argmax(dim=-1) == labels)[counts].double().mean()[None],
            "written": torch.tensor(written), "certainty": torch.tensor(certainty).double()}


def main():
    torch.manual_seed(12)
    rng = np.random.default_rng(12)
    copier, sorter = (Transformer(FIRST + 6, FIRST + 6, 12, 2, 16, 1, 1).double() for _ in range(2))
    train(copier, rng, list, 5, 6, 75)
    train(sorter, rng, sorted, 5, 6, 100)
    drawn = Transformer(8, 10, 6, 3, 10, 2, 1).double()
    with torch.no_grad():
        draw(drawn, rng)
        for model in (copier, sorter, drawn):
            for p in model.parameters():
                p.copy_(torch.round(p * 4096) / 4096)
    # Name, model, what is asked, the sequences, L, the longest that is written.
    cases = [("copy", copier, list, [[7, 3, 5], [4, 8, 8, 3, 6], [5, 7]], 5, 8),
             ("sort", sorter, sorted, [[8, 3, 6, 4], [5, 4], [3, 7, 7, 6, 3], [5, 8, 5, 8, 5]], 6, 7),
             ("untrained", drawn, lambda s: [t + 2 for t in s], [[3, 5, 4, 7], [6]], 4, 6)]
    arrays = {"made_by": np.array(f"torch {torch.__version__}, numpy {np.__version__}")}
    for name, model, answer, sequences, L, longest in cases:
        model.train()  # as it is written down, without the fused path of eval(); nothing is dropped
        source, answers, target, labels = batch(sequences, answer, L)
        steps = steps_of(model, source, target, labels, longest)
        with torch.no_grad():
            on = [model.greedy(row, longest, stop=False)[0] for row in source]
        print(name, f"loss {steps['loss'].item():.4f}, accuracy {steps['accuracy'].item():.4f}")
        for row, written, further in zip(source.tolist(), steps["written"].tolist(), on):
            print("  ", row, "→", written, "without a stop", further)
        inputs = dict(source=source, answers=answers, lengths=torch.tensor([len(s) for s in sequences]),
                      longest=torch.tensor(longest), heads=torch.tensor(model.encoder[0].self_attn.num_heads),
                      **weights_of(model))
        for key, value in {**inputs, **steps}.items():
            array = np.float32(value.detach().numpy())
            assert key in steps or np.array_equal(array, value.detach().numpy()), key
            arrays[f"{name}/{key}"] = array
    path = pathlib.Path(__file__).parent / "golden.npz"
    np.savez_compressed(path, **arrays)
    print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
