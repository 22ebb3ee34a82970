"""Where several garments are worn, the audit says whose panel it means."""

import numpy as np

import toile
from toile.audit.check import panel_called, tightest_panel
from toile.garment.outfit import join


def garments():
    body = toile.named_body("woman")
    return [
        toile.build(toile.draft(name, body.measurements), edge_length=0.08) for name in ("skirt", "tshirt")
    ]


def test_one_garment_needs_no_name():
    skirt = garments()[0]
    assert panel_called(skirt, 0) == "front"


def test_panels_of_the_same_name_are_told_apart():
    both = join(garments())
    names = [panel_called(both, k) for k in range(len(both.panel_names))]
    assert "front of skirt" in names
    assert "front of tshirt" in names
    assert len(set(names)) == len(names)
    stretched = np.c_[both.uv, np.zeros(len(both.uv))]
    shirt = both.particle_garment == 1
    stretched[shirt] *= 1.3
    assert tightest_panel(both, stretched).endswith(" of tshirt")
