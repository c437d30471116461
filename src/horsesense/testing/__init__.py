"""What plug-ins are tested with; part of the public surface.

`conformance`: `check_probe`, `check_measure` and `check_reader`; `models`: `check_model`; `faults`:
a server that misbehaves on purpose; `gates`: `assert_gate`, for tests of a model. Each check raises
AssertionError with a sentence.
"""
