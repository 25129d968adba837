#include "lib/base/hash.hpp"

#include <set>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ein;

namespace {
std::vector<std::uint8_t> bytes_up_to(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i);
    return bytes;
}
}  // namespace

TEST_CASE("any one bit changed gives another hash", "[lib][base][hash]") {
    for (std::size_t count : {1u, 7u, 8u, 9u, 16u, 31u}) {
        std::vector<std::uint8_t> bytes = bytes_up_to(count);
        std::set<std::uint64_t> seen{hash_bytes(bytes)};
        for (std::size_t bit = 0; bit < 8 * count; ++bit) {
            bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
            seen.insert(hash_bytes(bytes));
            bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
        }
        CHECK(seen.size() == 8 * count + 1);
    }
}

TEST_CASE("length, order and seed count", "[lib][base][hash]") {
    std::set<std::uint64_t> zeros;
    for (std::size_t count = 0; count <= 40; ++count) zeros.insert(hash_bytes(std::vector<std::uint8_t>(count, 0)));
    CHECK(zeros.size() == 41);
    std::vector<std::uint8_t> const bytes = bytes_up_to(16);
    std::vector<std::uint8_t> swapped(bytes.begin() + 8, bytes.end());  // the two words in the other order
    swapped.insert(swapped.end(), bytes.begin(), bytes.begin() + 8);
    CHECK(hash_bytes(bytes) != hash_bytes(swapped));
    CHECK(hash_bytes(bytes, 1) != hash_bytes(bytes, 2));
    CHECK(hash_bytes(bytes) == hash_bytes(bytes));
}

TEST_CASE("hashes are the same on every machine and in every version: files carry them", "[lib][base][hash]") {
    CHECK(hash_bytes({}) == 0x48218226ff3cd4bfu);
    CHECK(hash_bytes(bytes_up_to(20)) == 0x3ce54ff6075ca35fu);
}
