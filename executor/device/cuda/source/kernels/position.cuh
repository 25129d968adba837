// Kernels of sums over v of where(y == [v], x, 0), operand 0 being x and operand 1 y. A lookup reads the row of x that
// y names; a scatter adds up the rows of x that name its output row, in their order. Positions outside [begin, begin +
// length) of v belong to other blocks.
//
// K says, beside what fold.cuh asks for: Position, y's element type; of a scatter row_loop, the loop of v.
namespace ein {

template <i32 operands, i32 begins, i32 loops>
struct PositionArguments : Arguments<operands, begins, loops> {
    i64 data_length, data_step;  // of v in x, for a lookup
    i64 row_groups;              // groups of lanes in an output row, for a scatter
};

template <class K>
EIN_FN i64 position_at(typename K::Arguments const& a, typename K::Index place) {
    return to_i64(widened(((typename K::Position const*)a.operand[1])[place]));
}

template <class K>
EIN_FN void lookup_outputs(typename K::Arguments const& a, bool aligned) {
    using Index = typename K::Index;
    Index const outputs = (Index)a.outputs, step = (Index)gridDim.x * fold_threads;
    for (Index output = (Index)blockIdx.x * fold_threads + (i32)threadIdx.x; output < outputs; output += step) {
        Place<K> place = output_place<K>(a, output);
        i32 const count = lane_count<K>(a, place);
        i64 const position = position_at<K>(a, place.operand[1]) - a.begin[0];
        bool const here = position >= 0 && position < a.data_length;
        if (!here && K::accumulate) continue;
        typename K::State states[K::lanes];
#pragma unroll
        for (i32 lane = 0; lane < K::lanes; ++lane) states[lane].start();
        if (here) {
            place.operand[0] += (Index)position * (Index)a.data_step;
            auto const operands = K::load(a, place, count, aligned);
#pragma unroll
            for (i32 lane = 0; lane < K::lanes; ++lane) states[lane].start(K::join(a, operands, lane, place));
        }
        put_states<K>(a, output, place, states, aligned);
    }
}

template <class K>
EIN_FN void lookup(typename K::Arguments const& a) {
    if (K::aligned(a))
        lookup_outputs<K>(a, true);
    else
        lookup_outputs<K>(a, false);
}

constexpr i32 scatter_passes = 4;  // positions that a thread compares between two barriers

/// Bit t of masks[w]: whether term first + 32 w + t names this row.
template <class K>
EIN_FN void find_matches(typename K::Arguments const& a, Place<K> const& place, typename K::Index first, i64 wanted,
                         u32* masks) {
    using Index = typename K::Index;
    i32 const thread = (i32)threadIdx.x;
#pragma unroll
    for (i32 pass = 0; pass < scatter_passes; ++pass) {
        Index const term = first + pass * fold_threads + thread;
        Place<K> at = place;
        bool matches = false;
        if (term < (Index)a.terms) {
            walk<K>(a, term, K::outer, K::outer + K::inner, at);
            matches = position_at<K>(a, at.operand[1]) == wanted;
        }
        u32 const mask = __ballot_sync(0xffffffffu, matches);
        if (thread % 32 == 0) masks[(pass * fold_threads + thread) / 32] = mask;
    }
}

/// A block makes (a part of) an output row after another: its threads look for matching terms together, then each adds
/// its elements of all of them.
template <class K>
EIN_FN void scatter(typename K::Arguments const& a) {
    using Index = typename K::Index;
    constexpr i32 words = scatter_passes * fold_threads / 32;
    bool const aligned = K::aligned(a);
    __shared__ u32 masks[words];
    Index const group = (Index)blockIdx.y * fold_threads + (i32)threadIdx.x, groups = (Index)a.row_groups;
    Index const rows = (Index)a.outputs / groups;
    bool const mine = group < groups;
    for (Index row = (Index)blockIdx.x; row < rows; row += (Index)gridDim.x) {
        Place<K> const place = output_place<K>(a, row * groups + (mine ? group : 0));
        i64 const wanted = a.begin[0] + place.position[K::row_loop];
        i32 const count = lane_count<K>(a, place);
        bool found = false;
        typename K::State states[K::lanes];
#pragma unroll
        for (i32 lane = 0; lane < K::lanes; ++lane) states[lane].start();
        for (Index first = 0; first < (Index)a.terms; first += scatter_passes * fold_threads) {
            find_matches<K>(a, place, first, wanted, masks);
            __syncthreads();
            for (i32 word = 0; word < words; ++word)
                for (u32 mask = masks[word]; mask != 0; mask &= mask - 1) {
                    found = true;
                    if (!mine) continue;
                    Place<K> at = place;
                    walk<K>(a, first + 32 * word + __ffs((i32)mask) - 1, K::outer, K::outer + K::inner, at);
                    auto const operands = K::load(a, at, count, aligned);
#pragma unroll
                    for (i32 lane = 0; lane < K::lanes; ++lane) states[lane].add(K::join(a, operands, lane, at));
                }
            __syncthreads();
        }
        if (mine && (found || !K::accumulate)) put_states<K>(a, 0, place, states, aligned);
    }
}

}  // namespace ein
