// Loops of merges of sorted rows, compiled once for each instruction set: numbers of places in ascending order, and who
// lists each, as bits. Example: places {2, 8}, of which bit 1 is who lists them, and {8, 14} of bit 2 give {2, 8, 14}
// with {1, 3, 2}; spread of the elements a and b by bit 1 of these gives a, b and the fill.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::executor {

template <class Key>
struct MergeLoops {
    /// Keys behind the last one that have room and may be written.
    static constexpr std::size_t padding = 32;
    /// Ascending keys, all even, with padding.
    struct Side {
        Key* keys;
        std::size_t count;
        unsigned char const* listed;  // who lists each, one more may be read; null: `bit` lists all
        unsigned char bit;
    };
    /// @param y  of one who lists all of it  @param keys, listed, scratch  room for both sides' keys and twice the
    /// padding; elsewhere  @return how many keys there are
    std::size_t (*merge)(Side const& x, Side const& y, Key* keys, unsigned char* listed, Key* scratch) = nullptr;
    /// to[i] = the next element of `from` where `bit` is set in listed[i], else `fill`. @param size  of one, in bytes
    /// @return how many were taken
    std::size_t (*spread)(std::byte const* from, unsigned char const* listed, unsigned char bit, std::byte const* fill,
                          std::size_t count, std::size_t size, std::byte* to) = nullptr;
    /// Keys at most, and for how many there is room, that are put in order together.
    static constexpr std::size_t few = 256;
    /// Puts keys in ascending order, each once. None is the highest one. @return how many are left
    /// Null where this takes as long as to look for them among all that there may be.
    std::size_t (*distinct)(Key* keys, std::size_t count) = nullptr;
};

/// @return the best of this processor
template <class Key>
MergeLoops<Key> merge_loops();

namespace baseline {
template <class Key>
MergeLoops<Key> merge_loops();
}
namespace avx2 {
template <class Key>
MergeLoops<Key> merge_loops();
}
namespace avx512 {
template <class Key>
MergeLoops<Key> merge_loops();
}

}  // namespace ein::executor
