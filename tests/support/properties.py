"""Property tests on a machine that may be busy: neither deadlines nor slow draws are failures."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
