"""Named steps in Python, the counterpart of the library's Trace, Scope and named(), for PyTorch and JAX.

A step's gradient is that of what is computed from it under this name: x as "x" of one layer has another gradient than x as
a whole, which a residual goes around.
"""
import contextlib

import numpy as np

recording = None  # the active Steps, or None


class Steps:
    def __init__(self, keep):
        self.keep, self.path, self.values = keep, [], {}  # keep(path, value) returns the value to continue with

    def __enter__(self):
        global recording
        self.outer, recording = recording, self
        return self

    def __exit__(self, *_):
        global recording
        recording = self.outer


def named(name, value):
    if recording is None:
        return value
    path = "/".join(recording.path + [name])
    assert path not in recording.values, path
    recording.values[path] = recording.keep(path, value)
    return recording.values[path]


@contextlib.contextmanager
def scope(*parts):
    if recording is None:
        yield
        return
    recording.path += [str(part) for part in parts]
    yield
    del recording.path[-len(parts):]


def is_float(value):
    return np.dtype(str(value.dtype).replace("torch.", "")).kind == "f"


def by_torch(run, weights, inputs, draw):
    """run(inputs) in PyTorch: the output, w = draw(its shape), every step, and d sum(output * w) by steps, weights, inputs."""
    import torch

    def keep(path, value):
        if not is_float(value):
            return value
        value = value.view_as(value) if value.requires_grad else value.clone().requires_grad_(True)
        value.retain_grad()
        return value

    inputs = {name: torch.from_numpy(value) for name, value in inputs.items()}
    for value in inputs.values():
        value.requires_grad_(is_float(value))
    with Steps(keep) as steps:
        output = run(inputs)
    w = draw(tuple(output.shape))
    (output * torch.from_numpy(w)).sum().backward()
    gradients = lambda values: {name: value.grad.numpy() for name, value in values.items() if value.grad is not None}
    values = {path: value.detach().numpy() for path, value in steps.values.items()}
    return values, gradients(steps.values), gradients(weights), gradients(inputs), w


def by_jax(run, weights, inputs, draw):
    """The same for run(weights, inputs) in JAX, where steps are perturbed by zeros, the variables of the gradient."""
    import jax
    import jax.numpy as jnp

    inputs = {name: jnp.asarray(value) for name, value in inputs.items()}

    @jax.jit
    def traced(weights, inputs):
        with Steps(lambda path, value: value) as steps:
            output = run(weights, inputs)
        paths[:] = steps.values  # jit sorts its outputs
        return output, steps.values

    paths = []
    output, values = traced(weights, inputs)
    w = draw(output.shape)
    floats = {name: value for name, value in inputs.items() if is_float(value)}
    nudges = {path: jnp.zeros_like(value) for path, value in values.items() if is_float(value)}

    @jax.jit
    def loss(weights, floats, nudges):
        with Steps(lambda path, value: value + nudges[path] if path in nudges else value):
            return (run(weights, {**inputs, **floats}) * w).sum()

    of_weights, of_inputs, of_steps = jax.grad(loss, argnums=(0, 1, 2))(weights, floats, nudges)
    of_steps.pop("softmax", None)  # nothing depends on it
    numpy = lambda values: {name: np.asarray(value) for name, value in values.items()}
    values, of_steps, of_inputs = numpy({path: values[path] for path in paths}), numpy(of_steps), numpy(of_inputs)
    jax.clear_caches()  # every case is different
    return values, of_steps, of_weights, of_inputs, w
