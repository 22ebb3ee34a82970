"""Provenance as one record: files keep it as JSON, of every version."""

import json

import pytest

from toile.core.errors import ToileError
from toile.core.provenance import Provenance, provenance_from_plain, provenance_to_plain

WHOLE = Provenance(
    toile="0.1.0",
    solver="verlet",
    collider="maps",
    solver_settings={"iterations": 7},
    collider_settings={"size": 128},
    sew={"fps": 60},
    notes=("one", "two"),
    left_crossing=(0, 3),
    loop={"frames": 12},
    more={"asked": {"body": "woman"}},
)


def test_it_comes_back_from_json_as_it_was():
    plain = json.loads(json.dumps(provenance_to_plain(WHOLE)))
    assert plain["verlet"] == {"iterations": 7}
    assert plain["collider maps"] == {"size": 128}
    assert provenance_from_plain(plain, "a.toile") == WHOLE
    assert provenance_from_plain({}, "a.toile") == Provenance()


def test_files_from_before_it_was_a_record_are_read():
    old = {
        "toile": "0.1.0",
        "xpbd": {"substep": None},
        "solver": "xpbd",
        "asked": {"body": "woman"},
        "job": None,
    }
    made = provenance_from_plain(old, "a.toile")
    assert made.solver_settings == {"substep": None}
    assert made.more == {"asked": {"body": "woman"}}
    assert made.job == {}


@pytest.mark.parametrize(
    "wrong", [{"solver": 7}, {"notes": "one"}, {"loop": [1]}, {"told": "a"}, {"toile": {}}, {"inputs": [1]}]
)
def test_what_is_no_provenance_names_the_file_and_the_field(wrong):
    with pytest.raises(ToileError, match=rf"^a\.toile: .*{next(iter(wrong))} is .*: make it again$"):
        provenance_from_plain(wrong, "a.toile")
