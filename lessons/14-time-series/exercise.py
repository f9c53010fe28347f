"""Lesson 14: your work. Fill in the steps in order, and ask after each whether it is right:

    ./dev lesson 14

lesson.py, beside this file, says what goes in, what is to come out, and what is given.
"""
import numpy as np

from lesson import encoded, for_test, for_training, linear, no_window


def standardise(series, setting, steps):
    # 1  mean, deviation: of which values?

    # 2  scaled: the whole series
    ...


def cut(setting, steps):
    # 3  part: the window whose last known value is number t has the targets t + 1 … t + H. All of them are
    #    training values: for_training. None of them is: for_test. Else, or where there is no whole window:
    #    no_window.

    # 4  training.x, training.targets, test.x, test.targets: a row for each such t
    ...


def baselines(setting, W, b, steps):
    # 5  last, seasonal: of each row of steps.test.x. The horizon may be longer than the season.

    # 6  linear: one line with what is given

    # 7  stepwise: row 0 of W and b gives the next value. The window moves on by one, and that value is its
    #    newest; then again, H times.
    ...


def forecast(tau, w, steps):
    # 8  time2vec: the first of its k numbers is linear in tau, the others are sines

    # 9  input: beside each value what the time is

    # 10 head: what the output layer, w.W_out and w.b_out, makes of the last row of encoded(…)
    ...


def measure(series, setting, steps):
    # 11 forecasts: all five, in the units of the series

    # 12 mae, rmse: compared with what came, in the same units

    # 13 scale: the mean of |series[t] - series[t - season]| over the training part. mase: mae in this unit.
    ...
