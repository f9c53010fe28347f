"""Arrays of NumPy, PyTorch, JAX and what else can become one, to NumPy and back. No framework is imported before an
array or a function of its own is there."""
import contextlib
import importlib
import sys

import numpy as np

from .errors import Error

FRAMEWORKS = ("numpy", "torch", "jax")


def framework_of(value):
    """The framework whose array this is: numpy, torch, jax, or None."""
    for kind in type(value).__mro__:
        root = kind.__module__.partition(".")[0]
        if root in ("jax", "jaxlib"):
            return "jax"
        if root in ("torch", "numpy"):
            return root
    return None


def is_array(value):
    """Whether it has numbers along axes: no list, no single number, no word."""
    return hasattr(value, "shape") and (hasattr(value, "__array__") or hasattr(value, "__dlpack__"))


ROUNDING = 1e-9  # of a complex array's imaginary part, relative to the largest number: what a Fourier transform leaves


def is_number(value):
    """One number, of Python or NumPy."""
    return isinstance(value, (int, float, complex, np.number)) or (is_array(value) and np.shape(value) == ())


def plain(array, name):
    """Bool, int and float kinds as they are; bfloat16 and its like, which NumPy has no type for, as float32. What holds
    real numbers in another type, complex with an imaginary part of 0 or objects, as doubles."""
    if array.dtype.kind in "biu" or (array.dtype.kind == "f" and array.dtype.itemsize <= 8):
        return array
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    if array.dtype.kind == "c":
        size = np.abs(array.real)
        if np.all(np.abs(array.imag) <= ROUNDING * np.max(size[np.isfinite(size)], initial=0)):
            return array.real.astype(np.float64)
    if array.dtype.kind == "O" and all(is_number(each) for each in array.flat):
        return array.astype(np.float64)
    if array.dtype.kind == "V" and array.dtype.names is None:
        with contextlib.suppress(TypeError, ValueError):  # bytes that NumPy read: it keeps no bfloat16 in a file
            return array.astype(np.float32)
    raise Error(f"{name}: expected an array of real numbers, got {array.dtype}")


def to_numpy(value, name="array"):
    """Anything with numbers as a NumPy array."""
    if np.ma.is_masked(value):  # NumPy would give back what is under the mask
        raise Error(f"{name}: {np.ma.count_masked(value)} of its {np.size(value)} numbers are masked; expected an "
                    "array without a mask: .filled(0) replaces them")
    kind = framework_of(value)
    if np.ma.is_masked(value):
        raise Error(f"{name}: {np.ma.count_masked(value)} of its {np.ma.size(value)} numbers are masked: submit all of "
                    "them, as .filled(…) or .data has them")
    try:
        if kind == "torch":
            torch = sys.modules["torch"]
            value = value.detach().cpu()
            value = value.to_dense() if value.layout != torch.strided else value
            value = value.float() if value.dtype == torch.bfloat16 else value
            array = value.resolve_neg().numpy()
        elif isinstance(value, (list, tuple)) and any(is_array(each) for each in value):
            array = np.stack([to_numpy(each, name) for each in value])
        elif not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
            array = np.from_dlpack(value)
        else:
            array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as problem:
        raise Error(f"{name}: no array can be made of {type(value).__name__}: {problem}") from None
    return plain(array, name)


class Kind:
    """A framework with a dtype and a device: what a function's arrays are made as."""
    def __init__(self, framework="numpy", dtype=None, device=None):
        if framework not in FRAMEWORKS:
            raise Error(f"framework: expected numpy, torch or jax, got {framework!r}")
        self.framework, self.dtype, self.device = framework, dtype, device

    @classmethod
    def of(cls, value):
        """That of an array."""
        framework = framework_of(value)
        if framework == "torch":
            return cls("torch", value.dtype, value.device)
        if framework == "jax":
            return cls("jax", value.dtype, next(iter(value.devices())) if hasattr(value, "devices") else None)
        return cls("numpy", getattr(value, "dtype", None))

    def module(self):
        try:
            return importlib.import_module(self.framework)
        except ImportError:
            raise Error(f"framework: {self.framework} is not installed here") from None

    def named_dtype(self):
        """The dtype, which may have been given by name; None for that of the numbers."""
        if not isinstance(self.dtype, str):
            return self.dtype
        if self.framework == "torch":
            dtype = getattr(self.module(), self.dtype, None)
        else:
            scope = importlib.import_module("jax.numpy") if self.framework == "jax" else np
            dtype = getattr(scope, self.dtype, None)
        if dtype is None:
            raise Error(f"dtype: {self.framework} has no dtype {self.dtype!r}")
        return dtype

    def is_half(self):
        return str(self.dtype).rpartition(".")[2].strip("'>") in ("float16", "bfloat16", "half")

    def make(self, array):
        """A copy of the NumPy array, of this kind. Whole numbers and masks keep their own dtype."""
        array = np.array(array)
        dtype = self.named_dtype() if array.dtype.kind == "f" else None
        try:
            return self._made(array, dtype)
        except (TypeError, ValueError, RuntimeError, AssertionError) as problem:
            raise Error(f"{self.framework}: no array of dtype {self.dtype} on device {self.device} can be made: "
                        f"{str(problem).splitlines()[0]}") from None

    def _made(self, array, dtype):
        if self.framework == "torch":
            torch = self.module()
            if array.dtype.kind == "u" or array.dtype.kind == "i":
                array = array.astype(np.int64)
            return torch.from_numpy(array).to(device=self.device, dtype=dtype)
        if self.framework == "jax":
            jax = self.module()
            made = jax.numpy.asarray(array, dtype=dtype)
            if self.device is None:
                return made
            named = isinstance(self.device, str)  # "cpu", "gpu:1"
            kind, _, place = self.device.partition(":") if named else ("", "", "")
            return jax.device_put(made, jax.devices(kind)[int(place or 0)] if named else self.device)
        return array if dtype is None else array.astype(dtype)
