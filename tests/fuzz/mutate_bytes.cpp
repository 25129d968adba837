#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "tests/fuzz/mutate.hpp"

namespace ein::fuzz {

namespace {

// Pieces that parsers treat specially: a random byte alone would seldom make them.
constexpr std::string_view pieces[] = {"{",
                                       "}",
                                       "[",
                                       "]",
                                       "(",
                                       ")",
                                       "\"",
                                       ":",
                                       ",",
                                       "->",
                                       "...",
                                       "\\u0000",
                                       "-1",
                                       "0",
                                       "1e999",
                                       "nan",
                                       "9223372036854775807",
                                       "null",
                                       "true",
                                       "\xff",
                                       "\n",
                                       " ",
                                       "i",
                                       "^",
                                       "where("};
constexpr std::uint8_t edge_bytes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};

Bytes some_range(Bytes const& from, Random& random, std::size_t longest) {
    std::size_t const begin = random.below(from.size());
    std::size_t const count = random.below(std::min(longest, from.size() - begin) + 1);
    return {from.begin() + static_cast<std::ptrdiff_t>(begin),
            from.begin() + static_cast<std::ptrdiff_t>(begin + count)};
}

}  // namespace

std::int64_t edge_number(Random& random, std::int64_t near) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    auto const wrapped = [](std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    };
    switch (random.below(6)) {
        case 0: return static_cast<std::int64_t>(random.below(4)) - 1;
        case 1: return wrapped(near, static_cast<std::int64_t>(random.below(5)) - 2);
        case 2: return wrapped(std::int64_t{1} << random.below(63), static_cast<std::int64_t>(random.below(3)) - 1);
        case 3: return random.one_in(2) ? most : -most - 1;
        case 4: return wrapped(0, static_cast<std::int64_t>(0u - random.below(1000)));
        default: return static_cast<std::int64_t>(random.below(1000));
    }
}

void replace_range(Bytes& input, std::size_t begin, std::size_t count, Bytes const& with) {
    auto const first = input.begin() + static_cast<std::ptrdiff_t>(begin);
    input.insert(input.erase(first, first + static_cast<std::ptrdiff_t>(count)), with.begin(), with.end());
}

void mutate_bytes(Bytes& input, Bytes const& other, Random& random) {
    std::size_t const place = random.below(input.size() + 1);
    std::size_t const rest = input.size() - place;
    switch (random.below(8)) {
        case 0:  // one bit
            if (rest > 0) input[place] = static_cast<std::uint8_t>(input[place] ^ (1u << random.below(8)));
            break;
        case 1:
            if (rest > 0) input[place] = static_cast<std::uint8_t>(random.next());
            break;
        case 2:  // an edge value over one to eight bytes: lengths and offsets of binary formats
            for (std::size_t i = 0, count = std::min<std::size_t>(rest, std::size_t{1} << random.below(4)); i < count;
                 ++i)
                input[place + i] = edge_bytes[random.below(std::size(edge_bytes))];
            break;
        case 3: replace_range(input, place, random.below(std::min<std::size_t>(rest, 16) + 1), {}); break;
        case 4: replace_range(input, place, rest, {}); break;  // cut short
        case 5: replace_range(input, place, 0, some_range(input, random, 32)); break;
        case 6: replace_range(input, place, 0, some_range(other, random, 64)); break;
        default: {
            std::string_view const piece = pieces[random.below(std::size(pieces))];
            replace_range(input, place, random.below(std::min<std::size_t>(rest, 4) + 1),
                          Bytes(piece.begin(), piece.end()));
        }
    }
}

}  // namespace ein::fuzz
