// Kernels of two operands of which one moves along rows, the other along columns, and both along terms: any join and
// aggregation as a matrix product is done, tiles of both operands shared by a block, 4 x 4 outputs a thread.
// Example: shortest paths, min over k of x[i, k] + y[k, j].
//
// K says, beside what fold.cuh asks for: Compute, the register type of operands; batches, rows_of_loops: numbers of
// outer loops, then come those of columns; left_by_terms, right_by_terms: neighbours along terms are neighbours in
// memory; left(from, place), right(from, place): an element; pair(left, right): Values.
namespace ein {

constexpr i32 tile_edge = 64, tile_depth = 16, tile_threads = 256, thread_edge = 4, tile_row = tile_edge + 4;

template <i32 operands, i32 begins, i32 loops>
struct ContractArguments : Arguments<operands, begins, loops> {
    i64 row_count, column_count;  // of a batch
    i64 row_tiles, column_tiles;
};

/// Of one operand: for each term its elements along the edge.
template <class T>
struct alignas(16) Tile {
    T at[tile_depth][tile_row];
};

template <class K>
EIN_FN Place<K> nowhere() {
    Place<K> place;
#pragma unroll
    for (i32 k = 0; k < K::operands; ++k) place.operand[k] = 0;
    place.output = 0;
    return place;
}

/// A tile of one operand: rows (or columns) from `begin`, terms from `term` on. A thread reads four elements of it;
/// what is beyond the operand's end becomes zeros, which nobody reads.
template <class K, i32 operand, bool by_terms, i32 first_loop, i32 last_loop>
struct TileReader {
    using Index = typename K::Index;
    static constexpr i32 across = by_terms ? tile_threads / tile_depth : tile_edge;  // threads along the edge
    static constexpr i32 edges = tile_edge / across, depths = 4 / edges;
    Index place[edges];
    bool inside[edges];

    EIN_FN i32 edge_at(i32 k) const {
        i32 const thread = (i32)threadIdx.x;
        return (by_terms ? thread / tile_depth : thread % tile_edge) + k * across;
    }
    EIN_FN i32 depth_at(i32 k) const {
        i32 const thread = (i32)threadIdx.x;
        return by_terms ? thread % tile_depth : thread / tile_edge + k * (tile_threads / tile_edge);
    }

    EIN_FN void start(typename K::Arguments const& a, Index batch_place, Index begin, Index end) {
#pragma unroll
        for (i32 k = 0; k < edges; ++k) {
            Index const edge = begin + edge_at(k);
            inside[k] = edge < end;
            Place<K> at = nowhere<K>();
            if (inside[k]) walk<K>(a, edge, first_loop, last_loop, at);
            place[k] = batch_place + at.operand[operand];
        }
    }

    EIN_FN void read(typename K::Arguments const& a, Index term, Index end,
                     Tile<typename K::Compute>& tile) const {
#pragma unroll
        for (i32 d = 0; d < depths; ++d) {
            Index const at_term = term + depth_at(d);
            Place<K> at = nowhere<K>();
            if (at_term < end) walk<K>(a, at_term, K::outer, K::outer + K::inner, at);
#pragma unroll
            for (i32 e = 0; e < edges; ++e) {
                typename K::Compute value = {};
                if (inside[e] && at_term < end) {
                    Index const from = place[e] + at.operand[operand];
                    if constexpr (operand == 0)
                        value = K::left(a.operand[0], from);
                    else
                        value = K::right(a.operand[1], from);
                }
                tile.at[depth_at(d)][edge_at(e)] = value;
            }
        }
    }
};

/// The first of a thread's four rows, and of its columns, in a tile.
EIN_FN i32 first_row() { return (i32)threadIdx.x / 16 * thread_edge; }
EIN_FN i32 first_column() { return (i32)threadIdx.x % 16 * thread_edge; }

/// Adds one term to a thread's outputs; operands come four at a time out of shared memory.
template <class K>
EIN_FN void add_term(typename K::Arguments const& a, typename K::Compute const (&left)[tile_row],
                     typename K::Compute const (&right)[tile_row],
                     typename K::State (&states)[thread_edge][thread_edge]) {
    using Four = Pack<typename K::Compute, thread_edge>;
    Four const x = *(Four const*)&left[first_row()], y = *(Four const*)&right[first_column()];
    Place<K> const place = nowhere<K>();
#pragma unroll
    for (i32 i = 0; i < thread_edge; ++i)
#pragma unroll
        for (i32 j = 0; j < thread_edge; ++j) states[i][j].add(K::join(a, K::pair(x.at[i], y.at[j]), 0, place));
}

/// The outputs of a thread's tile go out.
template <class K>
EIN_FN void put_tile(typename K::Arguments const& a, Place<K> const& batch_place, typename K::Index batch,
                     typename K::Index row, typename K::Index column,
                     typename K::State const (&states)[thread_edge][thread_edge]) {
    using Index = typename K::Index;
    Index const rows = (Index)a.row_count, columns = (Index)a.column_count;
#pragma unroll
    for (i32 i = 0; i < thread_edge; ++i) {
        Index const r = row + first_row() + i;
        if (r >= rows) continue;
        Place<K> row_place = batch_place;
        walk<K>(a, r, K::batches, K::batches + K::rows_of_loops, row_place);
#pragma unroll
        for (i32 j = 0; j < thread_edge; ++j) {
            Index const c = column + first_column() + j;
            if (c >= columns) continue;
            Place<K> place = row_place;
            walk<K>(a, c, K::batches + K::rows_of_loops, K::outer, place);
            typename K::State const one[1] = {states[i][j]};
            put_states<K>(a, (batch * rows + r) * columns + c, place, one, true);
        }
    }
}

template <class K>
EIN_FN void contract(typename K::Arguments const& a) {
    using Index = typename K::Index;
    __shared__ Tile<typename K::Compute> left, right;
    Index const tiles = (Index)a.row_tiles * (Index)a.column_tiles, tile = (Index)blockIdx.x % tiles;
    Index const batch = (Index)blockIdx.x / tiles;
    Index const row = tile / (Index)a.column_tiles * tile_edge, column = tile % (Index)a.column_tiles * tile_edge;
    Index const part = (Index)a.part, begin = (Index)blockIdx.y * part;
    Index const end = begin + part < (Index)a.terms ? begin + part : (Index)a.terms;
    Place<K> batch_place = nowhere<K>();
    walk<K>(a, batch, 0, K::batches, batch_place);
    TileReader<K, 0, K::left_by_terms, K::batches, K::batches + K::rows_of_loops> left_reader;
    TileReader<K, 1, K::right_by_terms, K::batches + K::rows_of_loops, K::outer> right_reader;
    left_reader.start(a, batch_place.operand[0], row, (Index)a.row_count);
    right_reader.start(a, batch_place.operand[1], column, (Index)a.column_count);
    typename K::State states[thread_edge][thread_edge];
#pragma unroll
    for (i32 i = 0; i < thread_edge * thread_edge; ++i) states[i / thread_edge][i % thread_edge].start();
    for (Index term = begin; term < end; term += tile_depth) {
        left_reader.read(a, term, end, left);
        right_reader.read(a, term, end, right);
        __syncthreads();
        if (end - term >= tile_depth) {
#pragma unroll
            for (i32 depth = 0; depth < tile_depth; ++depth) add_term<K>(a, left.at[depth], right.at[depth], states);
        } else {
#pragma unroll 1
            for (i32 depth = 0; depth < (i32)(end - term); ++depth)
                add_term<K>(a, left.at[depth], right.at[depth], states);
        }
        __syncthreads();
    }
    put_tile<K>(a, batch_place, batch, row, column, states);
}

}  // namespace ein
