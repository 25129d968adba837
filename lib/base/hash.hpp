// A 64-bit checksum of bytes: finds damage and files that differ; no defence against malice.
// Reads little-endian words, so that the same bytes have the same hash on every machine that we run on.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace ein {

inline std::uint64_t mix64(std::uint64_t x) {  // the finaliser of SplitMix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

inline std::uint64_t hash_bytes(std::span<std::uint8_t const> bytes, std::uint64_t seed = 0) {
    std::uint64_t hash = mix64(seed + 0x9e3779b97f4a7c15u + bytes.size());
    while (bytes.size() >= 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), 8);
        hash = (hash ^ mix64(word)) * 0x9fb21c651e98df25u;
        bytes = bytes.subspan(8);
    }
    std::uint64_t rest = 0;
    if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
    return mix64(hash ^ rest);
}

}  // namespace ein
