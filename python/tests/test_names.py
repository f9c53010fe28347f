"""A block's parts are known by what much copied repositories call them: alone, by what wraps them, and by the others of
their sublayer."""
import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

import glassbox  # noqa: E402

PARTS = ("q", "k", "v", "o", "norm1", "linear1", "linear2", "norm2")


class Block(nn.Module):
    """Has its parts by any paths, and computes the same by all of them."""
    def __init__(self, paths, epsilon=1e-5, divisor=4):
        super().__init__()
        self.paths, self.num_heads, self.divisor = dict(zip(PARTS, paths.split())), 3, divisor
        for part, path in self.paths.items():
            sizes = {"linear1": (12, 20), "linear2": (20, 12)}.get(part, (12, 12))
            made = nn.LayerNorm(12, eps=epsilon) if "norm" in part else nn.Linear(*sizes)
            *outer, last = path.split(".")
            inside = self
            for name in outer:
                if not hasattr(inside, name):
                    inside.add_module(name, nn.Module())
                inside = getattr(inside, name)
            inside.add_module(last, made)

    def apply_part(self, part, x):
        return self.get_submodule(self.paths[part])(x)

    def forward(self, x):
        q, k, v = (self.apply_part(part, x).unflatten(-1, (3, -1)).transpose(1, 2) for part in "qkv")
        values = ((q @ k.mT / self.divisor**0.5).softmax(-1) @ v).transpose(1, 2).flatten(2)
        x = self.apply_part("norm1", x + self.apply_part("o", values))
        return self.apply_part("norm2", x + self.apply_part("linear2", self.apply_part("linear1", x).relu()))


NAMES = [
    "slf_attn.w_qs slf_attn.w_ks slf_attn.w_vs slf_attn.fc slf_attn.layer_norm pos_ffn.w_1 pos_ffn.w_2 pos_ffn.layer_norm",
    "self_attention_block.w_q self_attention_block.w_k self_attention_block.w_v self_attention_block.w_o residual_connections.0.norm "
    "feed_forward_block.linear_1 feed_forward_block.linear_2 residual_connections.1.norm",
    "self_attn.query.linear self_attn.key.linear self_attn.value.linear self_attn.output norm_self_attn feed_forward.layer1 "
    "feed_forward.layer2 norm_ff",
    "attention.toqueries attention.tokeys attention.tovalues attention.unifyheads norm1 ff.0 ff.2 norm2",
    "attention.q_lin attention.k_lin attention.v_lin attention.out_lin sa_layer_norm ffn.lin1 ffn.lin2 output_layer_norm",
    "attention.attention.query attention.attention.key attention.attention.value attention.output.dense layernorm_before "
    "intermediate.dense output.dense layernorm_after",
    "self_attn.linear_query self_attn.linear_keys self_attn.linear_values self_attn.final_linear layer_norm feed_forward.w_1 "
    "feed_forward.w_2 feed_forward.layer_norm",
    "att.W_query att.W_key att.W_value att.out_proj norm1 ff.layers.0 ff.layers.2 norm2",
    "attention.wq attention.wk attention.wv attention.wo attention_norm feed_forward.w1 feed_forward.w2 fnn_norm",
    "layers.0.0.to_q layers.0.0.to_k layers.0.0.to_v layers.0.0.to_out.0 layers.0.0.norm layers.0.1.net.1 layers.0.1.net.4 "
    "layers.0.1.net.0",
    "layers.0.0.fn.to_q layers.0.0.fn.to_k layers.0.0.fn.to_v layers.0.0.fn.to_out.0 layers.0.0.norm layers.0.1.fn.net.0 "
    "layers.0.1.fn.net.3 layers.0.1.norm",
    "multi_headed_attention.qkv_nets.0 multi_headed_attention.qkv_nets.1 multi_headed_attention.qkv_nets.2 "
    "multi_headed_attention.out_projection_net sublayers.0.norm pointwise_net.linear1 pointwise_net.linear2 sublayers.1.norm",
    "attn.q_proj attn.k_proj attn.v_proj attn.out_proj ln_1 mlp.fc_in mlp.fc_out ln_2",
    "self_attn.q_proj self_attn.k_proj self_attn.v_proj self_attn.o_proj input_layernorm mlp.up_proj mlp.down_proj "
    "post_attention_layernorm"]


@pytest.mark.parametrize("names", NAMES, ids=[each.split()[0] for each in NAMES])
def test_a_block_is_known_by_the_names_of_many_repositories(names):
    torch.manual_seed(0)
    result = glassbox.check("encoder-block", Block(names), quiet=True)
    assert result, result.text
    assert glassbox.check("encoder-block", Block(names, divisor=1), quiet=True).mistakes == ["scaled/not-divided"]


@pytest.mark.parametrize("names", [
    NAMES[0].replace("slf_attn.layer_norm", "norm").replace("pos_ffn.layer_norm", "other"),
    NAMES[-1].replace("input_layernorm", "post_attention_norm")])
def test_a_norm_whose_name_tells_nothing_is_told_by_its_use_or_asked_about(names):
    result = glassbox.check("encoder-block", Block(names), quiet=True)
    assert result and "told by their use" in result.text, result.text
    with pytest.raises(glassbox.Error, match="the names of these parameters do not say what they are"):
        glassbox.trace("encoder-block", weights=Block(names).state_dict())


def test_a_norm_may_have_one_number_for_all_features():
    class Norm(nn.Module):
        def __init__(self, eps):
            super().__init__()
            self.alpha, self.bias, self.eps = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1)), eps

        def forward(self, x):
            variance = x.var(-1, keepdim=True, unbiased=False)
            return self.alpha * (x - x.mean(-1, keepdim=True)) / torch.sqrt(variance + self.eps) + self.bias

    for epsilon, is_right in ((1e-6, True), (0.1, False)):
        block = Block(NAMES[3])
        block.norm1, block.norm2 = Norm(1e-6), Norm(epsilon)
        assert bool(glassbox.check("encoder-block", block, quiet=True)) == is_right


class WithoutLayer(Block):
    def __init__(self, paths, missing):
        super().__init__(paths)
        self.missing = missing

    def apply_part(self, part, x):
        return x if part == self.missing else super().apply_part(part, x)


def test_a_missing_layer_is_called_by_its_name():
    torch.manual_seed(0)
    result = glassbox.check("encoder-block", WithoutLayer(NAMES[3], "o"), quiet=True)
    assert result.sentence == "The layer W_O is missing: its input is passed on unchanged." and result.sentence in result.text
    assert "The layer is missing:" not in result.text


def test_of_a_stack_the_place_of_the_missing_layer_is_told():
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([Block(NAMES[3]), WithoutLayer(NAMES[3], "o")])

        def forward(self, x):
            return self.layers[1](self.layers[0](x))

    torch.manual_seed(0)
    result = glassbox.check("encoder", Stack(), quiet=True)
    assert result.sentence.startswith("The layer W_O of encoder/1/self_attn is missing:"), result.text


class StackOf(nn.Module):
    def __init__(self, blocks, norm, epsilon=1e-5):
        super().__init__()
        self.names = blocks, norm
        self.add_module(blocks, nn.ModuleList([Block(NAMES[0]), Block(NAMES[0])]))
        if norm:
            self.add_module(norm, nn.LayerNorm(12, eps=epsilon))

    def forward(self, x):
        blocks, norm = self.names
        for block in getattr(self, blocks):
            x = block(x)
        return getattr(self, norm)(x) if norm else x


@pytest.mark.parametrize("blocks, norm", [("layer_stack", ""), ("encoder_layers", "norm"), ("trf_blocks", "final_norm"), ("h", "ln_f"),
                                          ("transformer", "layer_norm"), ("encoders", "after_norm"), ("resblocks", "ln_post")])
def test_a_stack_is_known_by_its_list_and_by_the_one_norm_outside(blocks, norm):
    torch.manual_seed(0)
    result = glassbox.check("encoder", StackOf(blocks, norm), quiet=True)
    assert result, result.text


class Numbered(nn.Module):
    """Blocks as attributes with numbers, or as an entry of a list by any name."""
    def __init__(self, name, first, count=2, make=lambda: Block(NAMES[0])):
        super().__init__()
        self.order = [f"{name}{first + n}" if not name.endswith(".") else str(n) for n in range(count)]
        self.within, blocks = name[:-1] if name.endswith(".") else "", [make() for _ in range(count)]
        if self.within:
            self.add_module(self.within, nn.ModuleList(blocks))
        else:
            for path, block in zip(self.order, blocks):
                self.add_module(path, block)

    def forward(self, x):
        for path in self.order:
            x = getattr(self.get_submodule(self.within), path)(x)
        return x


def of_torch():
    return nn.TransformerEncoderLayer(12, 3, 20, dropout=0.0, batch_first=True)


@pytest.mark.parametrize("name, first, count, make", [
    ("units.", 0, 2, lambda: Block(NAMES[0])), ("units.", 0, 1, lambda: Block(NAMES[0])), ("enc_layers.", 0, 2, of_torch),
    ("my_tower.", 0, 2, of_torch), ("block", 1, 2, lambda: Block(NAMES[0])), ("enc", 1, 2, of_torch), ("cell_", 0, 3, lambda: Block(NAMES[0]))])
def test_blocks_are_known_as_such_whatever_holds_them(name, first, count, make):
    torch.manual_seed(0)
    result = glassbox.check("encoder", Numbered(name, first, count, make), quiet=True)
    assert result, result.text


def test_a_message_about_names_has_no_path_of_a_file_that_is_gone():
    for layer in ("encoder", "encoder-block", "multihead", "feed-forward"):
        with pytest.raises(glassbox.Error) as problem:
            glassbox.check(layer, nn.Sequential(nn.LSTM(12, 12)), quiet=True)
        assert "glassbox-" not in str(problem.value) and "npz" not in str(problem.value)


def test_a_norm_before_the_blocks_by_name_is_told_by_its_use_and_one_that_is_not_used_asked_about():
    assert glassbox.check("encoder", StackOf("layers", "ln_pre"), quiet=True)
    second = StackOf("layers", "norm")
    second.other = nn.LayerNorm(12)
    with pytest.raises(glassbox.Error, match="the names of these parameters do not say what they are"):
        glassbox.check("encoder", second, quiet=True)


class Mixing(nn.Module):
    """An attention by any names, and its block."""
    def __init__(self, last, first=None, second=None):
        super().__init__()
        self.num_heads, self.last, self.names = 3, last, (first, second)
        self.queries, self.keys, self.values = (nn.Linear(12, 12) for _ in range(3))
        setattr(self, last, nn.Linear(12, 12))
        if first:
            setattr(self, second, nn.Linear(20, 12))
            setattr(self, first, nn.Linear(12, 20))
            self.norm1, self.norm2 = nn.LayerNorm(12), nn.LayerNorm(12)

    def attended(self, x):
        q, k, v = (part(x).unflatten(-1, (3, 4)).transpose(1, 2) for part in (self.queries, self.keys, self.values))
        return getattr(self, self.last)(((q @ k.mT / 2).softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x):
        first, second = self.names
        if not first:
            return self.attended(x)
        x = self.norm1(x + self.attended(x))
        return self.norm2(x + getattr(self, second)(getattr(self, first)(x).relu()))


def test_a_matrix_that_no_name_tells_is_the_one_that_is_left():
    assert glassbox.check("multihead", Mixing("unheard"), quiet=True)
    assert glassbox.check("encoder-block", Mixing("w_o", "wider", "narrower"), quiet=True)
    three = Mixing("unheard", "wider", "narrower")
    assert glassbox.check("encoder-block", three, quiet=True)  # by their use
    with pytest.raises(glassbox.Error, match="unheard.weight, .*wider.weight"):  # which of three?
        glassbox.trace("encoder-block", weights=three.state_dict(), heads=3)


class Alternating(nn.Module):
    """A stack whose entries are an attention and a network by turns, each behind a norm."""
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(2):
            network = nn.Sequential(nn.Sequential(nn.Linear(12, 20), nn.ReLU()), nn.Dropout(0.1), nn.Linear(20, 12))
            self.layers.extend(nn.ModuleList([nn.LayerNorm(12), part]) for part in (Mixing("to_out"), network))
        self.final_norm = nn.LayerNorm(12)

    def forward(self, x):
        for norm, part in self.layers:
            x = x + part(norm(x))
        return self.final_norm(x)


def test_a_stack_of_sublayers_is_one_of_blocks():
    assert glassbox.check("encoder", Alternating(), quiet=True)


class Convolved(nn.Module):
    def __init__(self):
        super().__init__()
        self.n_heads = 3
        self.conv_q, self.conv_k, self.conv_v, self.conv_o = (nn.Conv1d(12, 12, 1) for _ in range(4))

    def forward(self, x, c):
        q, k, v = (part(y).unflatten(1, (3, 4)).mT for part, y in ((self.conv_q, x), (self.conv_k, c), (self.conv_v, c)))
        return self.conv_o(((q @ k.mT / 2).softmax(-1) @ v).mT.flatten(1, 2))


def test_an_attention_of_convolutions_over_a_second_sequence_that_is_the_same():
    assert glassbox.check("multihead", Convolved(), quiet=True)


class OfHeads(nn.Module):
    """An attention whose parameters have an axis for the heads, as einsum takes them."""
    AXES = {"hdk": (3, 12, 4), "hkd": (3, 4, 12), "dhk": (12, 3, 4)}

    def __init__(self, axes, divisor=4, has_bias=True):
        super().__init__()
        self.axes, self.divisor, self.has_bias = axes, divisor, has_bias
        for name in ("W_Q", "W_K", "W_V"):
            setattr(self, name, nn.Parameter(torch.randn(self.AXES[axes]) / 3))
        for name in ("b_Q", "b_K", "b_V"):
            setattr(self, name, nn.Parameter(torch.zeros(3, 4)))
        self.W_O, self.b_O = nn.Parameter(torch.randn(3, 4, 12) / 3), nn.Parameter(torch.randn(12))

    def forward(self, inputs_kv, inputs_q):
        q, k, v = (torch.einsum(f"bnd,{self.axes}->bhnk", x, W) + self.has_bias * b[:, None]
                   for x, W, b in ((inputs_q, self.W_Q, self.b_Q), (inputs_kv, self.W_K, self.b_K), (inputs_kv, self.W_V, self.b_V)))
        return torch.einsum("bhnk,hkd->bnd", (q @ k.mT / self.divisor**0.5).softmax(-1) @ v, self.W_O) + self.b_O


@pytest.mark.parametrize("axes", OfHeads.AXES)
def test_parameters_with_an_axis_for_the_heads_are_matrices(axes):
    torch.manual_seed(0)
    result = glassbox.check("multihead", OfHeads(axes), quiet=True)
    assert result, result.text
    assert glassbox.check("multihead", OfHeads(axes, 1), quiet=True).mistakes == ["scaled/not-divided"]
    assert not glassbox.check("multihead", OfHeads(axes, has_bias=False), quiet=True)  # although they are 0 before


def test_what_keys_and_values_are_made_from_is_the_memory_of_cross_attention():
    torch.manual_seed(0)
    result = glassbox.check("cross-attention", OfHeads("hdk"), quiet=True)
    assert result, result.text


class OfMatrices(nn.Module):
    """A network whose parameters are its own."""
    def __init__(self, has_relu=True):
        super().__init__()
        self.W_in, self.b_in = nn.Parameter(torch.randn(12, 20)), nn.Parameter(torch.randn(20))
        self.W_out, self.b_out, self.has_relu = nn.Parameter(torch.randn(20, 12)), nn.Parameter(torch.randn(12)), has_relu

    def forward(self, x):
        hidden = x @ self.W_in + self.b_in
        return (hidden.relu() if self.has_relu else hidden) @ self.W_out + self.b_out


def test_what_goes_into_a_network_and_out_of_it_are_its_layers():
    torch.manual_seed(0)
    assert glassbox.check("feed-forward", OfMatrices(), quiet=True)
    assert "relu/not-applied" in glassbox.check("mlp", OfMatrices(False), quiet=True).mistakes
