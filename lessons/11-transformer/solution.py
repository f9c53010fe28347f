"""Lesson 11: the reference solution."""
import numpy as np

from lesson import decoder_block, encoder_block, end, linear, pad, positional_encoding, softmax, start


def scaled_rows(tokens, table):
    return table[tokens] * np.sqrt(table.shape[-1])


def with_positions(rows):
    return rows + positional_encoding(*rows.shape)


def padding_mask(n, tokens):
    """Every one of n looks at all tokens but padding."""
    return np.tile(tokens != pad, (n, 1))


def causal_and_padding_mask(tokens):
    return np.tril(padding_mask(len(tokens), tokens))


def encoder(x, w, mask):
    for block in w.encoder:
        x = encoder_block(x, block, mask)
    return x


def decoder(y, memory, w, mask, memory_mask):
    for block in w.decoder:
        y = decoder_block(y, memory, block, mask, memory_mask)
    return y


def transformer(source, sentence, w, steps):
    steps.source.scaled = scaled_rows(source, w.source_embedding)
    steps.source.positional = with_positions(steps.source.scaled)
    steps.source_mask = padding_mask(len(source), source)
    steps.memory = encoder(steps.source.positional, w, steps.source_mask)

    steps.targets = sentence[sentence != end]
    steps.labels = sentence[sentence != start]

    steps.target.scaled = scaled_rows(steps.targets, w.target_embedding)
    steps.target.positional = with_positions(steps.target.scaled)
    steps.target_mask = causal_and_padding_mask(steps.targets)
    steps.memory_mask = padding_mask(len(steps.targets), source)
    steps.decoded = decoder(steps.target.positional, steps.memory, w, steps.target_mask, steps.memory_mask)

    steps.logits = linear(steps.decoded, w.W, w.b)
    steps.softmax = softmax(steps.logits)
    steps.words = steps.softmax.argmax(axis=-1)


def translate(source, w, longest, steps):
    memory = encoder(with_positions(scaled_rows(source, w.source_embedding)), w, padding_mask(len(source), source))
    steps.translation = np.full(longest, pad)
    steps.translation[0] = start
    for n in range(1, longest):
        written = steps.translation[:n]
        decoded = decoder(
            with_positions(scaled_rows(written, w.target_embedding)),
            memory,
            w,
            causal_and_padding_mask(written),
            padding_mask(n, source),
        )
        steps.translation[n] = linear(decoded, w.W, w.b)[-1].argmax()
        if steps.translation[n] == end:
            break
