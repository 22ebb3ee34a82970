from dataclasses import replace

import numpy as np

from toile.body.model.make import make_body, named_body
from toile.body.scan.fit import surface_gap
from toile.core.records import Recording
from toile.garment.fabric import fabric
from toile.garment.shapes import tube_cloth
from toile.shop.tasks.preview import carried_over


def worn_tube() -> Recording:
    """Return a tube 2 cm off the trunk's skin, as somebody wears it."""
    body = named_body("woman")
    garment, _ = tube_cloth(24, 6)
    rows = np.flatnonzero((np.abs(body.vertices[:, 1] - 1.1) < 0.1) & (np.abs(body.vertices[:, 0]) < 0.2))
    chosen = body.vertices[np.resize(rows, garment.particle_count)]
    out = chosen * [1.0, 0.0, 1.0] / np.linalg.norm(chosen[:, [0, 2]], axis=1, keepdims=True)
    position = chosen + 0.02 * out
    return Recording(
        garment=garment, body=body, times=np.array([0.0, 0.1]), positions=np.stack([position, position]),
        body_vertices=np.stack([body.vertices, body.vertices]),
    )  # fmt: skip


def test_on_the_same_body_an_outfit_stays_where_it_is() -> None:
    worn = worn_tube()
    assert worn.body is not None
    again = carried_over(worn, worn.body, worn.body, fabric("silk"))
    np.testing.assert_allclose(again.positions, worn.positions)
    assert {f.name for f in again.garment.fabrics} == {"silk"}


def test_on_another_body_it_stays_off_the_skin() -> None:
    worn, other = worn_tube(), make_body("female", height=1.80, waist=0.90)
    assert worn.body is not None
    position = carried_over(worn, worn.body, other, fabric("silk")).positions[-1]
    before = surface_gap(worn.positions[-1], worn.body.vertices, worn.body.triangles)
    after = surface_gap(position, other.vertices, other.triangles)
    assert np.abs(after - before).max() < 0.012
    # left where it was, it would be inside
    left = replace(worn).positions[-1]
    assert np.abs(surface_gap(left, other.vertices, other.triangles) - before).max() > 0.03
