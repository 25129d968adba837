// Random numbers that are the same on every machine: SplitMix64.
#pragma once

#include <cmath>
#include <cstdint>

namespace ein::graph {

class Draws {
public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// Between 0 and 1, neither of them.
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
    std::size_t below(std::size_t count) { return static_cast<std::size_t>((next() >> 32) * count >> 32); }
    /// Gumbel noise: adding it to scores draws candidates with probabilities that follow the scores.
    double gumbel() { return -std::log(-std::log(uniform())); }

private:
    std::uint64_t state_;
};

}  // namespace ein::graph
