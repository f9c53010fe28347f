"""Modules whose parameters have names that say nothing: they are told by their use."""
import math

import pytest

import glassbox

torch = pytest.importorskip("torch")
nn = torch.nn
D, H, F = 12, 3, 20


class Attention(nn.Module):
    """In the order value, key, query."""
    def __init__(self):
        super().__init__()
        self.apple, self.pear, self.plum, self.fig = (nn.Linear(D, D) for _ in range(4))

    def forward(self, x, memory=None, mask=None):
        memory = x if memory is None else memory
        v, k, q = (self.split(part(y)) for part, y in ((self.apple, memory), (self.plum, memory), (self.pear, x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(D // H)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        return self.fig((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))

    @staticmethod
    def split(x):
        return x.view(*x.shape[:2], H, -1).transpose(1, 2)


class Block(nn.Module):
    def __init__(self, is_first=False):
        super().__init__()
        self.one, self.bread = Attention(), nn.Sequential(nn.Linear(D, F), nn.ReLU(), nn.Linear(F, D))
        self.gold, self.silver, self.is_first = nn.LayerNorm(D), nn.LayerNorm(D), is_first

    def forward(self, x):
        if self.is_first:
            x = x + self.one(self.silver(x))
            return x + self.bread(self.gold(x))
        x = self.silver(x + self.one(x))
        return self.gold(x + self.bread(x))


class NoResidual(Block):
    def forward(self, x):
        x = self.silver(self.one(x))
        return self.gold(x + self.bread(x))


class OfTorch(nn.Module):
    """With PyTorch's own attention, and norms in a dictionary."""
    def __init__(self):
        super().__init__()
        self.look, self.norms = nn.MultiheadAttention(D, H, batch_first=True), nn.ModuleDict({"a": nn.LayerNorm(D), "b": nn.LayerNorm(D)})
        self.up, self.back = nn.Linear(D, F), nn.Linear(F, D)

    def forward(self, x):
        x = self.norms["a"](x + self.look(x, x, x, need_weights=False)[0])
        return self.norms["b"](x + self.back(torch.relu(self.up(x))))


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.floors, self.roof = nn.ModuleList(Block(is_first=True) for _ in range(2)), nn.LayerNorm(D)

    def forward(self, x):
        for floor in self.floors:
            x = floor(x)
        return self.roof(x)


class DecoderBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.up, self.back = Attention(), Attention(), nn.Linear(D, F), nn.Linear(F, D)
        self.n = nn.ModuleList(nn.LayerNorm(D) for _ in range(3))

    def forward(self, x, memory, mask=None):
        x = self.n[2](x + self.one(x, x, mask))
        x = self.n[0](x + self.two(x, memory))
        return self.n[1](x + self.back(torch.relu(self.up(x))))


@pytest.mark.parametrize("layer, make", [("multihead", Attention), ("encoder-block", Block), ("encoder-block", lambda: Block(True)),
                                         ("encoder-block", OfTorch), ("encoder", Tower), ("decoder-block", DecoderBlock)])
def test_a_right_module_whose_names_say_nothing_is_right(layer, make):
    torch.manual_seed(0)
    module = make()
    before = {name: each.clone() for name, each in module.state_dict().items()}
    result = glassbox.check(layer, module, quiet=True)
    assert result and "told by" in result.text, result.text
    assert all(torch.equal(each, before[name]) for name, each in module.state_dict().items())
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in module.modules())


def test_the_order_of_queries_keys_and_values_is_not_guessed():
    torch.manual_seed(0)
    text = glassbox.check("multihead", Attention(), quiet=True).text
    assert "apple is v_proj, plum is k_proj, pear is q_proj, fig is out_proj" in text


def test_a_mistake_in_such_a_module_is_named():
    torch.manual_seed(0)
    assert glassbox.check("encoder-block", NoResidual(), quiet=True).mistakes == ["residual1: residual/left-out"]


def test_a_part_that_is_never_used_leaves_the_question():
    torch.manual_seed(0)
    module = Block()
    module.more = nn.Linear(D, D)
    with pytest.raises(glassbox.Error, match="names of these parameters do not say"):
        glassbox.check("encoder-block", module, quiet=True)


class Head(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.apple, self.pear, self.plum = (nn.Linear(D, size) for _ in range(3))

    def parts(self, x):
        return self.pear(x), self.plum(x), self.apple(x)

    def forward(self, x, divisor, mask=None):
        q, k, v = self.parts(x)
        scores = q @ k.transpose(1, 2) / divisor
        return (scores if mask is None else scores.masked_fill(mask == 0, -1e9)).softmax(-1) @ v


class HeadOfOneMatrix(Head):
    def __init__(self, size):
        nn.Module.__init__(self)
        self.all = nn.Linear(D, 3 * size)

    def parts(self, x):
        return self.all(x).chunk(3, -1)


class Heads(nn.Module):
    def __init__(self, kind=Head, count=H, divisor=None):
        super().__init__()
        self.koepfe, self.mix = nn.ModuleList(kind(D // count) for _ in range(count)), nn.Linear(D, D)
        self.divisor = divisor or math.sqrt(D // count)

    def forward(self, x, mask=None):
        return self.mix(torch.cat([head(x, self.divisor, mask) for head in self.koepfe], -1))


class BlockOfHeads(Block):
    def __init__(self):
        super().__init__()
        self.one = Heads()


@pytest.mark.parametrize("layer, module", [("multihead", Heads()), ("multihead", Heads(count=4)), ("multihead", Heads(HeadOfOneMatrix)),
                                           ("multihead", Heads(HeadOfOneMatrix, 4)), ("encoder-block", BlockOfHeads())])
def test_a_list_of_heads_may_have_any_name(layer, module):
    result = glassbox.check(layer, module, quiet=True)
    assert result, result.text


def test_the_mistake_of_a_list_of_heads_is_named():
    assert glassbox.check("multihead", Heads(divisor=1), quiet=True).mistakes == ["scaled/not-divided"]


class NormInTheLoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(D, H, F, batch_first=True, norm_first=True) for _ in range(2))
        self.norm = nn.LayerNorm(D)

    def forward(self, x):
        for layer in self.layers:
            x = self.norm(layer(x))
        return x


def test_a_last_norm_that_is_applied_after_every_block_is_told():
    result = glassbox.check("encoder", NormInTheLoop(), quiet=True)
    assert not result and result.is_named and "after every block" in str(result) and "catalogue" not in result.text, result.text


class TowerToMemory(nn.Module):
    """Hands its mask to PyTorch's attention, where 1 hides."""
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.TransformerDecoderLayer(D, H, F, batch_first=True, norm_first=True) for _ in range(2))
        self.norm = nn.LayerNorm(D)

    def forward(self, tgt, memory, tgt_mask=None):
        for layer in self.layers:
            tgt = self.norm(layer(tgt, memory, tgt_mask))
        return tgt


def test_a_mask_in_the_meaning_that_leaves_no_number_names_no_mistake():
    result = glassbox.check("decoder", TowerToMemory(), quiet=True)
    assert not result and not result.mistakes and "after every block" in str(result), result.text
