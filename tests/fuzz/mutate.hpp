// Changes to inputs of fuzz targets: of bytes, which any input has, and of the structure that a target's inputs have.
// Used by libFuzzer (libfuzzer_mutator.cpp) and by our own driver (replay_main.cpp).
// Example: mutate_text turns {"a": [1, 2]} into {"a": [1, {"a": [1, 2]}]}, which no change of a byte would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ein::fuzz {

using Bytes = std::vector<std::uint8_t>;

/// SplitMix64: the same numbers everywhere, unlike the standard library's distributions.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(next() % bound); }
    bool one_in(std::size_t count) { return below(count) == 0; }

private:
    std::uint64_t state_;
};

/// A number where readers change their minds: 0, +-1, powers of two and their neighbours, the ends of its type; or
/// `near` and its neighbours.
std::int64_t edge_number(Random& random, std::int64_t near);

/// Replaces `count` bytes.
void replace_range(Bytes& input, std::size_t begin, std::size_t count, Bytes const& with);

/// One change of bits, bytes or ranges. @param other  an input to take from; may be `input` itself
void mutate_bytes(Bytes& input, Bytes const& other, Random& random);

/// One change of a text of names, numbers, quoted strings and brackets: JSON, joins, subscripts. Whatever stands
/// between two brackets counts as one value: values are exchanged, repeated, nested, removed or taken from `other`.
void mutate_text(Bytes& input, Bytes const& other, Random& random);

/// mutate_text on a range of an input. @return its new length
std::size_t mutate_text_inside(Bytes& input, std::size_t begin, std::size_t count, Bytes const& other, Random& random);

/// One change that keeps what readers check first (lengths, checksums, the encoding): each target defines its own.
void mutate_structure(Bytes& input, Bytes const& other, Random& random);

}  // namespace ein::fuzz
