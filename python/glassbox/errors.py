"""The one exception that this module raises, and how little of the way to it is shown."""
import functools


class Error(Exception):
    """Something that was asked for cannot be done; the message is the command's own where it comes from there."""
    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code  # the command's exit code: 2 wrong usage, 3 a bad input, 4 reading or writing failed


class WrongNumbers(Error):
    """A check that was asked to raise has found something wrong."""
    def __init__(self, result):
        super().__init__(result.text, 1)
        self.result = result


def briefly(function):
    """The function, whose errors are raised at its call: the way through this module's files tells a caller nothing."""
    @functools.wraps(function)
    def wrapped(*arguments, **keywords):
        try:
            return function(*arguments, **keywords)
        except Error as problem:
            raise problem.with_traceback(None) from None
    return wrapped
