// Schedules that several executor tests run, and what they must give.
#pragma once

#include <random>

#include "tests/support/run_by_threads.hpp"
#include "tests/support/schedule_builder.hpp"

namespace ein::test {

/// Z = A B with k cut into one part a rank: every rank loads its columns of A and rows of B, contracts them in two
/// steps into one partial, and rank 0 adds the partials in order of rank.
inline schedule::Schedule split_k_schedule(int ranks, Extent n = 6, Extent step = 4) {
    Extent const k = 2 * step * ranks;
    ScheduleBuilder b(ranks);
    b.tensor("A", {n, k}), b.tensor("B", {k, n}), b.tensor("Z", {n, n});
    auto const contract = b.kernel("AB", sum_of_products("ij,jk->ik", {{'i', n}, {'j', k}, {'k', n}}));
    auto const add = b.kernel("AB", sum_of_products("ik->ik", {{'i', n}, {'k', n}}));
    for (int rank = 0; rank < ranks; ++rank) {
        std::string const id = std::to_string(rank);
        Extent const begin = rank * 2 * step;
        b.load(rank, "a", "A", {{0, begin}, {n, 2 * step}});
        b.load(rank, "b", "B", {{begin, 0}, {2 * step, n}});
        b.block(rank, "part" + id, "Z", {{0, 0}, {n, n}});
        b.apply(rank, contract, {{0, begin, 0}, {n, step, n}}, {"a", "b"}, "part" + id);
        b.apply(rank, contract, {{0, begin + step, 0}, {n, step, n}}, {"a", "b"}, "part" + id, true);
    }
    b.block(0, "z", "Z", {{0, 0}, {n, n}});
    for (int rank = 0; rank < ranks; ++rank) {
        std::string const part = "part" + std::to_string(rank);
        if (rank > 0) b.transfer(rank, part, 0);
        b.reduce(0, add, {{0, 0}, {n, n}}, part, "z", rank > 0);
    }
    b.store(0, "z");
    return b.finish();
}

inline std::vector<double> split_k_result(int ranks, Extent n = 6, Extent step = 4) {
    Extent const k = 2 * step * ranks;
    std::vector<double> z(static_cast<std::size_t>(n * n), 0.0);
    for (Extent i = 0; i < n; ++i)
        for (Extent j = 0; j < k; ++j)
            for (Extent c = 0; c < n; ++c)
                z[static_cast<std::size_t>(i * n + c)] += number(i * k + j) * number(j * n + c);
    return z;
}

/// A random sequence of products, sums and transfers of blocks of many sizes, all read at some time; every rank stores
/// what it made last. The values follow from the schedule alone, so that any two runs of it must agree.
inline schedule::Schedule random_schedule(int ranks, int steps, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    Extent const n = 400;
    ScheduleBuilder b(ranks);
    b.tensor("X", {n}), b.tensor("T", {n}), b.tensor("Z", {static_cast<Extent>(ranks)});
    auto const multiply = b.kernel("multiply", sum_of_products("i,i->i", {{'i', n}}));
    auto const add = b.kernel("add", sum_of_products("i->i", {{'i', n}}));
    auto const total = b.kernel("total", sum_of_products("i,k->k", {{'i', n}, {'k', ranks}}));
    struct Piece {
        std::string name;
        Extent length;
    };
    std::vector<std::vector<Piece>> held(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
        for (int i = 0; i < 3; ++i) {
            Piece const piece{"x" + std::to_string(rank) + "_" + std::to_string(i),
                              1 + static_cast<Extent>(below(300))};
            b.load(rank, piece.name, "X", {{0}, {piece.length}});
            held[static_cast<std::size_t>(rank)].push_back(piece);
        }
    for (int step = 0; step < steps; ++step) {
        int const rank = static_cast<int>(below(static_cast<std::size_t>(ranks)));
        auto& mine = held[static_cast<std::size_t>(rank)];
        Piece const x = mine[below(mine.size())], y = mine[below(mine.size())];
        int const to = static_cast<int>(below(static_cast<std::size_t>(ranks)));
        auto const known = [&](Piece const& piece) { return piece.name == x.name; };
        auto& theirs = held[static_cast<std::size_t>(to)];
        if (to != rank && std::none_of(theirs.begin(), theirs.end(), known) && below(3) == 0) {
            b.transfer(rank, x.name, to);
            theirs.push_back(x);
        } else {
            Piece const z{"t" + std::to_string(step), std::min(x.length, y.length)};
            b.block(rank, z.name, "T", {{0}, {z.length}});
            b.apply(rank, multiply, {{0}, {z.length}}, {x.name, y.name}, z.name);
            if (below(2) == 0) b.apply(rank, add, {{0}, {z.length}}, {x.name}, z.name, true);
            mine.push_back(z);
        }
        if (mine.size() > 6) mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(below(mine.size() - 1)));
    }
    for (int rank = 0; rank < ranks; ++rank) {
        Piece const last = held[static_cast<std::size_t>(rank)].back();
        b.load(rank, "one", "X", {{0}, {ranks}});
        b.block(rank, "z", "Z", {{rank}, {1}});
        b.apply(rank, total, {{0, rank}, {last.length, 1}}, {last.name, "one"}, "z");
        b.store(rank, "z");
    }
    return b.finish();
}

inline std::vector<ExitCode> all_done(int ranks) {
    return std::vector<ExitCode>(static_cast<std::size_t>(ranks), ExitCode::done);
}

}  // namespace ein::test
