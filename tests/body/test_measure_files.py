"""Measurement files of pattern programs become bodies with those measures."""

from pathlib import Path

import pytest

from toile.body.library import open_body
from toile.core.errors import ToileError

VIT = """<?xml version='1.0' encoding='UTF-8'?>
<vit>
    <version>0.3.3</version>
    <unit>{unit}</unit>
    <personal><gender>{sex}</gender></personal>
    <body-measurements>
        <m name="height" value="{height}" description=""/>
        <m name="bust_circ" value="{bust}"/>
        <m name="waist_circ" value="{waist}"/>
        <m name="hip_circ" value="{hips}"/>
        <m name="neck_circ" value="waist_circ/2"/>
        <m name="leg_calf_circ" value="0"/>
        <m name="@mine" value="12"/>
    </body-measurements>
</vit>
"""


@pytest.mark.parametrize(("unit", "scale"), [("cm", 1.0), ("mm", 10.0), ("inch", 1 / 2.54)])
def test_a_table_of_valentina_becomes_a_body(unit: str, scale: float, tmp_path: Path) -> None:
    figures = {"height": 170, "bust": 92, "waist": 76, "hips": 100}
    text = VIT.format(unit=unit, sex="female", **{k: round(v * scale, 3) for k, v in figures.items()})
    (tmp_path / "susan.vit").write_text(text)
    body = open_body(str(tmp_path / "susan.vit"))
    assert body.name == "susan"
    for name, value in figures.items():
        assert body.measurements[name] == pytest.approx(value / 100, abs=0.015)


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("json", '{"measurements": {"chest": 920, "waist": 760, "seat": 1000, "hips": 880, "biceps": 290}}'),
        ("yaml", "units: metric\nmeasurements:\n  chest: 92\n  waist: 76\n  seat: 100\n  biceps: 29.0\n"),
        ("yml", "units: imperial\nchest: 36.22\nwaist: 29.92\nseat: 39.37\nbiceps: 11.42\n"),
    ],
)
def test_a_set_of_freesewing_becomes_a_body_in_any_unit(ending: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"me.{ending}"
    path.write_text(text)
    found = open_body(str(path)).measurements
    # its seat is our hips, its hips are where trousers sit
    for name, value in (("bust", 0.92), ("waist", 0.76), ("hips", 1.0)):
        assert found[name] == pytest.approx(value, abs=0.015)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.vit", "<vit><m name='x'/>", "not valid XML"),
        ("a.vit", "<vst><unit>cm</unit></vst>", "multisize"),
        ("a.vit", "<vit><unit>cm</unit></vit>", "holds none of the measures"),
        ("a.vit", '<!DOCTYPE v [<!ENTITY a "b">]><vit><unit>&a;</unit></vit>', "entities"),
        ("a.vit", "<vit>" * 30, "nested too deep"),
        ("a.json", "[" * 2000, ""),
        ("a.json", '{"pattern": {}}', "gives no chest"),
        ("a.yaml", "chest: 9\n", "gives no chest"),
    ],
)
def test_other_files_are_refused_in_one_line(name: str, text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ToileError, match=words) as caught:
        open_body(str(tmp_path / name))
    assert "\n" not in str(caught.value)
