"""The parameters of golden.npz as exercise.py sees them: w.W_qkv, w.self_attn.W_O, … As PyTorch lays them out, one row
of a W for each number of the result; d_h = d_model / heads is the width of one head.

    attention       w.heads, w.W_qkv (3·d_model, width of x), w.b_qkv, w.W_O (d_model, d_model), w.b_O
                    rows of W_qkv: head 0's q, k, v, then head 1's q, k, v, … of d_h each
    norm            w.gamma, w.beta (d_model)
    feed-forward    w.W_1 (d_ff, d_model), w.b_1, w.W_2 (d_model, d_ff), w.b_2
    encoder block   w.self_attn, w.mlp, w.norm1, w.norm2
    decoder block   w.self_attn, w.cross_attn, w.mlp, w.norm1, w.norm2, w.norm3
"""
from types import SimpleNamespace as Weights


def whole(array):
    """Tokens, places and sizes are whole numbers."""
    return array.astype(int) if array.ndim else int(array)


def attention_weights(golden, path=""):
    return Weights(
        heads=whole(golden["heads"]),
        W_qkv=golden[path + "qkv_proj.weight"],
        b_qkv=golden[path + "qkv_proj.bias"],
        W_O=golden[path + "o_proj.weight"],
        b_O=golden[path + "o_proj.bias"],
    )


def norm_weights(golden, path):
    return Weights(gamma=golden[path + "weight"], beta=golden[path + "bias"])


def feed_forward_weights(golden, path):
    return Weights(
        W_1=golden[path + "0.weight"],
        b_1=golden[path + "0.bias"],
        W_2=golden[path + "3.weight"],
        b_2=golden[path + "3.bias"],
    )


def encoder_block_weights(golden, path=""):
    return Weights(
        self_attn=attention_weights(golden, path + "self_attn."),
        mlp=feed_forward_weights(golden, path + "linear_net."),
        norm1=norm_weights(golden, path + "norm1."),
        norm2=norm_weights(golden, path + "norm2."),
    )


def decoder_block_weights(golden, path=""):
    w = encoder_block_weights(golden, path)
    w.cross_attn = attention_weights(golden, path + "cross_attn.")
    w.norm3 = norm_weights(golden, path + "norm3.")
    return w


def stack(golden, path, block_weights):
    """Of the blocks path.0., path.1., …: as many as there are."""
    count = 0
    while f"{path}.{count}.norm1.weight" in golden:
        count += 1
    return [block_weights(golden, f"{path}.{i}.") for i in range(count)]


def predictor_weights(golden):
    """w.W_in, w.b_in; w.encoder, one block; w.W_1, w.b_1, w.norm, w.W_2, w.b_2 of the output network."""
    return Weights(
        W_in=golden["input_net.1.weight"],
        b_in=golden["input_net.1.bias"],
        encoder=encoder_block_weights(golden, "transformer.layers.0."),
        W_1=golden["output_net.0.weight"],
        b_1=golden["output_net.0.bias"],
        norm=norm_weights(golden, "output_net.1."),
        W_2=golden["output_net.4.weight"],
        b_2=golden["output_net.4.bias"],
    )


def transformer_weights(golden):
    return Weights(
        source_embedding=golden["source_embedding.weight"],
        target_embedding=golden["target_embedding.weight"],
        encoder=stack(golden, "encoder.layers", encoder_block_weights),
        decoder=stack(golden, "decoder.layers", decoder_block_weights),
        W=golden["generator.weight"],
        b=golden["generator.bias"],
    )
