// Kernels of two operands of which one moves along rows, the other along columns, and both along terms: any join and
// aggregation as a matrix product is done, tiles of both operands shared by a block, while the next ones are read.
// A thread has edge x edge outputs, in groups of 4 neighbours along each side.
// Example: shortest paths, min over k of x[i, k] + y[k, j].
//
// K says, beside what fold.cuh asks for: edge, 4 or 8; Compute, the register type of operands; batches, rows_of_loops:
// numbers of outer loops, then come those of columns; left_by_terms, right_by_terms: neighbours along terms are
// neighbours in memory; columns_in_runs: so are groups of 4 columns in the output, from multiples of 4 elements on;
// left(from, place), right(from, place): an element; pair(left, right): Values.
namespace ein {

constexpr i32 tile_threads = 256, threads_a_side = 16, group = 4, group_step = threads_a_side * group;

template <class K>
constexpr i32 tile_edge = threads_a_side * K::edge;
template <class K>
constexpr i32 tile_depth = 64 / K::edge;

template <i32 operands, i32 begins, i32 loops>
struct ContractArguments : Arguments<operands, begins, loops> {
    i64 row_count, column_count;  // of a batch
    i64 row_tiles, column_tiles;
};

/// Of one operand: for each term its elements along the edge.
template <class K>
struct alignas(16) Tile {
    typename K::Compute at[tile_depth<K>][tile_edge<K> + group];
};

template <class K>
EIN_FN Place<K> nowhere() {
    Place<K> place;
#pragma unroll
    for (i32 k = 0; k < K::operands; ++k) place.operand[k] = 0;
    place.output = 0;
    return place;
}

/// A tile of one operand: rows (or columns) from `begin`, terms from `term` on. Each thread reads as many elements of
/// it; what is beyond the operand's end becomes zeros, which nobody reads.
template <class K, i32 operand, bool by_terms, i32 first_loop, i32 last_loop>
struct TileReader {
    using Index = typename K::Index;
    static constexpr i32 across = by_terms ? tile_threads / tile_depth<K> : tile_edge<K>;  // threads along the edge
    static constexpr i32 edges = tile_edge<K> / across, depths = tile_edge<K> * tile_depth<K> / tile_threads / edges;
    Index place[edges];  // -1: beyond the end
    typename K::Compute held[depths][edges];

    EIN_FN i32 edge_at(i32 k) const {
        i32 const thread = (i32)threadIdx.x;
        return (by_terms ? thread / tile_depth<K> : thread % across) + k * across;
    }
    EIN_FN i32 depth_at(i32 k) const {
        i32 const thread = (i32)threadIdx.x;
        return by_terms ? thread % tile_depth<K> : thread / across + k * (tile_threads / across);
    }

    EIN_FN void start(typename K::Arguments const& a, Index batch_place, Index begin, Index end) {
#pragma unroll
        for (i32 k = 0; k < edges; ++k) {
            Index const edge = begin + edge_at(k);
            Place<K> at = nowhere<K>();
            if (edge < end) walk<K>(a, edge, first_loop, last_loop, at);
            place[k] = edge < end ? batch_place + at.operand[operand] : -1;
        }
    }

    EIN_FN void read(typename K::Arguments const& a, Index term, Index end) {
#pragma unroll
        for (i32 d = 0; d < depths; ++d) {
            Index const at_term = term + depth_at(d);
            Place<K> at = nowhere<K>();
            if (at_term < end) walk<K>(a, at_term, K::outer, K::outer + K::inner, at);
#pragma unroll
            for (i32 e = 0; e < edges; ++e) {
                held[d][e] = {};
                if (place[e] < 0 || at_term >= end) continue;
                Index const from = place[e] + at.operand[operand];
                if constexpr (operand == 0)
                    held[d][e] = K::left(a.operand[0], from);
                else
                    held[d][e] = K::right(a.operand[1], from);
            }
        }
    }

    EIN_FN void put(Tile<K>& tile) const {
#pragma unroll
        for (i32 d = 0; d < depths; ++d)
#pragma unroll
            for (i32 e = 0; e < edges; ++e) tile.at[depth_at(d)][edge_at(e)] = held[d][e];
    }
};

/// The k-th of a thread's rows (or columns) in a tile; the thread's number is along that side.
EIN_FN i32 edge_of(i32 thread, i32 k) { return k / group * group_step + thread * group + k % group; }
EIN_FN i32 row_thread() { return (i32)threadIdx.x / threads_a_side; }
EIN_FN i32 column_thread() { return (i32)threadIdx.x % threads_a_side; }

/// A thread's elements of one term, a group at a time out of shared memory.
template <class K>
EIN_FN void take_edge(typename K::Compute const (&tile)[tile_edge<K> + group], i32 thread,
                      typename K::Compute (&out)[K::edge]) {
    using Group = Pack<typename K::Compute, group>;
#pragma unroll
    for (i32 k = 0; k < K::edge; k += group) {
        Group const values = *(Group const*)&tile[edge_of(thread, k)];
#pragma unroll
        for (i32 n = 0; n < group; ++n) out[k + n] = values.at[n];
    }
}

/// Adds one term to a thread's outputs.
template <class K>
EIN_FN void add_term(typename K::Arguments const& a, Tile<K> const& left, Tile<K> const& right, i32 depth,
                     typename K::State (&states)[K::edge][K::edge]) {
    typename K::Compute x[K::edge], y[K::edge];
    take_edge<K>(left.at[depth], row_thread(), x);
    take_edge<K>(right.at[depth], column_thread(), y);
    Place<K> const place = nowhere<K>();
#pragma unroll
    for (i32 i = 0; i < K::edge; ++i)
#pragma unroll
        for (i32 j = 0; j < K::edge; ++j) states[i][j].add(K::join(a, K::pair(x[i], y[j]), 0, place));
}

/// A group of neighbours goes out in one access.
template <class K>
EIN_FN void put_group(typename K::Arguments const& a, typename K::Index place, typename K::State const* states) {
    using E = typename K::Output;
    Pack<E, group>* const to = (Pack<E, group>*)((E*)a.output + place);
    Pack<E, group> result;
    if constexpr (K::accumulate) result = *to;
#pragma unroll
    for (i32 n = 0; n < group; ++n) {
        typename K::State::T value = states[n].result();
        if constexpr (K::accumulate) value = K::State::joined(K::accumulated(widened(result.at[n])), value);
        result.at[n] = narrowed<E>(K::stored(value));
    }
    *to = result;
}

/// The outputs of a thread's tile go out.
template <class K>
EIN_FN void put_tile(typename K::Arguments const& a, Place<K> const& batch_place, typename K::Index batch,
                     typename K::Index row, typename K::Index column,
                     typename K::State const (&states)[K::edge][K::edge]) {
    using Index = typename K::Index;
    Index const rows = (Index)a.row_count, columns = (Index)a.column_count;
    bool const in_runs = K::columns_in_runs && !K::parted && is_aligned<typename K::Output, group>(a.output);
    Index along[K::edge];
#pragma unroll
    for (i32 j = 0; j < K::edge; ++j) {
        Index const c = column + edge_of(column_thread(), j);
        Place<K> place = nowhere<K>();
        if (c < columns) walk<K>(a, c, K::batches + K::rows_of_loops, K::outer, place);
        along[j] = place.output;
    }
#pragma unroll
    for (i32 i = 0; i < K::edge; ++i) {
        Index const r = row + edge_of(row_thread(), i);
        if (r >= rows) continue;
        Place<K> row_place = batch_place;
        walk<K>(a, r, K::batches, K::batches + K::rows_of_loops, row_place);
#pragma unroll
        for (i32 j = 0; j < K::edge; j += group) {
            Index const c = column + edge_of(column_thread(), j);
            if (in_runs) {
                if (c < columns) put_group<K>(a, row_place.output + along[j], &states[i][j]);
                continue;
            }
#pragma unroll
            for (i32 n = 0; n < group; ++n) {
                if (c + n >= columns) continue;
                Place<K> place = row_place;
                place.output += along[j + n];
                typename K::State const one[1] = {states[i][j + n]};
                put_states<K>(a, (batch * rows + r) * columns + c + n, place, one, true);
            }
        }
    }
}

template <class K>
EIN_FN void contract(typename K::Arguments const& a) {
    using Index = typename K::Index;
    __shared__ Tile<K> left, right;
    Index const tiles = (Index)a.row_tiles * (Index)a.column_tiles, tile = (Index)blockIdx.x % tiles;
    Index const batch = (Index)blockIdx.x / tiles;
    Index const row = tile / (Index)a.column_tiles * tile_edge<K>, column = tile % (Index)a.column_tiles * tile_edge<K>;
    Index const part = (Index)a.part, begin = (Index)blockIdx.y * part;
    Index const end = begin + part < (Index)a.terms ? begin + part : (Index)a.terms;
    Place<K> batch_place = nowhere<K>();
    walk<K>(a, batch, 0, K::batches, batch_place);
    TileReader<K, 0, K::left_by_terms, K::batches, K::batches + K::rows_of_loops> left_reader;
    TileReader<K, 1, K::right_by_terms, K::batches + K::rows_of_loops, K::outer> right_reader;
    left_reader.start(a, batch_place.operand[0], row, (Index)a.row_count);
    right_reader.start(a, batch_place.operand[1], column, (Index)a.column_count);
    left_reader.read(a, begin, end);
    right_reader.read(a, begin, end);
    typename K::State states[K::edge][K::edge];
#pragma unroll
    for (i32 i = 0; i < K::edge * K::edge; ++i) states[i / K::edge][i % K::edge].start();
    for (Index term = begin; term < end; term += tile_depth<K>) {
        left_reader.put(left);
        right_reader.put(right);
        __syncthreads();
        if (term + tile_depth<K> < end) {
            left_reader.read(a, term + tile_depth<K>, end);
            right_reader.read(a, term + tile_depth<K>, end);
        }
        if (end - term >= tile_depth<K>) {
#pragma unroll
            for (i32 depth = 0; depth < tile_depth<K>; ++depth) add_term<K>(a, left, right, depth, states);
        } else {
#pragma unroll 1
            for (i32 depth = 0; depth < (i32)(end - term); ++depth) add_term<K>(a, left, right, depth, states);
        }
        __syncthreads();
    }
    put_tile<K>(a, batch_place, batch, row, column, states);
}

}  // namespace ein
