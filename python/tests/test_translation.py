"""Whole Transformers from words to words, around PyTorch's blocks: names of their parts, masks that their caller gives, and
sequences with the batch second."""
import math

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

import glassbox  # noqa: E402

WIDTH, WORDS = 12, (11, 13)


class Positions(nn.Module):
    def __init__(self, batch_first):
        super().__init__()
        angles = torch.arange(50)[:, None] * torch.exp(-torch.arange(0, WIDTH, 2) * math.log(10000) / WIDTH)
        table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        self.register_buffer("table", table if batch_first else table[:, None])
        self.axis = int(batch_first)

    def forward(self, x):
        return x + self.table[:x.size(self.axis)]


class Words(nn.Module):
    def __init__(self, count, factor):
        super().__init__()
        self.embedding, self.factor = nn.Embedding(count, WIDTH), factor

    def forward(self, tokens):
        return self.embedding(tokens.long()) * self.factor


class Translator(nn.Module):
    """As PyTorch's tutorial has it."""
    def __init__(self, batch_first=False, factor=math.sqrt(WIDTH), is_tied=False):
        super().__init__()
        self.transformer = nn.Transformer(WIDTH, 3, 2, 2, 20, 0.1, batch_first=batch_first)
        self.src_tok_emb, self.tgt_tok_emb = (Words(count, factor) for count in WORDS)
        self.positional_encoding = Positions(batch_first)
        self.generator = nn.Linear(WIDTH, WORDS[1], bias=not is_tied)
        if is_tied:
            self.generator.weight = self.tgt_tok_emb.embedding.weight
        self.axis = int(batch_first)

    def run(self, src, trg, *masks):
        x, y = self.positional_encoding(self.src_tok_emb(src)), self.positional_encoding(self.tgt_tok_emb(trg))
        return self.generator(self.transformer(x, y, *masks))

    def hidden(self, trg):
        return torch.triu(torch.full((trg.size(self.axis), trg.size(self.axis)), float("-inf")), 1)


class MakesMask(Translator):
    def forward(self, src, trg):
        return self.run(src, trg, None, self.hidden(trg))


class MayMakeMask(Translator):
    def forward(self, src, trg, src_mask=None, tgt_mask=None):
        return self.run(src, trg, src_mask, self.hidden(trg) if tgt_mask is None else tgt_mask)


class IsGivenMask(Translator):
    def forward(self, src, tgt, tgt_mask=None):
        return self.run(src, tgt, None, tgt_mask)


class NeedsMasks(Translator):
    def forward(self, src, trg, src_mask, tgt_mask, src_padding_mask, tgt_padding_mask, memory_key_padding_mask):
        return self.run(src, trg, src_mask, tgt_mask, None, src_padding_mask, tgt_padding_mask, memory_key_padding_mask)


class HasNoMask(Translator):
    def forward(self, src, trg):
        return self.run(src, trg)


KINDS = [MakesMask, MayMakeMask, IsGivenMask, NeedsMasks]


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch_first", [True, False])
def test_a_translator_is_taken_as_it_is(kind, batch_first):
    result = glassbox.check("transformer", kind(batch_first), quiet=True)
    assert result, result.text


def test_batch_first_may_be_said_of_words():
    assert glassbox.check("transformer", MakesMask(), batch_first=False, quiet=True)


@pytest.mark.parametrize("batch_first", [True, False])
def test_a_matrix_may_be_that_of_the_words_and_mistakes_are_named(batch_first):
    assert glassbox.check("transformer", MakesMask(batch_first, is_tied=True), quiet=True)
    unscaled = glassbox.check("transformer", IsGivenMask(batch_first, factor=1), quiet=True)
    assert unscaled.mistakes == ["embedding_scaled/not-scaled"], unscaled.text


def test_later_words_that_no_mask_hides_are_said():
    result = glassbox.check("transformer", HasNoMask(True), quiet=True)
    assert "masked/ignored" in result.mistakes, result.text


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.num_heads = 3

    def forward(self, x, memory, mask):
        q, k, v = (part(y).unflatten(-1, (3, -1)).transpose(1, 2) for part, y in ((self.w_q, x), (self.w_k, memory), (self.w_v, memory)))
        scores = q @ k.mT / 2
        return self.w_o(((scores if mask is None else scores.masked_fill(mask == 0, -1e9)).softmax(-1) @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, has_memory):
        super().__init__()
        self.self_attn, self.ff = Attention(), nn.Sequential(nn.Linear(WIDTH, 20), nn.ReLU(), nn.Linear(20, WIDTH))
        self.cross_attn = Attention() if has_memory else None
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.norm3 = nn.LayerNorm(WIDTH) if has_memory else None

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.norm1(x + self.self_attn(x, x, mask))
        if memory is None:
            return self.norm2(x + self.ff(x))
        x = self.norm2(x + self.cross_attn(x, memory, memory_mask))
        return self.norm3(x + self.ff(x))


class OwnBlocks(nn.Module):
    """Leaves out padding, the word 0, and masks by itself, or is given its masks."""
    def __init__(self):
        super().__init__()
        self.enc_embedding, self.dec_embedding = (nn.Embedding(count, WIDTH) for count in WORDS)
        self.positions, self.fc = Positions(True), nn.Linear(WIDTH, WORDS[1])
        self.encoder_layers, self.decoder_layers = (nn.ModuleList([Block(has_memory) for _ in range(2)]) for has_memory in (False, True))

    def run(self, src, tgt, src_mask, tgt_mask):
        x, y = (self.positions(table(ids) * math.sqrt(WIDTH)) for table, ids in ((self.enc_embedding, src), (self.dec_embedding, tgt)))
        for block in self.encoder_layers:
            x = block(x, src_mask)
        for block in self.decoder_layers:
            y = block(y, tgt_mask, x, src_mask)
        return self.fc(y)


class OfPadding(OwnBlocks):
    def forward(self, src, tgt):
        later = torch.tril(torch.ones(tgt.size(1), tgt.size(1))).bool()
        return self.run(src, tgt, (src != 0)[:, None, None], (tgt != 0)[:, None, None] & later)


class OfMasks(OwnBlocks):
    def forward(self, src, tgt, src_mask, tgt_mask):
        return self.run(src, tgt, src_mask, tgt_mask)


@pytest.mark.parametrize("kind", [OfPadding, OfMasks])
def test_own_blocks_may_leave_out_padding_and_be_given_masks(kind):
    result = glassbox.check("transformer", kind(), quiet=True)
    assert result, result.text


class SaysItsPadding(OwnBlocks):
    """Hides the source's padding in the encoder, or in both, or nowhere."""
    def __init__(self, word=0, in_encoder=True, in_memory=True):
        super().__init__()
        self.src_pad_idx, self.in_encoder, self.in_memory = word, in_encoder, in_memory

    def forward(self, src, tgt):
        is_there = (src != self.src_pad_idx)[:, None, None]
        x, y = (self.positions(table(ids) * math.sqrt(WIDTH)) for table, ids in ((self.enc_embedding, src), (self.dec_embedding, tgt)))
        for block in self.encoder_layers:
            x = block(x, is_there if self.in_encoder else None)
        for block in self.decoder_layers:
            y = block(y, torch.ones(tgt.size(1), tgt.size(1)).tril(), x, is_there if self.in_memory else None)
        return self.fc(y)


OWN_WORDS = {"source": torch.tensor([[3, 4, 5, 0], [6, 3, 4, 8]]), "target": torch.tensor([[1, 3, 0], [1, 5, 4]])}
PADDING = "with padding, the word {}:"


@pytest.mark.parametrize("word", [0, 3])
def test_padding_is_tested_as_the_model_says_it(word):
    result = glassbox.check("transformer", SaysItsPadding(word), quiet=True)
    assert result and f"its padding is the word {word}" in result.text, result.text
    result = glassbox.check("transformer", SaysItsPadding(word, in_memory=False), quiet=True)
    assert "cross_attn/masked: masked/ignored" in result.mistakes and PADDING.format(word) in result.text, result.text


def test_padding_that_the_encoder_sees_is_named():
    result = glassbox.check("transformer", SaysItsPadding(0, in_encoder=False), quiet=True)
    assert "masked/ignored" in result.text and PADDING.format(0) in result.text, result.text


def test_a_model_that_hides_no_padding_though_it_has_some_is_wrong():
    result = glassbox.check("transformer", SaysItsPadding(0, False, False), quiet=True)
    assert "the padding of the source, the word 0, is hidden nowhere" in result.sentence, result.text


@pytest.mark.parametrize("kind", [SaysItsPadding, OfPadding])
def test_own_sentences_may_have_padding(kind):
    assert glassbox.check("transformer", kind(), quiet=True, **OWN_WORDS)


def test_in_own_sentences_padding_that_is_seen_is_wrong():
    result = glassbox.check("transformer", SaysItsPadding(in_memory=False), quiet=True, **OWN_WORDS)
    assert not result and "its padding is the word 0" in result.text, result.text


def test_of_a_model_that_does_not_say_its_padding_that_is_said():
    assert "padding was not tested: nothing says which word it is" in glassbox.check("transformer", MakesMask(True), quiet=True).text
    assert "its padding is the word 0" in glassbox.check("transformer", OfPadding(), quiet=True).text


def test_another_mistake_is_named_in_a_model_with_padding():
    model = SaysItsPadding()
    model.decoder_layers[0].norm2.eps = 1.0
    result = glassbox.check("transformer", model, quiet=True)
    assert not result and "masked/ignored" not in result.text, result.text


class NoMaskOfMemory(NeedsMasks):
    def forward(self, src, trg, src_mask, tgt_mask, src_padding_mask, tgt_padding_mask):
        return self.run(src, trg, src_mask, tgt_mask, None, src_padding_mask, tgt_padding_mask, None)


class MayBeGivenPadding(Translator):
    def forward(self, src, trg, src_key_padding_mask=None):
        return self.run(src, trg, None, self.hidden(trg), None, src_key_padding_mask, None, src_key_padding_mask)


class NoMaskInMemory(OwnBlocks):
    def forward(self, src, tgt, src_mask, tgt_mask):
        x, y = (self.positions(table(ids) * math.sqrt(WIDTH)) for table, ids in ((self.enc_embedding, src), (self.dec_embedding, tgt)))
        for block in self.encoder_layers:
            x = block(x, src_mask)
        for block in self.decoder_layers:
            y = block(y, tgt_mask, x, None)
        return self.fc(y)


class OfThreeAxes(OfMasks):
    def forward(self, src, tgt, src_mask, tgt_mask):
        return super().forward(src, tgt, src_mask[:, None, None], tgt_mask)


@pytest.mark.parametrize("kind, said", [
    (NeedsMasks, "src_padding_mask, memory_key_padding_mask are (batch, key), 1 where the padding is"),
    (MayBeGivenPadding, "src_key_padding_mask is (batch, key), 1 where"),
    (lambda batch_first: OfMasks(), "src_mask is (batch, 1, 1, key), 1 where a word is"),
    (lambda batch_first: OfThreeAxes(), "src_mask is (batch, key), 1 where a word is")])
@pytest.mark.parametrize("batch_first", [True, False])
def test_padding_is_tested_with_masks_as_their_caller_gives_them(kind, said, batch_first):
    result = glassbox.check("transformer", kind(batch_first), quiet=True)
    assert result and f"its padding is tested with a mask as its caller gives it: {said}" in result.text, result.text


@pytest.mark.parametrize("model", [lambda: NoMaskOfMemory(True), NoMaskInMemory])
def test_a_mask_that_is_not_handed_to_the_memory_is_named(model):
    result = glassbox.check("transformer", model(), quiet=True)
    assert result.mistakes[0] == "cross_attn/masked: masked/ignored" and PADDING.format(0) in result.text, result.text


class WithHeads(Attention):
    """Gives a mask its axis for the heads."""
    def forward(self, x, memory, mask):
        return super().forward(x, memory, mask.unsqueeze(1))


class BeginsWithNorm(Block):
    def __init__(self, has_memory):
        super().__init__(has_memory)
        self.self_attn, self.cross_attn = WithHeads(), WithHeads() if has_memory else None

    def forward(self, x, mask, memory=None, memory_mask=None):
        y = self.norm1(x)
        x = x + self.self_attn(y, y, mask)
        if memory is None:
            return x + self.ff(self.norm2(x))
        x = x + self.cross_attn(self.norm2(x), memory, memory_mask)
        return x + self.ff(self.norm3(x))


class OfMasksForHeads(OfMasks):
    def __init__(self, kind=BeginsWithNorm):
        super().__init__()
        self.encoder_layers, self.decoder_layers = (nn.ModuleList([kind(has_memory) for _ in range(2)]) for has_memory in (False, True))


class NoResidual(BeginsWithNorm):
    def forward(self, x, mask, memory=None, memory_mask=None):
        return super().forward(x, mask, memory, memory_mask) - (x if memory is None else 0)


def test_own_blocks_have_their_norms_where_they_are_and_masks_with_an_axis_for_the_heads():
    result = glassbox.check("transformer", OfMasksForHeads(), quiet=True)
    assert result and "read with norm=\"pre\"" in result.text, result.text
    assert not glassbox.check("transformer", OfMasksForHeads(NoResidual), quiet=True)


class NormsBeside(OfMasksForHeads):
    """With norms behind the last blocks, beside these, and an encoder and a decoder that are called enc and dec."""
    def __init__(self):
        super().__init__()
        self.enc, self.dec = self.encoder_layers, self.decoder_layers
        del self.encoder_layers, self.decoder_layers
        self.enc_norm, self.dec_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, src, tgt, src_mask, tgt_mask):
        x, y = (self.positions(table(ids) * math.sqrt(WIDTH)) for table, ids in ((self.enc_embedding, src), (self.dec_embedding, tgt)))
        for block in self.enc:
            x = block(x, src_mask)
        x = self.enc_norm(x)
        for block in self.dec:
            y = block(y, tgt_mask, x, src_mask)
        return self.fc(self.dec_norm(y))


def test_norms_behind_the_last_blocks_may_stand_beside_them():
    result = glassbox.check("transformer", NormsBeside(), quiet=True)
    assert result, result.text
