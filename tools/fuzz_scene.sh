#!/bin/sh
# Fuzzes the engine's reader of prepared scenes with libFuzzer, under AddressSanitizer and UBSan (needs clang).
# Usage: tools/fuzz_scene.sh PYTHON SECONDS
cd "$(dirname "$0")/.." || exit 1
python=$1
seconds=${2:-60}
folder=build/fuzz
command -v clang++ >/dev/null || { echo "fuzz: clang++ is not here: the scene reader is left out"; exit 0; }
mkdir -p $folder/corpus
[ -e $folder/corpus/seed ] || "$python" tools/scene_seed.py $folder/corpus/seed || exit 1
flags="-fsanitize=address,undefined -fno-sanitize-recover=all -g1 -O1 -ffp-contract=off"
cmake -S engine -B $folder/build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTOILE_ENGINE_TESTS=OFF \
    -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS="$flags -fsanitize=fuzzer-no-link" >/dev/null || exit 1
cmake --build $folder/build --target toile_engine >/dev/null || exit 1
clang++ -std=c++20 $flags -fsanitize=fuzzer -Iengine engine/fuzz/scene.cpp $folder/build/libtoile_engine.a -lpthread \
    -o $folder/scene || exit 1
TOILE_THREADS=1 $folder/scene -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=200000 \
    -artifact_prefix=$folder/ -print_final_stats=1 $folder/corpus
