"""Glassbox beside a course's own tests: what `pytest --glassbox`, `--glassbox-serve` and `--glassbox-audit` are made of.

mapping.py   which function of a course is which layer of the command
calls.py     a call of such a function, as the words and arrays that the command takes
watching.py  puts a wrapper in the place of a function, wherever its name has been imported
verdicts.py  what the command says of a call
serving.py   the command's numbers in the place of the function's
audit.py     which of the catalogue's mistakes a course's tests let through
reports.py   the files that are written
"""
