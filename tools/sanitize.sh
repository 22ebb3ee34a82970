#!/bin/sh
# The engine's C++ tests under sanitizers: addresses with undefined behaviour, then threads.
# Usage: tools/sanitize.sh [FOLDER]
cd "$(dirname "$0")/.." || exit 1
folder=${1:-build/sanitize}
failed=0

run() { # name, flags
    cmake -S engine -B "$folder/$1" -DCMAKE_BUILD_TYPE=Debug -DTOILE_ENGINE_TESTS=ON \
        -DCMAKE_CXX_FLAGS="$2 -fno-omit-frame-pointer -g1" -DCMAKE_C_FLAGS="$2" \
        -DCMAKE_EXE_LINKER_FLAGS="$2" >/dev/null || exit 1
    cmake --build "$folder/$1" --target toile_engine_tests toile_hang >/dev/null || exit 1
    for program in toile_engine_tests toile_hang; do
        if TOILE_THREADS=2 "$folder/$1/$program" >"$folder/$1/$program.log" 2>&1; then
            echo "sanitize: $1: $program: quiet"
        else
            echo "sanitize: $1: $program: failed, see $folder/$1/$program.log"
            failed=1
        fi
    done
}

export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
run addresses "-fsanitize=address,undefined -fno-sanitize-recover=all"
run threads "-fsanitize=thread"
exit $failed
