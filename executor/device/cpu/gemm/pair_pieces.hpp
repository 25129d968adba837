// Where the vectors of columns go in c, for pair_loops.cpp: in pieces whose elements lie side by side there, as they do
// in the vector. Tiles store pieces from registers: a vector that is stored and read again at another place waits until
// all stores before it have reached the cache. Example: columns in runs of 20, vectors of 16: the second vector has
// pieces of lanes 0 to 3 and 4 to 15.
#pragma once

#include "executor/device/cpu/gemm/pair_labels.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Some lanes of a vector.
struct Piece {
    Index at;        // from a row's place in c to where lane 0 would go, in T
    unsigned lanes;  // a bit each
};
/// Of vector v of a block of columns: from piece[first[v]] on, to piece[first[v + 1]].
struct Pieces {
    Piece const* piece;
    Index const* first;
};

constexpr Index most_pieces = 5;  // of a vector, on average: more are stored one element after another

template <class T>
constexpr unsigned all_lanes = (1u << lanes<T>)-1;

/// @param parts  lanes of an element  @param vectors  that hold `count` elements, or more
/// @param piece, first  room for most_pieces a vector; for one a vector and one more
/// @return whether there are no more pieces than that
template <class T>
bool find_pieces(Index const* at, Index const* adjacent, Index count, Index parts, Index vectors, Piece* piece,
                 Index* first) {
    Index const lane = lanes<T> / parts;
    Index pieces = 0;
    for (Index v = 0; v < vectors; ++v) {
        first[v] = pieces;
        Index const begin = v * lane, end = at_most(begin + lane, count);
        for (Index w = begin; w < end;) {
            if (pieces == vectors * most_pieces) return false;
            Index const run = at_most(adjacent[w], end - w), from = (w - begin) * parts;
            piece[pieces++] = {at[w] * parts - from, ((1u << run * parts) - 1) << from};
            w += run;
        }
    }
    first[vectors] = pieces;
    return true;
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
