// Where a tensor's elements come from, as a value: written in graphs, carried by schedules, read part by part by
// read.hpp.
// Example: RandomSource{Distribution::uniform, -1, 1, 7}: element g depends on the seed and the global index g alone.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ein::tensor {

struct NpySource {
    std::string file;
    friend bool operator==(NpySource const&, NpySource const&) = default;
};
struct NpzSource {
    std::string file, entry;
    friend bool operator==(NpzSource const&, NpzSource const&) = default;
};
struct SafetensorsSource {
    std::string file, tensor;
    friend bool operator==(SafetensorsSource const&, SafetensorsSource const&) = default;
};
/// Little-endian elements in C order from `offset` bytes on. With an offset more bytes may follow them; without one the
/// file is exactly the tensor.
struct RawSource {
    std::string file;
    std::optional<std::int64_t> offset;
    friend bool operator==(RawSource const&, RawSource const&) = default;
};
struct FillSource {
    std::complex<double> value;
    std::int64_t integer = 0;
    friend bool operator==(FillSource const&, FillSource const&) = default;
};
/// Small tensors written in the graph itself: the elements' bytes in the tensor's dtype, C order.
struct ValuesSource {
    std::vector<std::byte> bytes;
    friend bool operator==(ValuesSource const&, ValuesSource const&) = default;
};
enum class Distribution : std::uint8_t { uniform, normal };
/// uniform: a = low, b = high (high excluded); normal: a = mean, b = standard deviation.
/// Integer dtypes: uniform gives whole numbers low <= v < high; bool: uniform > midpoint.
struct RandomSource {
    Distribution distribution = Distribution::uniform;
    double a = 0, b = 1;
    std::uint64_t seed = 0;
    friend bool operator==(RandomSource const&, RandomSource const&) = default;
};
/// A Matrix Market file: the listed elements of a matrix, or all of them.
struct MtxSource {
    std::string file;
    friend bool operator==(MtxSource const&, MtxSource const&) = default;
};
/// A FROSTT file: the coordinates of an element and its value on each line, of any order.
struct TnsSource {
    std::string file;
    friend bool operator==(TnsSource const&, TnsSource const&) = default;
};
/// What scipy.sparse.save_npz, or a run with a sparse output, wrote.
struct ScipySource {
    std::string file;
    friend bool operator==(ScipySource const&, ScipySource const&) = default;
};
/// Random numbers at a share `density` of all places, each as in the dense tensor of `random`.
struct SparseRandomSource {
    RandomSource random;
    double density = 1;  // from 0 to 1
    friend bool operator==(SparseRandomSource const&, SparseRandomSource const&) = default;
};
/// Must be given when the run starts (--input NAME=FILE).
struct MissingSource {
    friend bool operator==(MissingSource const&, MissingSource const&) = default;
};

using Source = std::variant<MissingSource, NpySource, NpzSource, SafetensorsSource, RawSource, FillSource, ValuesSource,
                            RandomSource, MtxSource, TnsSource, ScipySource, SparseRandomSource>;

/// Whether it lists elements with their coordinates; what it does not list has the tensor's fill.
inline bool lists_elements(Source const& source) {
    return std::holds_alternative<MtxSource>(source) || std::holds_alternative<TnsSource>(source) ||
           std::holds_alternative<ScipySource>(source) || std::holds_alternative<SparseRandomSource>(source);
}

/// The file that elements are read from; nullptr where they are from none.
inline std::string const* file_of(Source const& source) {
    return std::visit(
        [](auto const& kind) -> std::string const* {
            if constexpr (requires { kind.file; }) return &kind.file;
            return nullptr;
        },
        source);
}

/// The same, read from another file. Example: with_file(NpzSource{"a.npz", "x"}, "b.npz") is NpzSource{"b.npz", "x"}.
inline Source with_file(Source source, std::string const& file) {
    std::visit(
        [&](auto& kind) {
            if constexpr (requires { kind.file; }) kind.file = file;
        },
        source);
    return source;
}

}  // namespace ein::tensor
