"""Outfits of several layers: what is put on when, clear of what hangs already, and the result audited."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from toile._kernels import SurfaceTree, meeting_pairs
from toile.audit.check import audit_drape
from toile.batches.catalogue import OUTFITS, outfit
from toile.body.model.make import named_body
from toile.core.records import Garment, Recording
from toile.fit.tuck import tuck_in
from toile.garment.build import build
from toile.garment.from_mesh import MeshGarment
from toile.garment.place.dressing_order import sewing_groups
from toile.garment.place.place import place
from toile.pattern.drafts.library import draft
from toile.pattern.library import read_outfit, write_outfit
from toile.sim.dress.dress import dress, dress_garments
from toile.sim.dress.sew import SewSettings

EDGE = 0.035


def woman():
    return named_body("woman")


def built(*names: str) -> list[Garment]:
    return [build(draft(name, woman().measurements), "cotton", 0.06) for name in names]


def worn(recording: Recording) -> MeshGarment:
    return MeshGarment(recording.garment, recording.positions[-1])


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (["skirt", "tshirt"], [["skirt", "tshirt"]]),  # a hand's breadth over each other
        (["trousers", "top", "coat"], [["trousers", "top"], ["coat"]]),
        (["coat", "trousers", "top"], [["trousers", "top"], ["coat"]]),  # its stated layer
        (["top", "shirt"], [["top"], ["shirt"]]),  # over the whole of it
        (["circle_skirt", "tshirt", "hooded_jacket"], [["circle_skirt"], ["tshirt"], ["hooded_jacket"]]),
        (["coat"], [["coat"]]),
    ],
)
def test_what_lies_over_another_garment_is_put_on_later(names, groups):
    assert [[g.name for g in group] for group in sewing_groups(built(*names), woman())] == groups


def test_a_skirt_goes_over_a_shirt_that_is_tucked_into_it():
    patterns = [draft(name, woman().measurements) for name in ("tshirt", "skirt")]
    patterns[0] = replace(patterns[0], tuck="skirt")
    garments = [build(pattern, "cotton", 0.06) for pattern in patterns]
    assert [[g.name for g in group] for group in sewing_groups(garments, woman())] == [["tshirt"], ["skirt"]]


def test_a_mesh_that_is_worn_already_takes_its_turn():
    (skirt, coat), body = built("skirt", "coat"), woman()
    mesh = MeshGarment(skirt, place(skirt, body))
    assert sewing_groups([coat, mesh], body) == [[mesh], [coat]]


def test_panels_start_clear_of_what_is_worn():
    (skirt, coat), body = built("skirt", "coat"), woman()
    inner = worn(dress_garments([skirt], body))
    cloth = SurfaceTree(inner.garment.triangles, inner.position)

    def crossings(position):
        return len(meeting_pairs(cloth, SurfaceTree(coat.triangles, position), 1000)[1])

    assert crossings(place(coat, body)) > 0, "the test shows nothing"
    assert crossings(place(coat, body, inner)) == 0


def test_a_skirt_stays_as_it_hangs_while_a_jacket_is_put_on():
    (skirt, jacket), body = built("skirt", "hooded_jacket"), woman()
    short = SewSettings(drape=0.8, repair_frames=0)
    alone = worn(dress_garments([skirt], body, settings=short))
    both = worn(dress_garments([skirt, jacket], body, settings=short))
    mine = both.garment.particle_garment == 0
    assert both.garment.garment_names == ("skirt", "hooded_jacket")
    assert both.garment.garment_layer.tolist() == [0, 1]
    lowest = (np.quantile(p[:, 1], 0.02) for p in (alone.position, both.position[mine]))
    assert next(lowest) == pytest.approx(next(lowest), abs=0.02)
    band = alone.garment.hold_particle
    assert np.abs(alone.position[band] - both.position[both.garment.hold_particle[: len(band)]]).max() < 0.01


@pytest.mark.parametrize("word", ["trousers+tshirt+hooded_jacket", "skirt+top+coat"])
def test_three_layers_pass_the_audit(word):
    body = woman()
    found = audit_drape(dress(outfit(word, body), body, edge_length=EDGE))
    assert found.problems == ()


def test_outfits_of_the_catalogue_are_drafts_in_wearing_order():
    patterns = {word: outfit(word, woman()) for word in OUTFITS}
    assert all(len(p) == 3 for p in patterns.values())
    assert [p.name for p in patterns["tshirt-in-skirt+coat"]] == ["tshirt", "skirt", "coat"]
    assert patterns["tshirt-in-skirt+coat"][0].tuck == "skirt"


def test_an_outfit_in_one_text_file(tmp_path):
    """Written coat first, the T-shirt tucked in: layer and tuck decide what is put on when."""
    m, path, body = woman().measurements, tmp_path / "outfit.txt", woman()
    coat, skirt, shirt = draft("coat", m), draft("skirt", m, waist_ease=0.08), draft("tshirt", m)
    write_outfit([coat, skirt, replace(shirt, tuck="skirt")], path)
    assert "tuck into skirt" in path.read_text()
    read, notes = tuck_in(read_outfit(path), body)
    assert notes == []
    groups = sewing_groups([build(p, "cotton", 0.06) for p in read], body)
    assert [[g.name for g in group] for group in groups] == [["tshirt"], ["skirt"], ["coat"]]
