// Copies of runs of a few bytes, all of one length: which instructions copy them is chosen once for all of them, and
// not once a run, as memcpy does. Leaves where runs lie to who copies them. Example: with_run_copy(12, [&](auto copy) {
// for (int i = 0; i < 9; ++i) copy(to + 12 * i, from + 24 * i); });
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ein::executor {

/// A run of one word.
template <class Word>
struct WordCopy {
    static constexpr std::size_t bytes() { return sizeof(Word); }
    void operator()(std::byte* to, std::byte const* from) const { std::memcpy(to, from, sizeof(Word)); }
};

/// A run of at least one word, at most two: its first and its last word, which may overlap.
template <class Word>
struct RunCopy {
    std::size_t last;  // where the last word begins

    std::size_t bytes() const { return last + sizeof(Word); }
    void operator()(std::byte* to, std::byte const* from) const {
        Word begin, end;
        std::memcpy(&begin, from, sizeof begin);
        std::memcpy(&end, from + last, sizeof end);
        std::memcpy(to, &begin, sizeof begin);
        std::memcpy(to + last, &end, sizeof end);
    }
};

struct LongRunCopy {
    std::size_t count;
    std::size_t bytes() const { return count; }
    void operator()(std::byte* to, std::byte const* from) const { std::memcpy(to, from, count); }
};

/// Calls body with what copies runs of so many bytes, at least one.
template <class Body>
void with_run_copy(std::size_t bytes, Body const& body) {
    struct Sixteen {
        std::uint64_t words[2];
    };
    struct ThirtyTwo {
        std::uint64_t words[4];
    };
    switch (bytes) {
        case 1: return body(WordCopy<std::uint8_t>{});
        case 2: return body(WordCopy<std::uint16_t>{});
        case 4: return body(WordCopy<std::uint32_t>{});
        case 8: return body(WordCopy<std::uint64_t>{});
        case 16: return body(WordCopy<Sixteen>{});
        default: break;
    }
    if (bytes <= 4) return body(RunCopy<std::uint16_t>{bytes - 2});
    if (bytes <= 8) return body(RunCopy<std::uint32_t>{bytes - 4});
    if (bytes <= 16) return body(RunCopy<std::uint64_t>{bytes - 8});
    if (bytes <= 32) return body(RunCopy<Sixteen>{bytes - 16});
    if (bytes <= 64) return body(RunCopy<ThirtyTwo>{bytes - 32});
    body(LongRunCopy{bytes});
}

}  // namespace ein::executor
