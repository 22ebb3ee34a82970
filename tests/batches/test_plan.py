"""Plans: what they make, and what is refused before the first cell, naming line and key."""

import json
from itertools import islice
from pathlib import Path

import pytest

import toile
from toile.batches.cell import Cell
from toile.batches.plan import cell_count, cells_of, read_plan
from toile.core.errors import ToileError
from toile.jobs.describe import Inputs
from toile.jobs.records import DressJob, WalkJob

PLAN = """\
name = "try"
seed = 7
edge_length = "5cm"

[bodies]
named = ["woman"]
random = 3

[bodies.measures]
height = {low = "150cm", high = "190cm"}

[[garments]]
draft = "skirt"
draws = 2
[garments.style]
length = {low = "50cm", high = "70cm"}
flare = [0.3, 0.5]

[[garments]]
wear = [{draft = "trousers"}, {draft = "tshirt"}]
"""


def cells(folder: Path, text: str = PLAN) -> list[Cell]:
    (folder / "plan.toml").write_text(text)
    plan, inputs = read_plan(folder / "plan.toml")
    made = list(cells_of(plan, inputs))
    assert len(made) == cell_count(plan, inputs)
    return made


def test_every_combination_is_a_cell(tmp_path: Path) -> None:
    made = cells(tmp_path)
    # four bodies: a skirt drawn twice with two flares each, and an outfit
    assert len(made) == 4 * (2 * 2 + 1)
    assert len({cell.key(Inputs()) for cell in made}) == len(made)
    assert {cell.labels["garment"] for cell in made} == {"skirt", "trousers+tshirt"}
    assert all(isinstance(cell.job, DressJob) and cell.job.edge_length == 0.05 for cell in made)
    lengths = {cell.job.garments[0].style["length"] for cell in made if cell.labels["garment"] == "skirt"}
    assert len(lengths) == 8
    assert all(0.5 <= length <= 0.7 for length in lengths)


def test_each_cell_is_the_same_whatever_else_is_planned(tmp_path: Path) -> None:
    few = {json.dumps(dict(cell.labels)): cell.job for cell in cells(tmp_path)}
    more = PLAN.replace("random = 3", "random = 5").replace('["woman"]', '["man", "woman"]')
    many = {json.dumps(dict(cell.labels)): cell.job for cell in cells(tmp_path, more)}
    assert len(many) > len(few)
    assert {name: many[name] for name in few} == few
    other = cells(tmp_path, PLAN.replace("seed = 7", "seed = 8"))
    assert not {json.dumps(c.job.garments[0].style) for c in other} & {
        json.dumps(job.garments[0].style) for job in few.values() if job.garments[0].style
    }


def test_splits_keep_bodies_and_garments_whole(tmp_path: Path) -> None:
    made = cells(tmp_path, PLAN.replace("random = 3", "random = 200"))
    of_body: dict[str, set[str]] = {}
    for cell in made:
        of_body.setdefault(cell.labels["body"], set()).add(cell.labels["body_split"])
    assert all(len(splits) == 1 for splits in of_body.values())
    share = sum(splits == {"train"} for splits in of_body.values()) / len(of_body)
    assert 0.7 < share < 0.9


def test_motions_sizes_and_fabrics(tmp_path: Path) -> None:
    text = PLAN.replace("seed = 7", 'fabrics = ["wool", "silk"]\nsizes = ["auto", ""]')
    made = cells(tmp_path, text + '[[motions]]\nnamed = "walk"\nseconds = 2\n[[motions]]\nnamed = "run"\n')
    assert len(made) == 4 * 5 * 2 * 2 * 2
    assert {type(cell.job) for cell in made} == {WalkJob}
    assert {cell.job.seconds for cell in made} == {2.0, None}


def test_bodies_from_a_table(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name,sex,height,waist\nann,female,170,72\nbob,male,1.8m,\n")
    made = cells(tmp_path, PLAN.replace("random = 3", 'table = "people.csv"'))
    bodies = {cell.labels["body"]: cell.job.body for cell in made}
    assert bodies["ann"].measures == {"height": 1.7, "waist": 0.72}
    assert bodies["bob"].measures == {"height": 1.8}
    assert bodies["bob"].sex == "male"


BAD = {
    "unknown draft": ('draft = "skirt"', 'draft = "toga"', "12: garments[0].wear[0]: no draft 'toga'"),
    "unknown style": ("flare =", "flair =", "17: garments[0].wear[0].style.flair: draft skirt has no option"),
    "wrong unit": ('"5cm"', '"5kg"', "3: edge_length must be a number or a length"),
    "no unit": ('"5cm"', "5", "3: edge_length is 5: give 0.001 to 0.5 m"),
    "empty range": ('"70cm"', '"40cm"', "16: garments[0].wear[0].style.length: the range"),
    "no human": ('"190cm"', '"190m"', "10: bodies: measures.height: 1.5 to 190 m: give 1.35 to 2.25"),
    "billions": ("random = 3", "random = 1000000000", "7: bodies.random is 1000000000: give 0 to 1e+06"),
    "billions of draws": ("draws = 2", "draws = 999999", "are 7,999,996 cells: plan 1 to 1,000,000"),
    "unknown key": ("random = 3", "radnom = 3", "7: bodies: unknown key 'radnom'"),
    "style out of range": ("[0.3, 0.5]", "[0.3, 99]", "17: garments[0].wear[0].style.flare: draft"),
    "range out of range": ('"70cm"', '"70m"', "16: garments[0].wear[0].style.length: draft"),
    "unknown body": ('["woman"]', '["woman", "womna"]', "6: bodies.named: body: no body 'womna'"),
    "unknown measure": ("height =", "hieght =", "10: bodies: measures.hieght: no such measure"),
    "no pattern": ('draft = "skirt"', 'file = "plan.toml"', "12: garments[0].wear[0]: "),
    "unknown view": ("[bodies]", '[pictures]\nviews = ["frnt"]\n[bodies]', "6: pictures: views[0]: no view"),
    "unknown fabric": ("seed = 7", 'fabrics = ["paper"]', "2: fabrics: no fabric 'paper'"),
    "no fabric": ("seed = 7", "fabrics = []", "2: 'fabrics' is empty"),
    "unknown method": ("seed = 7", 'solver = "magic"', "no solver 'magic'"),
    "outside": ('named = ["woman"]', 'files = ["../me.toile"]', "6: bodies.files: ../me.toile: lies outside"),
    "absolute": ('named = ["woman"]', 'files = ["/etc/passwd"]', "bodies.files: /etc/passwd: lies outside"),
    "missing": ('named = ["woman"]', 'files = ["me.toile"]', "6: bodies.files: me.toile: no such file"),
    "missing pattern": ('draft = "skirt"', 'file = "skirt.txt"', "skirt.txt: no such file"),
    "no TOML": ("seed = 7", "seed = [", "no TOML file"),
    "no garments": (PLAN[PLAN.index("[[garments]]") :], "", "'garments' is missing"),
    "not a number": ("seed = 7", "seed = nan", "2: seed must be a whole number"),
    "pictures of a fit": ("seed = 7", 'job = "fit"\npictures = {}', "3: 'pictures' mean nothing to a fit"),
    "outfit of a fit": ("seed = 7", 'job = "fit"', "garments[1]: a fit compares all sizes of one garment"),
    "unknown motion": ("[bodies]", '[[motions]]\nnamed = "moonwalk"\n[bodies]', "no motion 'moonwalk'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_plans_are_refused_by_line_and_key(tmp_path: Path, case: str) -> None:
    before, after, words = BAD[case]
    assert before in PLAN
    (tmp_path / "plan.toml").write_text(PLAN.replace(before, after, 1))
    with pytest.raises(ToileError) as caught:
        read_plan(tmp_path / "plan.toml")
    assert str(caught.value).startswith("plan.toml:")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_grid_from_python(tmp_path: Path) -> None:
    made = toile.grid(["woman", "man"], ["skirt", "tshirt"], fabrics=["wool"], edge_length="4cm")
    assert len(made) == 4
    assert {cell.job.fabric for cell in made} == {("wool",)}
    with pytest.raises(ToileError, match="no draft 'toga'"):
        toile.grid(["woman"], ["toga"])
    with pytest.raises(ToileError, match="bodies are a list"):
        toile.grid("woman", ["skirt"])
    many = toile.grid({"random": 1000}, ["skirt"])
    assert len(list(islice(many, 2000))) == 1000
