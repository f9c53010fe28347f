"""Gradient descent whose velocity has the rate in it: a usual right form, unless the step is multiplied by the rate again."""
from .calling import NEAR_ENOUGH
from .steps_of import looks_like

RATE_TWICE = "the rate is applied twice: it is in the velocity, and multiplies the step again"


def is_unnamed(result):
    """Whether it is wrong, and no mistake is known that gives its step: at most another formula."""
    return not result and not result.is_named


def keeps_velocity(call, taken):
    """Whether its velocity is right as it is read."""
    return any("m" in steps and looks_like(steps["m"], call.right["m"] / (call.rate_in_velocity or 1)) < NEAR_ENOUGH for _, steps in taken)


def is_rate_twice(before, after, velocity, rate):
    """Whether a step is a velocity, without the rate, times the rate and the rate again."""
    return after is not None and after.shape == before.shape and looks_like(abs(before - after), rate**2 * abs(velocity)) < NEAR_ENOUGH


def says_twice(call, steps):
    """The same of a call whose velocity is read as having the rate in it."""
    rate = float(call.option("rate"))
    velocity = call.right["m"] / call.rate_in_velocity
    return is_rate_twice(call.case.inputs["before"], steps.get("w", steps.get("")), velocity, rate)
