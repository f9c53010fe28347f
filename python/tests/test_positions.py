"""Functions and modules that make positions, which have their sizes in themselves or are told them by any name."""
import math

import numpy as np
import pytest

import glassbox

torch = pytest.importorskip("torch")
nn = torch.nn


def table(rows, width, divisor=1):
    angles = np.arange(rows)[:, None] * 10000.0**(-np.arange(0, width, 2) // divisor / width)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(rows, width)


class Added(nn.Module):
    def __init__(self, rows, width, divisor=1):
        super().__init__()
        self.register_buffer("pe", torch.tensor(table(rows, width, divisor)).float()[None])

    def forward(self, x):
        return x + self.pe[:, :x.shape[1]]


class AllRowsAdded(Added):
    def forward(self, x):
        return x + self.pe


class ForX(Added):
    def forward(self, x):
        return self.pe[0, :x.shape[1]]


class Given(Added):
    def forward(self):
        return self.pe


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(table(20, 6)).float(), requires_grad=False)

    def forward(self, x):
        return x + self.weight[:x.shape[1]]


class Computed:
    def __init__(self):
        self.d_model, self.max_sequence_length = 10, 7

    def forward(self):
        return table(self.max_sequence_length, self.d_model)


@pytest.mark.parametrize("given", [Added(50, 16), Added(3, 6), ForX(50, 16), Given(9, 6), Frozen(), Computed().forward])
def test_the_sizes_of_a_module_are_those_of_its_table_and_its_attributes(given):
    result = glassbox.check("positional", given, quiet=True)
    assert result, result.text


def test_a_mistake_in_a_table_of_another_width_has_its_name():
    assert glassbox.check("positional", Added(50, 16, 2), quiet=True).mistakes == ["encoding/exponent-halved"]


def test_a_table_of_which_every_row_is_added_is_given_as_many_positions():
    result = glassbox.check("positional", AllRowsAdded(9, 6), quiet=True)
    assert result and "9" in " ".join(result.remarks), result.text


@pytest.mark.parametrize("names", ["T, num_units", "seq_len, emb_size", "n_position, d_hid", "T, unheard", "unheard, d_model",
                                   "unheard, of"])
def test_sizes_of_positions_are_numbers_by_whatever_name(names):
    for divisor, mistakes in ((1, []), (2, ["encoding/exponent-halved"])):
        function = eval(f"lambda {names}: table({names}, {divisor})", {"table": table})
        result = glassbox.check("positional", function, quiet=True)
        assert result.mistakes == mistakes and bool(result) is not bool(mistakes), result.text


def test_what_a_width_by_default_means_is_found():
    result = glassbox.check("positional", lambda seq_len, unheard=512: table(seq_len, unheard), quiet=True)
    assert result and result.remarks == ["its parameter unheard is read as dmodel"], result.text


class Learned(nn.Module):
    def __init__(self, of=slice(None)):
        super().__init__()
        self.table, self.of = nn.Parameter(torch.randn(1, 20, 6)), of

    def forward(self, x):
        return x + self.table[:, self.of][:, :x.shape[1]]


def test_a_table_that_is_a_parameter_is_learned():
    result = glassbox.check("positional", Learned(), quiet=True)
    assert result and result.remarks == ["read with learned=True: its table is a parameter"], result.text
    assert not glassbox.check("positional", Learned(slice(1, None)), quiet=True)


def test_what_was_added_to_x_is_judged_by_itself():
    class Positions(nn.Module):
        """In float32, in which the sine of a large angle has an error of its own."""
        def __init__(self, turns=1):
            super().__init__()
            position, powers = torch.arange(50).unsqueeze(1), torch.exp(torch.arange(0, 12, 2) * -(math.log(1e4) / 12))
            self.register_buffer("pe", torch.stack([torch.sin(position / powers), torch.cos(position / powers)], -1).flatten(1)[None] * turns)

        def forward(self, x):
            return x + self.pe[:, :x.shape[1]]

    assert glassbox.check("positional", Positions(), quiet=True).mistakes == ["encoding/multiplied"]
    assert not glassbox.check("positional", Positions(0.3), quiet=True).mistakes
