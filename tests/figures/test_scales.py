"""Colours of shares and steps of their scales."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.figures import scales

SHARES = st.floats(0, 1)


@pytest.mark.parametrize("scale", [scales.blues, scales.oranges])
def test_a_larger_share_is_darker_and_always_readable(scale):
    of = scale([0.57])
    light = [
        scales.relative_luminance(of.fill(n / 100 * of.largest)) for n in range(101)
    ]
    assert all(lighter > darker for lighter, darker in pairwise(light))
    for n, luminance in enumerate(light):
        ink = scales.relative_luminance(of.ink(n / 100 * of.largest))
        high, low = max(ink, luminance), min(ink, luminance)
        assert (high + 0.05) / (low + 0.05) >= 4.5


@given(st.lists(SHARES | st.just(float("nan")), max_size=5))
def test_a_scale_runs_in_whole_percents_from_zero_past_every_share(shares):
    steps = scales.round_steps(shares)
    assert steps[0] == 0
    assert all(not share > steps[-1] for share in shares)
    assert all(step == pytest.approx(round(100 * step) / 100) for step in steps)
    assert 2 <= len(steps) <= 7
