"""Jobs made at random, every kind of them, for tests of what must hold for any job."""

from hypothesis import strategies as st

from toile.jobs.records import (
    BodyJob,
    BodySource,
    BranchJob,
    DressJob,
    ExportJob,
    FitJob,
    GarmentSource,
    MotionSource,
    OverJob,
    PictureJob,
    WalkJob,
)

NAMES = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "Zs"), include_characters="._/-"),
    min_size=1,
    max_size=20,
)
LENGTHS = st.one_of(st.floats(0.001, 0.5), st.sampled_from(["1.5cm", "15 mm", "0.6in"]))
SETTINGS = st.dictionaries(
    NAMES, st.one_of(st.floats(-3, 3), st.integers(-9, 9), st.booleans(), NAMES), max_size=3
)
CLOTHS = st.one_of(NAMES, st.dictionaries(NAMES, st.one_of(st.floats(0, 9), NAMES), min_size=1, max_size=3))
WINDS = st.tuples(*[st.floats(-100, 100)] * 3)
BODIES = st.one_of(
    st.builds(BodySource),
    st.builds(BodySource, file=NAMES, bones=st.dictionaries(NAMES, NAMES, max_size=2)),
    st.builds(
        BodySource,
        sex=st.sampled_from(["female", "male"]),
        age=st.none() | st.integers(18, 90),
        measures=st.dictionaries(st.sampled_from(["height", "waist"]), st.floats(0.5, 2), max_size=2),
    ),
)
UNSIZED = st.one_of(
    st.builds(GarmentSource, draft=NAMES, style=SETTINGS, tuck=NAMES),
    st.builds(GarmentSource, file=NAMES, seams=NAMES, hold=st.booleans(), units=st.sampled_from(["", "cm"])),
)
GARMENTS = st.one_of(UNSIZED, st.builds(GarmentSource, file=NAMES, size=NAMES))
WORN = st.lists(GARMENTS, min_size=1, max_size=3)
MOTIONS = st.one_of(
    st.builds(MotionSource, named=NAMES, settings=st.dictionaries(NAMES, st.floats(0, 9), max_size=2)),
    st.builds(MotionSource, file=NAMES),
)
FABRICS = st.one_of(NAMES, st.lists(CLOTHS, min_size=1, max_size=2))
DRESSES = st.builds(
    DressJob, body=BODIES, garments=WORN, fabric=FABRICS, edge_length=LENGTHS,
    mesh=st.sampled_from(["triangles", "grid"]), solver=NAMES, collider=NAMES, tune=SETTINGS,
)  # fmt: skip
SECONDS = st.none() | st.floats(0.01, 3600)
JOBS = st.one_of(
    DRESSES,
    st.builds(
        WalkJob, dress=DRESSES, motion=MOTIONS, seconds=SECONDS, fps=st.none() | st.integers(1, 1000),
        skinning=st.sampled_from(["linear", "dual"]), wind=WINDS, loop=st.booleans(),
    ),
    st.builds(OverJob, walk=NAMES, garments=WORN, fabric=FABRICS, edge_length=LENGTHS, seconds=SECONDS),
    st.builds(BranchJob, walk=NAMES, frame=st.integers(0, 1000), wind=WINDS),
    st.builds(BodyJob, body=BODIES),
    st.builds(FitJob, body=BODIES, garment=UNSIZED),
    st.builds(PictureJob, recording=NAMES, views=st.lists(NAMES | st.floats(-360, 360), min_size=1)),
    st.builds(
        ExportJob, recording=NAMES, format=NAMES, smooth=st.integers(0, 3),
        frame=st.none() | st.integers(0, 9), view=st.none() | NAMES | st.floats(-360, 360),
        turns=st.none() | st.floats(-100, 100),
    ),
)  # fmt: skip
