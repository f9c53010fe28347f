"""Lesson 14: what exercise.py works with.

    series (T)  T values, evenly spaced in time
    setting     setting.training: values 0 … training - 1 of the series are for training, all others for the test
                setting.window: L; setting.horizon: H; setting.season: after so many steps the season repeats; at most L
    W (H, L), b (H)  the linear model that was fitted to the windows for training
    tau (L)     when each place of a window was measured, in steps since the last one: …, -2, -1, 0
    w           w.omega, w.phi (k); w.W_out (H, d_model), w.b_out; the rest is for encoded(…)
Given, from earlier lessons:
    linear(x, W, b): x Wᵀ + b, each row of x on its own
    encoded(input, w): the input network and the encoder blocks; (…, L, 1 + k) → (…, L, d_model)

What the lesson asks for, step by step; each is empty until you give it a value. There are M windows for the test.
The series around 0, with deviations of about 1, standardise:
    steps.mean, deviation  numbers      of the training part
    steps.scaled           (T)          the whole series: minus the mean, by the deviation
What is known, and what comes after it, cut; this and the others are called after it, with the same steps:
    steps.part             (T)          what the window is for whose last known value is number t
    steps.training.x       (windows, L) what is known: the last L values, oldest first; of scaled
    steps.training.targets (windows, H) what is to be forecast: the H values that follow
    steps.test.x, test.targets          likewise
Forecasts of test.x that need no Transformer, baselines:
    steps.last             (M, H)       the last known value, H times
    steps.seasonal         (M, H)       the value of the same place in the last known season
    steps.linear           (M, H)       weighted sums of the window
    steps.stepwise         (M, H)       only the next value, by row 0 of W; then forecast from that, and so on
What a Transformer makes of test.x, forecast:
    steps.time2vec         (L, k)       ω_0 τ + φ_0, then sin(ω_j τ + φ_j)
    steps.input            (M, L, 1 + k)  at each place of a window its value, then its time2vec
    steps.head             (M, H)       H numbers from the last place of what the encoder gives
In the series' own units again, and how far off they are, measure:
    steps.forecasts        (5, M, H)    last, seasonal, linear, stepwise, head
    steps.mae, rmse        (5)          of each, over all windows and steps ahead
    steps.scale            a number     what repeating the season costs in the training part
    steps.mase             (5)          mae, measured in scale
"""
from given import encoder_block, linear
from weights import Weights, encoder_block_weights, stack, whole

no_window, for_training, for_test = 0, 1, 2  # what a window is for, in steps.part


def encoded(input, w):
    h = linear(input, w.W_in, w.b_in)
    for block in w.encoder:
        h = encoder_block(h, block)
    return h


def call(exercise, golden, steps):
    series = golden["series"]
    setting = Weights(**{name: whole(golden[name]) for name in ["training", "window", "horizon", "season"]})
    w = Weights(
        omega=golden["omega"],
        phi=golden["phi"],
        W_in=golden["input_net.weight"],
        b_in=golden["input_net.bias"],
        encoder=stack(golden, "encoder.layers", encoder_block_weights),
        W_out=golden["output_net.weight"],
        b_out=golden["output_net.bias"],
    )
    exercise.standardise(series, setting, steps)
    exercise.cut(setting, steps)
    exercise.baselines(setting, golden["linear.weight"], golden["linear.bias"], steps)
    exercise.forecast(golden["tau"], w, steps)
    exercise.measure(series, setting, steps)
