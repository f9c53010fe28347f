"""An update of Adam and of gradient descent, and a mean of parameters."""
import torch

# As the specimens set them: the t-th update, at learning rate η, with weight decay λ where there is any.
BETA1, BETA2, EPSILON, T, RATE, DECAY, MOMENTUM = 0.8, 0.95, 0.05, 3, 0.4, 0.3, 0.8


def m_before(s):
    return s.input(0) / BETA1  # the sum's first operand is β₁ m


def v_before(s):
    return s.input(0) / BETA2


def m_of(s, g):
    return BETA1 * m_before(s) + (1 - BETA1) * g


def v_of(s, squares):
    return BETA2 * v_before(s) + (1 - BETA2) * squares


def decayed(s):
    return s["g"] + DECAY * s["before"]


def average(name, before, beta, new):
    """What m and v have in common: β of before + (1 − β) of the new one."""
    return {
        f"{name}/forgets": lambda s: (1 - beta) * before(s) + beta * new(s),
        f"{name}/from-zero-each-time": lambda s: (1 - beta) * new(s),
        f"{name}/no-share": lambda s: beta * before(s) + new(s),
        f"{name}/not-decayed": lambda s: before(s) + (1 - beta) * new(s),
        f"{name}/not-updated": lambda s: before(s),
        f"{name}/replaced": lambda s: new(s),
    }


def correction(name, beta, other):
    """What m̂ and v̂ have in common."""
    of = name[0]
    return {
        f"{name}/added": lambda s: s[of] / (1 + beta**T),
        f"{name}/from-zero": lambda s: s[of] / (1 - beta ** (T - 1)),
        f"{name}/multiplied": lambda s: s[of] * (1 - beta**T),
        f"{name}/no-power": lambda s: s[of] / (1 - beta),
        f"{name}/not-corrected": lambda s: s[of],
        f"{name}/one-ahead": lambda s: s[of] / (1 - beta ** (T + 1)),
        f"{name}/other-beta": lambda s: s[of] / (1 - other**T),
        f"{name}/power-alone": lambda s: s[of] / beta**T,
    }


def adam_step(direction):
    return lambda s: s["before"] - RATE * direction(s)


def adamw_step(decay):
    return lambda s: s["before"] - RATE * (right_direction(s) + decay(s["before"]))


def right_direction(s):
    return s["m_hat"] / (s["v_hat"].sqrt() + EPSILON)


def averaged(s):
    """The mean so far, the newest parameters and their number: the sum is of mean and (w − mean) / n."""
    n = 3 if s.path == "mean#2" else 2
    mean = s.input(0)
    return mean, mean + n * s.input(1), n


def of_mean(line):
    return lambda s: line(*averaged(s))


LINES = {
    **average("m", m_before, BETA1, lambda s: s["g"]),
    "m/exchanged": lambda s: BETA2 * m_before(s) + (1 - BETA2) * s["g"],
    "m/l2": lambda s: m_of(s, decayed(s)),
    "m/l2-for-decay": (lambda s: m_of(s, decayed(s)), lambda s: v_of(s, decayed(s) ** 2), adamw_step(lambda w: 0)),
    "m/not-clipped": lambda s: m_of(s, s["gradient"]),
    "m/sign": lambda s: BETA1 * m_before(s) - (1 - BETA1) * s["g"],
    **correction("m_hat", BETA1, BETA2),
    "m_hat/neither-corrected": (lambda s: s["m"], lambda s: s["v"]),
    "m_hat/nesterov": lambda s: (BETA1 * s["m"] + (1 - BETA1) * s["g"]) / (1 - BETA1**T),
    **average("v", v_before, BETA2, lambda s: s["g"] ** 2),
    "v/absolute": lambda s: v_of(s, s["g"].abs()),
    "v/around-m": lambda s: v_of(s, (s["g"] - s["m"]) ** 2),
    "v/exchanged": lambda s: BETA1 * v_before(s) + (1 - BETA1) * s["g"] ** 2,
    "v/never-smaller": lambda s: torch.maximum(v_before(s), v_of(s, s["g"] ** 2)),
    "v/no-square": lambda s: v_of(s, s["g"]),
    "v/not-clipped": lambda s: v_of(s, s["gradient"] ** 2),
    "v/of-m": lambda s: v_of(s, s["m"] ** 2),
    "v/one-for-all": lambda s: v_of(s, s["g"] ** 2).mean().expand_as(s["g"]),
    "v/rate-squared": lambda s: v_of(s, (1 - BETA2) * s["g"] ** 2),
    "v/sum": lambda s: v_before(s) + s["g"] ** 2,
    **correction("v_hat", BETA2, BETA1),
    "w/ascent": adam_step(lambda s: -right_direction(s)),
    "w/ascent-with-decay": lambda s: s["before"] + RATE * (right_direction(s) + DECAY * s["before"]),
    "w/epsilon-before-correction": adam_step(
        lambda s: s["m_hat"] / (s["v"].sqrt() + EPSILON) * (1 - BETA2**T) ** 0.5),
    "w/epsilon-inside": adam_step(lambda s: s["m_hat"] / (s["v_hat"] + EPSILON).sqrt()),
    "w/epsilon-subtracted": adam_step(lambda s: s["m_hat"] / (s["v_hat"].sqrt() - EPSILON)),
    "w/epsilon-twice": adam_step(lambda s: s["m_hat"] / ((s["v_hat"] + EPSILON).sqrt() + EPSILON)),
    "w/hats-forgotten": adam_step(lambda s: s["m"] / (s["v"].sqrt() + EPSILON)),
    "w/multiplied": adam_step(lambda s: s["m_hat"] * (s["v_hat"].sqrt() + EPSILON)),
    "w/no-average": adam_step(lambda s: 1 / (s["v_hat"].sqrt() + EPSILON)),
    "w/step-alone": lambda s: s["before"] - s.right,
    "w/no-epsilon": adam_step(lambda s: s["m_hat"] / s["v_hat"].sqrt()),
    "w/no-m": adam_step(lambda s: s["g"] / (s["v_hat"].sqrt() + EPSILON)),
    "w/no-rate": lambda s: s["before"] - right_direction(s),
    "w/no-root": adam_step(lambda s: s["m_hat"] / (s["v_hat"] + EPSILON)),
    "w/no-step": lambda s: s["before"],
    "w/no-v": adam_step(lambda s: s["m_hat"]),
    "w/decay-after": lambda s: (1 - RATE * DECAY) * (s["before"] - RATE * right_direction(s)),
    "w/decay-after-without-rate": lambda s: (1 - DECAY) * (s["before"] - RATE * right_direction(s)),
    "w/decay-divided": adam_step(lambda s: (s["m_hat"] + DECAY * s["before"]) / (s["v_hat"].sqrt() + EPSILON)),
    "w/decay-grows": adamw_step(lambda w: -DECAY * w),
    "w/decay-of-sizes": adamw_step(lambda w: DECAY * w.sign()),
    "w/decay-without-rate": lambda s: s["before"] - RATE * right_direction(s) - DECAY * s["before"],
    "w/decay-without-weight": adamw_step(lambda w: DECAY),
    "w/no-decay": adamw_step(lambda w: 0),
    "w/twice-the-decay": adamw_step(lambda w: 2 * DECAY * w),
    "step/ascent": lambda s: s["before"] + RATE * s["m"],
    "step/gradient-alone": lambda s: s["before"] - RATE * s["g"],
    "step/nesterov": lambda s: s["before"] - RATE * (MOMENTUM * s["m"] + s["g"]),
    "step/no-rate": lambda s: s["before"] - s["m"],
    "step/no-step": lambda s: s["before"],
    "velocity/all-kept": lambda s: s.input(0) / MOMENTUM + s["g"],
    "velocity/dampened": lambda s: s.input(0) + (1 - MOMENTUM) * s["g"],
    "velocity/exchanged": lambda s: s.input(0) / MOMENTUM + MOMENTUM * s["g"],
    "velocity/no-momentum": lambda s: s["g"],
    "velocity/sign": lambda s: s.input(0) - s["g"],
    "average/all-divided": of_mean(lambda mean, w, n: (mean + w) / n),
    "average/exponential": of_mean(lambda mean, w, n: torch.lerp(mean, w, 0.1)),
    "average/half": of_mean(lambda mean, w, n: (mean + w) / 2),
    "average/newest": of_mean(lambda mean, w, n: w),
    "average/no-difference": of_mean(lambda mean, w, n: mean + w / n),
    "average/oldest": of_mean(lambda mean, w, n: mean),
    "average/one-ahead": of_mean(lambda mean, w, n: mean + (w - mean) / (n + 1)),
    "average/one-behind": of_mean(lambda mean, w, n: mean + (w - mean) / (n - 1)),
    "average/sign": of_mean(lambda mean, w, n: mean - (w - mean) / n),
    "average/sum": of_mean(lambda mean, w, n: mean + w),
}
