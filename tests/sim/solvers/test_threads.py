import numpy as np
import pytest

from cloth_samples import edge_stretch, empty_space, lying, sheet
from toile.core.errors import ToileError
from toile.core.records import Edge, Panel, Pattern, State
from toile.garment.build import build
from toile.sim.solvers.cloth_arrays import slack_threads
from toile.sim.solvers.constraints import corner_uv, give, mean_edge
from toile.sim.solvers.threads import SPAN, long_threads
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver


def outline(corners: list[tuple[float, float]]) -> Pattern:
    count = len(corners)
    panel = Panel("piece", np.array(corners), tuple(Edge(i, (i + 1) % count) for i in range(count)))
    return Pattern("piece", (panel,))


def test_threads_run_two_edges_along_weft_and_warp() -> None:
    garment = build(outline([(0, 0), (0.4, 0), (0.4, 0.4), (0, 0.4)]), "cotton", 0.02)
    edge = mean_edge(garment)
    pairs, rest = long_threads(garment, corner_uv(garment), edge)
    way = garment.uv[pairs[:, 1]] - garment.uv[pairs[:, 0]]  # nothing is sewn: particle i is flat point i
    np.testing.assert_allclose(np.linalg.norm(way, axis=1), rest)
    assert np.abs(rest / edge - SPAN).max() <= 0.5
    # off its thread by half an edge at most
    assert np.abs(way).min(axis=1).max() <= 0.5 * edge
    # nearly every particle inside begins or ends four of them
    assert len(pairs) > 1.6 * garment.particle_count


def test_no_thread_crosses_a_bay_of_the_outline() -> None:
    # a slot as wide as a long thread, open at the top
    slot = [(0, 0), (0.3, 0), (0.3, 0.3), (0.17, 0.3), (0.17, 0.1), (0.13, 0.1), (0.13, 0.3), (0, 0.3)]
    garment = build(outline(slot), "cotton", 0.02)
    pairs, _ = long_threads(garment, corner_uv(garment), mean_edge(garment))
    ends = garment.uv[pairs]
    across = (ends[..., 0].min(axis=1) < 0.1301) & (ends[..., 0].max(axis=1) > 0.1699)
    assert not (across & (ends[..., 1].min(axis=1) > 0.125)).any()


def test_limits_threads_and_a_head_start_each_keep_cloth_from_stretching() -> None:
    # a sheet held along its top: limits and threads against none, a head start against none
    garment = sheet(40, 24, 0.4, 0.24)
    x = lying(garment)

    def worst(levels: int, head_start: float) -> float:
        settings = XpbdSettings(levels=levels, head_start=head_start, substep=1 / 600, self_collision=False)
        solver = XpbdSolver(garment, settings)
        top = np.flatnonzero(garment.uv[:, 1] > garment.uv[:, 1].max() - 1e-9).astype(np.int32)
        solver.pin(top)
        state = State(x, np.zeros_like(x))
        for _ in range(30):
            state = solver.step(state, empty_space(), 1 / 60)
        return float(np.percentile(edge_stretch(garment, state.position), 99))

    assert worst(1, 0.0) < 0.5 * worst(0, 0.0)
    assert worst(0, 0.45) < 0.7 * worst(0, 0.0)


def test_a_scrap_has_no_long_threads_and_moves() -> None:
    garment = sheet(2, 2, 0.02, 0.02)
    pairs, rest = long_threads(garment, corner_uv(garment), mean_edge(garment))
    assert len(pairs) == len(rest) == 0
    solver = XpbdSolver(garment)
    state = solver.step(State(lying(garment), np.zeros((4, 3))), empty_space(), 1 / 60)
    assert (state.velocity[:, 1] < 0).all()


def test_threads_of_elastic_cloth_give_way_as_far_as_it_does() -> None:
    pattern = outline([(0, 0), (0.3, 0), (0.3, 0.3), (0, 0.3)])
    woven, elastic = (build(pattern, name, 0.02) for name in ("cotton", "elastic"))
    flat = corner_uv(woven)
    pairs, tight = slack_threads(woven, flat, give(woven))
    same, loose = slack_threads(elastic, flat, give(elastic))
    np.testing.assert_array_equal(pairs, same)
    np.testing.assert_allclose(loose / tight, 1 + give(elastic)[0])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("head_start", -0.1), ("head_start", 0.6), ("compression", -0.1), ("compression", 1.5)),
        *(("apart", 0.0), ("apart", 30.0), ("apart", float("nan"))),
    ],
)
def test_bad_settings_are_refused(name: str, value: float) -> None:
    with pytest.raises(ToileError, match=name):
        XpbdSettings(**{name: value})
