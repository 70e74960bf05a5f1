"""What holds for all tests.

Hypothesis draws the same examples in every run, so that a run tells of a change and not of a draw; `FOXIR_SOAK=1`
(as `make soak` sets it) draws new ones. It has no deadline: how long an example takes depends on what else a machine
does.
"""

from hypothesis import settings

from tests.trust.soak import SOAKING

settings.register_profile("foxir", deadline=None, derandomize=not SOAKING)
settings.load_profile("foxir")
