#include "core/named_arrays.h"

#include <bit>
#include <cstring>
#include <utility>

namespace {
constexpr char MAGIC[8] = {'T', 'O', 'I', 'L', 'A', 'R', 'R', 'S'};
constexpr std::uint32_t VERSION = 1;
constexpr std::size_t HEAD = 64, ENTRY = 112, NAME = 64, MOST_ARRAYS = 1000, MOST_DIMENSIONS = 4;
constexpr std::size_t BYTES[] = {4, 8, 4, 2, 2, 1};  // by type
static_assert(std::endian::native == std::endian::little, "files of arrays are little-endian");

template <class T>
T number_at(const std::uint8_t *bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// one entry of a file; what is wrong with it, or nothing
std::string read_entry(const std::uint8_t *bytes, std::size_t size, std::size_t number, std::string &name, NamedArray &array) {
    const std::uint8_t *entry = bytes + HEAD + number * ENTRY;
    const std::string which = "array " + std::to_string(number + 1) + " of the scene ";
    const auto *text = reinterpret_cast<const char *>(entry);
    if (!std::memchr(text, 0, NAME)) return which + "has a name without an end";
    name = text;
    for (const char c : name)
        if (c < '!' || c > '~') return which + "has a name that is no text";
    const auto type = number_at<std::uint32_t>(entry + NAME), dimensions = number_at<std::uint32_t>(entry + NAME + 4);
    if (type >= std::size(BYTES)) return which + "is of an unknown type";
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS) return which + "must have 1 to 4 dimensions";
    array.type = static_cast<NumberType>(type);
    std::uint64_t numbers = 1;
    for (std::size_t k = 0; k < MOST_DIMENSIONS; ++k) {
        const auto length = number_at<std::uint64_t>(entry + NAME + 8 + 8 * k);
        if (k >= dimensions && length != 1) return which + "has sizes that do not fit its dimensions";
        if (length > size || (length && numbers > size / length)) return which + "is larger than its file";
        numbers *= length;
        if (k < dimensions) array.shape.push_back(static_cast<std::size_t>(length));
    }
    const auto offset = number_at<std::uint64_t>(entry + NAME + 40);
    if (offset % 64 || offset > size || numbers > (size - offset) / BYTES[type]) return which + "does not lie within its file";
    array.data = bytes + offset;
    return {};
}
}  // namespace

std::uint64_t checksum(const std::uint8_t *bytes, std::size_t size) {
    // FNV-1a over words of eight bytes, the last filled up with zeros
    std::uint64_t sum = 0xcbf29ce484222325ull;
    for (std::size_t i = 0; i < size; i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        sum = (sum ^ word) * 0x100000001b3ull;
    }
    return sum;
}

const NamedArray *NamedArrays::find(std::string_view name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
}

void NamedArrays::widen(NamedArray &array) {
    if (array.type == NumberType::INT32 || array.type == NumberType::FLOAT64) return;
    const std::size_t size = array.size();
    auto wide = std::make_unique<std::uint64_t[]>(size);
    const auto fill = [&]<class From, class To>(From, To) {
        const auto *from = static_cast<const From *>(array.data);
        auto *to = reinterpret_cast<To *>(wide.get());
        for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<To>(from[i]);
    };
    switch (array.type) {
        case NumberType::FLOAT32: fill(float{}, double{}); break;
        case NumberType::INT16: fill(std::int16_t{}, std::int32_t{}); break;
        case NumberType::UINT16: fill(std::uint16_t{}, std::int32_t{}); break;
        default: fill(std::uint8_t{}, std::int32_t{}); break;
    }
    array.type = array.type == NumberType::FLOAT32 ? NumberType::FLOAT64 : NumberType::INT32;
    array.data = wide.get();
    widened_.push_back(std::move(wide));
}

std::string NamedArrays::read(const std::uint8_t *bytes, std::size_t size) {
    if (size < HEAD || std::memcmp(bytes, MAGIC, sizeof MAGIC) != 0) return "this is no scene: its first bytes are others";
    if (const auto version = number_at<std::uint32_t>(bytes + 8); version != VERSION)
        return "the scene is of version " + std::to_string(version) + ", this engine reads version " + std::to_string(VERSION) + ": export it again";
    const auto count = number_at<std::uint32_t>(bytes + 12);
    for (std::size_t i = 32; i < HEAD; ++i)
        if (bytes[i]) return "the scene's head is damaged";
    if (number_at<std::uint64_t>(bytes + 16) != size) return "the scene has another size than it says: it was cut off or changed";
    if (count > MOST_ARRAYS || HEAD + count * ENTRY > size) return "the scene says that it holds more arrays than it can";
    if (number_at<std::uint64_t>(bytes + 24) != checksum(bytes + HEAD, size - HEAD)) return "the scene's checksum is wrong: it was damaged on its way";
    for (std::size_t k = 0; k < count; ++k) {
        std::string name;
        NamedArray array;
        if (std::string wrong = read_entry(bytes, size, k, name, array); !wrong.empty()) return wrong;
        if (find(name)) return "the scene holds " + name + " twice";
        widen(array);
        add(std::move(name), std::move(array));
    }
    return {};
}
