// Fuzzes the reader of prepared scenes: whatever bytes come, it returns a sound scene or says why not; a sound scene lives for a few frames.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/named_arrays.h"
#include "frame/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::string wrong;
    std::vector<std::uint8_t> bytes(data, data + size);
    if (size > 64) {
        // size and checksum are put right: else no change would ever reach what lies behind them
        const std::uint64_t whole = size, sum = checksum(bytes.data() + 64, size - 64);
        std::memcpy(bytes.data() + 16, &whole, 8);
        std::memcpy(bytes.data() + 24, &sum, 8);
    }
    auto scene = frame::Scene::open(std::move(bytes), wrong);
    if (!scene) {
        if (wrong.empty()) __builtin_trap();  // refused without a word
        return 0;
    }
    for (int k = 0; k < 2; ++k) scene->frame(1.0 / 60.0);
    return 0;
}
