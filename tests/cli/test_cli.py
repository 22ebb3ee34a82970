"""The command line as a user meets it: exit codes, one line for an error, files whole or not at all."""

import argparse
import copy
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import toile
from pattern_cases import tube
from toile.cli import main
from toile.cli.common import Progress
from toile.cli.main import COMMANDS, make_parser, parse
from toile.pattern.formats.dxf.write import to_dxf
from toile.pattern.library import pattern_sizes, read_pattern, write_pattern
from toile.store.record import RecordWriter, load_recording, save_recording

SAMPLES = Path(os.environ.get("TOILE_SAMPLES", "samples"))
SQUARE = [[-20, 0], [20, 0], [20, 40], [-20, 40]]
RING = [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]


def good() -> dict:
    """A tube of two squares as GarmentCode JSON."""
    panels = {
        name: {"vertices": SQUARE, "edges": RING, "translation": [0, 80, z], "rotation": [0, 0, 0]}
        for name, z in (("front", 20), ("back", -20))
    }
    stitches = [
        [{"panel": "front", "edge": k}, {"panel": "back", "edge": k}] for k in (1, 3)
    ]  # fmt: skip
    content = {"pattern": {"panels": panels, "stitches": stitches}, "properties": {"units_in_meter": 100}}
    return copy.deepcopy(content)


def open_loop() -> str:
    content = good()
    content["pattern"]["panels"]["front"]["edges"].pop()
    return json.dumps(content)


def missing_edge() -> str:
    content = good()
    content["pattern"]["stitches"][1][1]["edge"] = 9
    return json.dumps(content)


def edge_twice() -> str:
    content = good()
    content["pattern"]["stitches"][1][0]["edge"] = 1
    return json.dumps(content)


def not_a_number() -> str:
    content = good()
    content["pattern"]["panels"]["front"]["vertices"][2] = [float("nan"), 40]
    return json.dumps(content)


BAD = {
    "open loop": (open_loop, "front"),
    "seam to a missing edge": (missing_edge, "back"),
    "edge used twice": (edge_twice, "front"),
    "NaN": (not_a_number, "NaN"),
    "empty file": (str, "empty"),
    "nested": (lambda: "[" * 200_000, "nested"),
    "nested objects": (lambda: '{"a":' * 200_000 + "1" + "}" * 200_000, "nested"),
}
"""what is wrong → (content, a word that the error must say)"""


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """Run a command that must fail for its input; return the one line that it says."""
    assert main([str(word) for word in arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("toile: ")
    assert error.count("\n") == 1
    assert error.endswith("\n")
    assert "Traceback" not in error
    return error


def run(*arguments: str | Path) -> int:
    return main([str(word) for word in arguments])


@pytest.mark.parametrize("command", ["dress", "info", "seams", "convert"])
@pytest.mark.parametrize("case", BAD)
def test_bad_patterns_are_one_line_and_no_file(tmp_path, capsys, case, command):
    make, word = BAD[case]
    path = tmp_path / "bad.json"
    path.write_text(make())
    outputs = {
        "dress": ["-o", tmp_path / "out.glb", "-o", tmp_path / "out.toile"],
        "info": ["-o", tmp_path / "out.png"],
        "seams": ["-o", tmp_path / "out.seams", "--picture", tmp_path / "out.png"],
        "convert": [tmp_path / "out.txt"],
    }
    error = refused(capsys, command, path, *outputs[command])
    assert "bad.json" in error
    assert word in error
    assert [p.name for p in tmp_path.iterdir()] == ["bad.json"]


def test_the_good_one_is_good(tmp_path, capsys):
    # else the tests above could pass for a wrong reason
    path = tmp_path / "good.json"
    path.write_text(json.dumps(good()))
    assert run("info", path, "-o", tmp_path / "good.svg") == 0
    shown = capsys.readouterr().out
    assert "2 pieces, 2 seams" in shown
    assert "40.0" in shown
    assert (tmp_path / "good.svg").read_text().startswith("<")


def test_info_of_several_garments(tmp_path, capsys):
    one = tmp_path / "one.txt"
    write_pattern(tube(), one)
    path = tmp_path / "outfit.txt"
    path.write_text(one.read_text() + one.read_text().replace("garment tube", "garment coat"))
    assert run("info", path, "-o", tmp_path / "a.svg") == 0
    shown = capsys.readouterr().out
    assert "tube: 2 pieces" in shown
    assert "coat: 2 pieces" in shown
    assert sorted(p.name for p in tmp_path.glob("*.svg")) == ["a_1.svg", "a_2.svg"]


def test_missing_files_and_folders(tmp_path, capsys):
    here = tmp_path / "good.json"
    here.write_text(json.dumps(good()))
    assert "no such file" in refused(capsys, "dress", tmp_path / "none.json", "-o", tmp_path / "a.glb")
    assert "cannot read" in refused(capsys, "info", tmp_path, "-o", tmp_path / "a.png")
    away = tmp_path / "none"
    for words in (
        ("dress", here, "-o", away / "a.glb"),
        ("info", here, "-o", away / "a.png"),
        ("seams", here, "-o", away / "a.seams"),
        ("convert", here, away / "a.txt"),
        ("draft", "skirt", "-o", away / "a.txt"),
    ):
        assert "folder" in refused(capsys, *words)
    assert [p.name for p in tmp_path.iterdir()] == ["good.json"]


def test_unknown_endings_are_refused_before_any_work(tmp_path, capsys):
    path = tmp_path / "good.json"
    path.write_text(json.dumps(good()))
    for words in (
        ("dress", path, "-o", tmp_path / "a.fbx"),
        ("info", path, "-o", tmp_path / "a.bmp"),
        ("seams", path, "-o", tmp_path / "a.dxf"),
        ("seams", path, "-o", tmp_path / "a.seams", "--picture", tmp_path / "a.bmp"),
        ("convert", path, tmp_path / "a.doc"),
        ("draft", "skirt", "-o", tmp_path / "a"),
        ("body", "--height", "170", "-o", tmp_path / "a.stl"),
    ):
        assert "change the ending" in refused(capsys, *words)
    assert [p.name for p in tmp_path.iterdir()] == ["good.json"]


# ---------------------------------------------------------------------------- results


@pytest.fixture(scope="module")
def dressed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A skirt on the woman, coarse; made by the command line itself."""
    folder = tmp_path_factory.mktemp("dressed")
    assert run("draft", "skirt", "--body", "woman", "-o", folder / "skirt.txt") == 0
    words = ("--edge", "4cm", "--fabric", "wool", "-o", folder / "a.toile", "-o", folder / "a.glb")
    assert run("dress", folder / "skirt.txt", *words) == 0
    assert sorted(p.name for p in folder.iterdir()) == ["a.glb", "a.toile", "skirt.txt"]
    return folder / "a.toile"


def test_each_garment_has_its_own_fabric(tmp_path, capsys):
    for name in ("skirt", "tshirt"):
        assert run("draft", name, "--body", "woman", "-o", tmp_path / f"{name}.txt") == 0
    words = ("--edge", "5cm", "-o", tmp_path / "a.toile")
    patterns = [tmp_path / "skirt.txt", tmp_path / "tshirt.txt"]
    assert "3 fabrics for 2 garments" in refused(
        capsys, "dress", *patterns, *words, "--fabric", "wool,silk,felt"
    )
    run("dress", *patterns, *words, "--fabric", "wool, cotton")
    assert [f.name for f in load_recording(tmp_path / "a.toile").garment.fabrics] == ["wool", "cotton"]


def test_check_of_a_good_result(dressed, capsys):
    assert run("check", dressed) == 0
    assert "FAILED" not in capsys.readouterr().out


def test_check_of_a_wrong_result(dressed, tmp_path, capsys):
    recording = load_recording(dressed)
    moved = recording.positions + np.array([0.0, 0.0, 0.1])
    save_recording(replace(recording, positions=moved), tmp_path / "wrong.toile")
    assert run("check", tmp_path / "wrong.toile") == 1
    assert "FAILED" in capsys.readouterr().out


@pytest.mark.parametrize("place", [0.0, 0.3, 0.97])
def test_check_of_a_damaged_result(dressed, tmp_path, capsys, place):
    data = bytearray(dressed.read_bytes())
    middle = int(place * len(data))
    data[middle : middle + 64] = bytes(255 - b for b in data[middle : middle + 64])
    path = tmp_path / "damaged.toile"
    path.write_bytes(data)
    assert "damaged.toile" in refused(capsys, "check", path)


def test_check_of_what_is_no_result(dressed, tmp_path, capsys):
    (tmp_path / "short.toile").write_bytes(dressed.read_bytes()[:3000])
    (tmp_path / "empty.toile").write_bytes(b"")
    for name in ("short.toile", "empty.toile", "none.toile"):
        assert name in refused(capsys, "check", tmp_path / name)
    refused(capsys, "check", dressed.with_name("skirt.txt"))


def interrupt(*_: object, **__: object) -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def hears_ctrl_c():
    """A process started in the background ignores Ctrl-C, and so would the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_while_sewing(dressed, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(Progress, "__call__", lambda self, what, done, _: interrupt() if done > 0.0 else None)
    out = tmp_path / "a.toile"
    assert run("dress", dressed.with_name("skirt.txt"), "--edge", "4cm", "-o", out) == 130
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "stopped" in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_while_writing_keeps_the_old_file(dressed, tmp_path, monkeypatch):
    from toile.jobs import dressing

    out = tmp_path / "a.toile"
    out.write_bytes(b"before")
    monkeypatch.setattr(dressing, "dress", lambda *_, **__: load_recording(dressed))
    monkeypatch.setattr(RecordWriter, "append", interrupt)
    assert run("dress", dressed.with_name("skirt.txt"), "--edge", "4cm", "-o", out, "--force") == 130
    assert [p.name for p in tmp_path.iterdir()] == ["a.toile"]
    assert out.read_bytes() == b"before"


# ---------------------------------------------------------------------------- patterns


def test_convert_and_back(tmp_path, capsys):
    (tmp_path / "good.json").write_text(json.dumps(good()))
    assert run("convert", tmp_path / "good.json", tmp_path / "good.txt") == 0
    assert "2 pieces, 2 seams" in capsys.readouterr().out
    for ending in ("svg", "dxf"):
        there = tmp_path / ending / f"good.{ending}"
        there.parent.mkdir()
        assert run("convert", tmp_path / "good.txt", there) == 0
        assert there.with_suffix(".seams").is_file()
        back = read_pattern(there)
        assert sorted(p.name for p in back.panels) == ["back", "front"]
        assert len(back.seams) == 2
        assert np.ptp(back.panel("front").vertices, axis=0) == pytest.approx([0.4, 0.4], abs=1e-4)


def test_convert_replaces_neither_its_source_nor_its_seams(tmp_path, capsys):
    path = tmp_path / "tube.dxf"
    write_pattern(tube(), path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert set(before) == {"tube.dxf", "tube.seams"}
    assert "another name" in refused(capsys, "convert", path, path)
    assert "tube.seams" in refused(capsys, "convert", path, tmp_path / "tube.svg")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_units_and_sizes(tmp_path, capsys):
    path = tmp_path / "tube.dxf"
    path.write_text(to_dxf(tube()))
    assert run("convert", path, tmp_path / "cm.txt", "--units", "cm") == 0
    assert np.ptp(read_pattern(tmp_path / "cm.txt").panels[0].vertices) == pytest.approx(4.0, abs=1e-3)
    assert run("info", path, "--units", "mm", "-o", tmp_path / "a.svg") == 0
    assert "40.0" in capsys.readouterr().out
    assert "units 'mile'" in refused(capsys, "info", path, "--units", "mile", "-o", tmp_path / "b.svg")
    text = tmp_path / "cm.txt"
    for command in (("info", text), ("convert", text, tmp_path / "c.json"), ("dress", text)):
        assert "no sizes" in refused(capsys, *command, "--size", "M")
    assert not (tmp_path / "b.svg").exists()


def test_a_seam_file_goes_with_one_pattern(tmp_path, capsys):
    path = tmp_path / "tube.dxf"
    path.write_text(to_dxf(tube()))
    (tmp_path / "my.seams").write_text("seam side: front.1 = back.3\n")
    assert run("info", path, "--seams", tmp_path / "my.seams", "-o", tmp_path / "a.svg") == 0
    assert "2 pieces, 1 seam," in capsys.readouterr().out
    words = ("dress", path, path, "--seams", tmp_path / "my.seams", "-o", tmp_path / "a.glb")
    assert "one pattern" in refused(capsys, *words)


def test_seams_are_proposed_and_read_back(tmp_path, capsys):
    path = tmp_path / "shirt.dxf"
    assert run("draft", "tshirt", "-o", tmp_path / "drafted.txt") == 0
    path.write_text(to_dxf(read_pattern(tmp_path / "drafted.txt")))
    capsys.readouterr()
    assert run("seams", path, "--picture", tmp_path / "a.png") == 0
    shown = capsys.readouterr().out
    assert "proposed seam 1: " in shown
    written = (tmp_path / "shirt.seams").read_text()
    proposed = read_pattern(path)
    assert len(proposed.seams) >= 6
    assert f"{len(proposed.seams)} seams" in shown
    assert written.count("   # 0.") + written.count("   # 1.") == len(proposed.seams)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    # once more: what is known is kept, nothing is added twice
    assert "--force" in refused(capsys, "seams", path)
    assert run("seams", path, "--force") == 0
    assert len(read_pattern(path).seams) == len(proposed.seams)


def test_seams_for_a_file_that_has_some(tmp_path, capsys):
    sewn = tube()
    path = tmp_path / "tube.txt"
    write_pattern(replace(sewn, seams=sewn.seams[:1]), path)
    assert run("seams", path, "-o", tmp_path / "more.seams") == 0
    both = read_pattern(path, seams=tmp_path / "more.seams")
    assert both.seams[0] == sewn.seams[0]
    assert len(both.seams) >= 2
    assert len(both.holds) == len(sewn.holds)


@pytest.mark.skipif(not (SAMPLES / "trousers_AAMA_R12.dxf").is_file(), reason="needs the sample files")
def test_seams_of_real_trousers(tmp_path):
    out = tmp_path / "trousers.seams"
    assert run("seams", SAMPLES / "trousers_AAMA_R12.dxf", "-o", out) == 0
    assert len(read_pattern(SAMPLES / "trousers_AAMA_R12.dxf", seams=out).seams) >= 6


def test_draft_with_options(tmp_path, capsys):
    out = tmp_path / "skirt.json"
    assert run("draft", "skirt", "flare=30cm", "--body", "man", "length=50cm", "-o", out) == 0
    front = read_pattern(out).panel("front")
    assert np.ptp(front.vertices[:, 1]) == pytest.approx(0.5, abs=0.06)
    assert read_pattern(out).seams
    assert "no option" in refused(capsys, "draft", "skirt", "colour=red", "-o", tmp_path / "b.txt")
    assert "no option" in refused(capsys, "draft", "skirt", "length", "-o", tmp_path / "b.txt")
    assert [p.name for p in tmp_path.iterdir()] == ["skirt.json"]


def test_draft_with_a_count(tmp_path, capsys):
    edges = {}
    for count in (8, 24):
        out = tmp_path / f"{count}.txt"
        assert run("draft", "pleated_skirt", f"pleats={count}", "-o", out) == 0
        edges[count] = sum(len(panel.edges) for panel in read_pattern(out).panels)
    assert edges[24] > edges[8]
    for wrong in ("0", "1e9", "nan"):
        new = tmp_path / "wrong.txt"
        assert "4 to 200" in refused(capsys, "draft", "pleated_skirt", f"pleats={wrong}", "-o", new)


def test_graded_dxf_files_name_their_size(tmp_path, capsys):
    assert run("grade", "skirt", "--sizes", "36,44", "--format", "dxf", "-o", tmp_path) == 0
    for size in ("36", "44"):
        path = tmp_path / f"skirt_{size}.dxf"
        assert path.read_text().count(f"Size: {size}\n") == 4
        assert pattern_sizes(path) == [size]
        assert len(read_pattern(path, size=size).seams) == len(read_pattern(path).seams) == 8


def test_grade(tmp_path, capsys):
    folder = tmp_path / "new" / "sizes"
    assert run("grade", "skirt", "length=50cm", "--sizes", "34-40", "--height", "170", "-o", folder) == 0
    assert "size 38 (S), bust 88 waist 72 hips 96 cm" in capsys.readouterr().out
    names = [f"skirt_{size}.txt" for size in (34, 36, 38, 40)]
    assert sorted(p.name for p in folder.iterdir()) == names
    widths = [np.ptp(read_pattern(folder / n).panels[0].vertices[:, 0]) for n in names]
    assert widths == sorted(widths)
    assert widths[-1] > widths[0] + 0.01
    assert "no size '33'" in refused(capsys, "grade", "skirt", "--sizes", "33", "-o", tmp_path / "none")
    assert not (tmp_path / "none").exists()


# ---------------------------------------------------------------------------- the whole


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"toile {toile.__version__}\n"


@pytest.mark.parametrize(
    "words", [[], ["sew"], ["dress"], ["dress", "a.txt", "--edge", "wide"], ["check", "a.toile", "b"]]
)
def test_wrong_words(capsys, words):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def sub_commands(parser, path=()):
    """Every command with its words, those with commands of their own (toile bench engine) opened."""
    inner = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        yield path, parser
    for name, command in (inner[0] if inner else {}).items():
        yield from sub_commands(command, (*path, name))


def test_every_command_has_help_with_an_example_that_it_understands(capsys):
    commands = next(action.choices for action in make_parser()._actions if action.choices)
    assert list(commands) == list(COMMANDS)
    for path, command in sub_commands(make_parser()):
        with pytest.raises(SystemExit) as stop:
            main([*path, "--help"])
        assert stop.value.code == 0
        assert f"example: toile {' '.join(path)}" in " ".join(capsys.readouterr().out.split())
        example = command.epilog.split(". Options")[0].removeprefix("example: toile ").split()
        assert parse(example).run is command.get_default("run")


@pytest.mark.parametrize(("word", "meant"), [("dres", "dress"), ("wlak", "walk"), ("boddy", "body")])
def test_a_command_that_is_nearly_right_is_answered_with_the_right_one(capsys, word, meant):
    with pytest.raises(SystemExit) as stop:
        main([word])
    assert stop.value.code == 2
    assert f"did you mean '{meant}'?" in capsys.readouterr().err


def test_the_list_of_commands_loads_none_of_them():
    code = "from toile.cli import main; main(['--help'])"
    script = f"import sys, atexit; atexit.register(lambda: print('numpy' in sys.modules)); {code}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
    assert "sew patterns on a body and drape them" in done.stdout


def failing(error):
    def add(commands):
        parser = commands.add_parser("check")
        parser.set_defaults(run=lambda options: (_ for _ in ()).throw(error))

    return add


@pytest.mark.parametrize("error", [ZeroDivisionError("a\nb"), MemoryError(), RecursionError("deep")])
def test_an_error_that_nobody_foresaw_is_one_line(capsys, monkeypatch, error):
    monkeypatch.setattr("toile.cli.dress.add_check", failing(error))
    assert main(["check"]) == 70
    said = capsys.readouterr().err
    assert said.startswith("toile: an error in Toile itself")
    assert said.count("\n") == 1
    monkeypatch.setenv("TOILE_DEBUG", "1")
    assert main(["check"]) == 70
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("setting", ["ascii", "latin-1"])
def test_a_terminal_that_knows_few_letters_is_no_hindrance(setting):
    environment = {**os.environ, "PYTHONIOENCODING": setting, "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "toile", "draft", "--help"]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


def test_a_closed_stdout_is_no_error():
    script = f"{sys.executable} -m toile --version >&- 2>&-"
    assert subprocess.run(script, shell=True, check=False).returncode == 0
