"""What every command has: quiet, verbose, JSON, no silent overwriting, suggestions, completion."""

import json
import shutil
import subprocess

import pytest

from toile.cli.completion import SCRIPTS, known_commands
from toile.cli.main import COMMANDS, main, make_parser


def options_of(name: str) -> set[str]:
    parser = make_parser((name,))
    sub = next(a.choices[name] for a in parser._actions if a.choices and name in a.choices)
    return set(sub._option_string_actions)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_quiet_verbose_and_json(name):
    assert {"--quiet", "--verbose", "--json"} <= options_of(name)


def test_json_is_one_object_with_files_notes_and_exit_code(tmp_path, capsys):
    file = tmp_path / "skirt.txt"
    assert main(["draft", "skirt", "length=60", "-o", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["exit_code"] == 0
    assert any("read as cm" in note for note in told["notes"])
    assert any(str(file) in line for line in told["lines"])
    assert main(["draft", "skirt", "length=60", "-o", str(file), "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["exit_code"] == 2
    assert "--force" in told["error"]


def test_json_holds_measures_and_the_audit(tmp_path, capsys):
    skirt, look = str(tmp_path / "skirt.txt"), str(tmp_path / "look.toile")
    assert main(["measure", "man", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measures"]["height"] > 1.5
    assert main(["draft", "skirt", "-o", skirt, "-q"]) == 0
    assert main(["dress", skirt, "--edge", "5cm", "-o", look, "--json"]) in (0, 1)
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == [look]
    assert told["audit"]["vertices"] > 100
    assert told["audit"]["passed"] == (told["exit_code"] == 0)
    assert set(told["audit"]) >= {"inside", "seam_gap", "stretch_mean", "problems"}
    assert main(["check", look, "--json"]) == told["exit_code"]
    assert json.loads(capsys.readouterr().out)["audit"]["lines"]


def test_quiet_says_nothing_and_verbose_says_how_long(tmp_path, capfd):
    skirt = str(tmp_path / "skirt.txt")
    assert main(["draft", "skirt", "length=60", "-o", skirt, "-q"]) == 0
    assert capfd.readouterr() == ("", "")
    assert main(["draft", "skirt", "length=1cm", "-o", str(tmp_path / "b.txt"), "-q"]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert main(["measure", "woman", "-v"]) == 0
    assert " s in all; toile " in capfd.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["draft", "skirt", "-o", "{}.txt"],
        ["info", "{skirt}", "-o", "{}.png"],
        ["convert", "{skirt}", "-o", "{}.json"],
        ["convert", "{skirt}", "{}.svg"],
        ["body", "--height", "170cm", "-o", "{}.toile"],
        ["measure", "woman", "--picture", "{}.png"],
        ["motion", "idle", "-o", "{}.bvh"],
        ["grade", "skirt", "--sizes", "38", "-o", "{}"],
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_nothing_is_overwritten_without_force(words, tmp_path, capsys):
    skirt = tmp_path / "given.txt"
    assert main(["draft", "skirt", "-o", str(skirt)]) == 0
    words = [w.format(tmp_path / "result", skirt=skirt) for w in words]
    assert main(words) == 0
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    capsys.readouterr()
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "--force" in said
    assert said.count("\n") == 1
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before
    assert main([*words, "--force"]) == 0


def test_a_drawing_that_nobody_named_takes_a_new_name(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["draft", "skirt", "-o", "skirt.txt"]) == 0
    assert [main(["info", "skirt.txt"]) for _ in range(2)] == [0, 0]
    assert "wrote skirt.pieces-2.png" in capsys.readouterr().out


def test_convert_wants_one_target(tmp_path, capsys):
    assert main(["convert", "a.txt"]) == 2
    assert "-o TO" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["drss"], "dress"),
        (["dress", "a.txt", "--fabrc", "wool"], "--fabric"),
        (["draft", "skrit"], "skirt"),
        (["draft", "skirt", "lenght=60cm"], "length"),
        (["motion", "wlak"], "walk"),
        (["measure", "womn"], "woman"),
        (["dress", "a.txt", "--fabric", "wol"], "wool"),
        (["dress", "a.txt", "--solver", "xpdb"], "xpbd"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else words,
)
def test_a_misspelt_name_is_answered_with_the_right_one(words, meant, capsys):
    try:
        code = main(words)
    except SystemExit as stop:
        code = stop.code
    said = capsys.readouterr().err
    assert code == 2
    assert "did you mean" in said
    assert meant in said.partition("did you mean")[2]


def test_completion_knows_every_command_and_option():
    known = {one.name: one for one in known_commands()}
    assert set(known) == set(COMMANDS)
    for make in SCRIPTS.values():
        script = make(list(known.values()))
        assert all(name in script for name in ("dress", "fabric", "circle_skirt", "catwalk"))


BASH = (
    'source {script}; COMP_WORDS=(toile {words}); COMP_CWORD={at}; _toile; printf "%s\\n" "${{COMPREPLY[@]}}"'
)


@pytest.mark.parametrize(
    ("words", "at", "wanted"),
    [("dre", 1, "dress"), ("dress --fa", 2, "--fabric"), ("draft circ", 2, "circle_skirt")],
)
def test_bash_completes(words, at, wanted, tmp_path):
    script = tmp_path / "toile.bash"
    script.write_text(SCRIPTS["bash"](known_commands()))
    line = BASH.format(script=script, words=words, at=at)
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert wanted in done.stdout.splitlines()


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here")
@pytest.mark.parametrize(
    ("words", "wanted"), [("dre", "dress"), ("dress --fa", "--fabric"), ("draft circ", "circle_skirt")]
)
def test_fish_completes(words, wanted, tmp_path):
    script = tmp_path / "toile.fish"
    script.write_text(SCRIPTS["fish"](known_commands()))
    line = f'source {script}; complete -C"toile {words}"'
    done = subprocess.run(["fish", "-N", "-c", line], capture_output=True, text=True, check=True)
    assert wanted in [row.split("\t")[0] for row in done.stdout.splitlines()]


@pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh here")
def test_zsh_reads_its_script(tmp_path):
    script = tmp_path / "_toile"
    script.write_text(SCRIPTS["zsh"](known_commands()))
    line = f"autoload -Uz compinit && compinit -D -d {tmp_path}/dump; source {script}; echo $_comps[toile]"
    done = subprocess.run(["zsh", "-f", "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["_toile"]
    assert not done.stderr
