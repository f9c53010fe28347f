"""Arrays of every kind become NumPy's, and back."""
import numpy as np
import pytest

import glassbox
from glassbox.arrays import Kind, to_numpy


def test_lists_numbers_and_whole_numbers():
    assert to_numpy([[1, 2], [3, 4]]).shape == (2, 2)
    assert to_numpy((1.5, 2)).tolist() == [1.5, 2]


@pytest.mark.parametrize("bad", [["a", "b"], [[1, 2], [3]], [1j], object()])
def test_what_is_no_array_of_numbers_is_refused(bad):
    with pytest.raises(glassbox.Error, match="mine"):
        to_numpy(bad, "mine")


def test_masked_numbers_are_refused_and_a_mask_that_hides_none_is_not():
    with pytest.raises(glassbox.Error, match="mine: 1 of its 2 numbers are masked"):
        to_numpy(np.ma.masked_array([1.5, 2], mask=[True, False]), "mine")
    assert to_numpy(np.ma.masked_array([1.5, 2], mask=[False, False])).tolist() == [1.5, 2]


def test_dlpack_alone_is_enough():
    class Foreign:
        def __init__(self, array):
            self.array, self.shape = array, array.shape

        def __dlpack__(self, **words):
            return self.array.__dlpack__(**words)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert to_numpy(Foreign(np.arange(3.0))).tolist() == [0, 1, 2]


def test_kinds_make_copies():
    array = np.ones((2, 2), np.float32)
    made = Kind("numpy", "float16").make(array)
    assert made.dtype == np.float16 and made is not array
    assert Kind("numpy", "float16").make(np.ones(2, bool)).dtype == bool
    with pytest.raises(glassbox.Error, match="framework"):
        Kind("fortran")
    with pytest.raises(glassbox.Error, match="dtype"):
        Kind("numpy", "float33").make(array)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_tensors_of_pytorch(dtype):
    torch = pytest.importorskip("torch")
    tensor = torch.tensor([[1.5, -2]], dtype=getattr(torch, dtype), requires_grad=True)
    assert to_numpy(tensor).tolist() == [[1.5, -2]]
    back = Kind.of(tensor).make(to_numpy(tensor).astype(np.float32))
    assert back.dtype == tensor.dtype and back.device == tensor.device
    assert to_numpy([torch.ones(2), torch.zeros(2)]).tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_arrays_of_jax(dtype):
    jnp = pytest.importorskip("jax.numpy")
    array = jnp.asarray([[1.5, -2]], dtype=dtype)
    assert to_numpy(array).tolist() == [[1.5, -2]]
    assert Kind.of(array).make(to_numpy(array).astype(np.float32)).dtype == array.dtype


def test_what_no_array_can_be_made_of_is_said():
    torch = pytest.importorskip("torch")
    with pytest.raises(glassbox.Error, match="torch: no array of dtype None on device nowhere can be made"):
        Kind("torch", None, "nowhere").make(np.ones(2))
    if not torch.cuda.is_available():
        with pytest.raises(glassbox.Error, match="on device cuda can be made"):
            Kind("torch", None, "cuda").make(np.ones(2))


def test_a_device_of_jax_by_its_name():
    pytest.importorskip("jax")
    assert next(iter(Kind("jax", None, "cpu:0").make(np.ones(2)).devices())).platform == "cpu"
    with pytest.raises(glassbox.Error, match="on device nowhere can be made"):
        Kind("jax", None, "nowhere").make(np.ones(2))


def test_bytes_that_numpy_keeps_of_a_kind_it_does_not_know(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(3, "V2"))
    with pytest.raises(glassbox.Error, match=r"mine: expected an array of real numbers, got \|V2"):
        to_numpy(np.load(tmp_path / "a.npy"), "mine")
