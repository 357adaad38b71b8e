"""What numba-cuda's own tests expect of the pytest configuration that its repository has and its package lacks."""

import pytest


@pytest.fixture
def initialize_from_pytest_config(request):
    """Where files that a failed check looked at would be written: nowhere."""
    if request.cls is not None:
        request.cls._dump_failed_filechecks = False
