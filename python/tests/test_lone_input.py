"""A function's parameter that has the name of something else: what it takes, and what is said where it fails."""
import math

import numpy as np
import pytest

import glassbox

OF_ONE_INPUT = {"log-softmax": "{x} - {x}.max(-1, keepdims=True) - np.log(np.exp({x} - {x}.max(-1, keepdims=True)).sum(-1, keepdims=True))",
                "layer-norm": "({x} - {x}.mean(-1, keepdims=True)) / np.sqrt({x}.var(-1, keepdims=True) + 1e-5)",
                "clip": "{x} * min(1, 1 / np.sqrt(({x}**2).sum()))"}


def made(name, text):
    scope = {"np": np}
    exec(f"def f({name}):\n    return {text.format(x=name)}", scope)
    return scope["f"]


@pytest.mark.parametrize("name", ["rows", "seq", "classes", "t", "p", "theta", "weights", "mask", "heads", "training", "axis", "scale", "c"])
@pytest.mark.parametrize("layer", OF_ONE_INPUT)
def test_a_lone_parameter_takes_the_input_whatever_it_is_called(layer, name):
    result = glassbox.check(layer, made(name, OF_ONE_INPUT[layer]), quiet=True)
    assert result, result.text


def test_a_lone_parameter_may_be_read_as_lists():
    def log_softmax(rows):
        found = []
        for row in rows:
            top = max(row)
            total = top + math.log(math.fsum(math.exp(each - top) for each in row))
            found.append([each - total for each in row])
        return np.array(found)
    assert glassbox.check("log-softmax", log_softmax, quiet=True)


def test_beside_a_matrix_the_size_is_the_input():
    def linear(rows, W, b):
        return rows @ W.T + b
    assert glassbox.check("linear", linear, quiet=True)


def test_what_fails_as_a_number_is_tried_as_an_input():
    def encode(seq):
        width = seq.shape[-1]
        angles = np.arange(seq.shape[-2])[:, None] * 1e4**(-np.arange(0, width, 2) / width)
        return seq + np.stack([np.sin(angles), np.cos(angles)], -1).reshape(-1, width)

    def write(table, start, n):
        written = list(np.ravel(start[0]))
        for _ in range(n):
            written.append(int(table[written[-1]].argmax()))
        return written
    for layer, function, said in (("positional", encode, "its parameter seq is read as x"), ("decode", write, "start is read as prompt")):
        result = glassbox.check(layer, function, quiet=True)
        assert result and said in result.text, result.text


def test_what_fails_as_an_input_is_tried_as_a_size():
    def encode(x, d):
        angles = np.arange(x)[:, None] * 1e4**(-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(x, -1)

    def causal(sequence):
        return np.tril(np.ones((sequence, sequence)))
    for layer, function, said in (("positional", encode, "its parameter x is read as seq"), ("mask", causal, "sequence is read as seq")):
        result = glassbox.check(layer, function, quiet=True)
        assert result and said in result.text, result.text


def test_a_size_that_is_meant_stays_one():
    def encode(seq, d_model):
        angles = np.arange(seq)[:, None] * 1e4**(-np.arange(0, d_model, 2) / d_model)
        return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(seq, -1)

    def causal(n):
        return np.tril(np.ones((n, n)))
    assert glassbox.check("positional", encode, quiet=True) and glassbox.check("mask", causal, quiet=True)


def test_a_failure_says_what_the_function_was_called_with():
    def write(table, prompt, n):
        raise ValueError("no")
    text = glassbox.check("decode", write, tokens=4, quiet=True).text
    assert "It was called with table of shape (7, 7), prompt of shape (1, 2), n = 4; arguments={…} says" in text, text
