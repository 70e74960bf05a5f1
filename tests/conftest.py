"""What holds for all tests."""

from hypothesis import settings

settings.register_profile("foxir", deadline=None)  # how long an example takes depends on what else a machine does
settings.load_profile("foxir")
