// Kernels of any EinSum: each output is a state into which its terms are folded. `sharing` threads of a block share an
// output (or a group of lanes of them): each folds every sharing-th term, then their states are merged pairwise; blocks
// along y share the terms of an output in parts, whose states lie in scratch until fold_parts() merges them. The order
// is that of the shape alone.
//
// K says:  Index (i32, i64), State (aggregate.cuh), Output; operands, outer, inner: numbers of operands and of loops
//          lanes, lane_loop, whole_lanes (they divide its length), output_access; sharing, rows (threads that share
//          an output are neighbours; else neighbours have different outputs), aggregates, accumulate, parted
//          Values load(a, place, count, aligned): the operands' lanes in the compute type
//          aligned(a): whether all runs are accesses of their own width
//          State::T join(a, values, lane, place): the value of one lane, in the accumulate type
//          stored(value): of the output's type;  accumulated(held): of the accumulate type
namespace ein {

constexpr i32 fold_threads = 256;

/// Another lane's state.
template <class State>
EIN_FN State from_lane(State const& state, i32 distance) {
    constexpr i32 words = sizeof(State) / 4;
    State other = state;
#pragma unroll
    for (i32 word = 0; word < words; ++word)
        ((u32*)&other)[word] = __shfl_xor_sync(0xffffffffu, ((u32 const*)&state)[word], distance);
    return other;
}

/// Merges the states of `sharing` neighbours of a warp into the first one's.
template <i32 sharing, class State>
EIN_FN void merge_neighbours(State& state) {
#pragma unroll
    for (i32 distance = 1; distance < sharing; distance *= 2) state.merge(from_lane(state, distance));
}

/// Merges the states of the threads that share an output into the first one's, through shared memory.
template <class K, i32 sharing, class State>
EIN_FN void merge_shares(State& state, i32 share, i32 column, bool takes_part) {
    constexpr i32 columns = fold_threads / K::sharing;
    __shared__ State held[sharing * columns];
    if (takes_part) held[share * columns + column] = state;
    __syncthreads();
#pragma unroll
    for (i32 half = sharing / 2; half > 0; half /= 2) {
        if (takes_part && share < half) {
            state.merge(held[(share + half) * columns + column]);
            held[share * columns + column] = state;
        }
        __syncthreads();
    }
}

template <class K, bool rows, int N>
EIN_FN void merge_states(typename K::State (&states)[N], i32 share, i32 column) {
#pragma unroll
    for (i32 lane = 0; lane < N; ++lane) {
        if constexpr (!rows) {
            merge_shares<K, K::sharing>(states[lane], share, column, true);
        } else {
            merge_neighbours<(K::sharing < 32 ? K::sharing : 32)>(states[lane]);
            if constexpr (K::sharing > 32)
                merge_shares<K, K::sharing / 32>(states[lane], share / 32, column, share % 32 == 0);
        }
    }
}

/// Folds terms first, first + step, ... below last of the output at `place` into its states, one a lane.
template <class K, int N>
EIN_FN void fold_terms(typename K::Arguments const& a, Place<K> const& place, typename K::Index first,
                       typename K::Index last, typename K::Index step, bool aligned, typename K::State (&states)[N]) {
    using Index = typename K::Index;
#pragma unroll 4
    for (Index term = first; term < last; term += step) {
        Place<K> at = place;
        walk<K>(a, term, K::outer, K::outer + K::inner, at);
        i32 const count = lane_count<K>(a, at);
        auto const values = K::load(a, at, count, aligned);
#pragma unroll
        for (i32 lane = 0; lane < K::lanes; ++lane)
            if (K::whole_lanes || lane < count) states[N == 1 ? 0 : lane].add(K::join(a, values, lane, at));
    }
}

/// The output's states go out: as results, or to scratch as part blockIdx.y of them.
template <class K, int N>
EIN_FN void put_states(typename K::Arguments const& a, typename K::Index output, Place<K> const& place,
                       typename K::State const (&states)[N], bool aligned) {
    using State = typename K::State;
    if constexpr (K::parted) {
        State* const to = (State*)a.scratch + ((i64)blockIdx.y * a.outputs + output) * N;
#pragma unroll
        for (i32 lane = 0; lane < N; ++lane) to[lane] = states[lane];
    } else {
        typename State::T values[N];
#pragma unroll
        for (i32 lane = 0; lane < N; ++lane) values[lane] = states[lane].result();
        write_output<K>(a, place.output, N == 1 ? 1 : lane_count<K>(a, place), values, aligned);
    }
}

template <class K>
EIN_FN void fold_outputs(typename K::Arguments const& a, bool aligned) {
    using Index = typename K::Index;
    constexpr i32 columns = fold_threads / K::sharing, states_of_thread = K::lane_loop < K::outer ? K::lanes : 1;
    i32 const thread = (i32)threadIdx.x;
    i32 const share = K::rows ? thread % K::sharing : thread / columns;
    i32 const column = K::rows ? thread / K::sharing : thread % columns;
    Index const outputs = (Index)a.outputs, part = (Index)a.part;
    Index const begin = (Index)blockIdx.y * part, end = begin + part < (Index)a.terms ? begin + part : (Index)a.terms;
    for (Index base = (Index)blockIdx.x * columns; base < outputs; base += (Index)gridDim.x * columns) {
        Index const output = base + column;
        typename K::State states[states_of_thread];
        Place<K> place;
#pragma unroll
        for (i32 lane = 0; lane < states_of_thread; ++lane) states[lane].start();
        if (output < outputs) {
            place = output_place<K>(a, output);
            fold_terms<K>(a, place, begin + share, end, (Index)K::sharing, aligned, states);
        }
        if constexpr (K::sharing > 1) merge_states<K, K::rows>(states, share, column);
        if (output < outputs && share == 0) put_states<K>(a, output, place, states, aligned);
    }
}

template <class K>
EIN_FN void fold(typename K::Arguments const& a) {
    if (K::aligned(a))
        fold_outputs<K>(a, true);
    else
        fold_outputs<K>(a, false);
}

/// The second phase: merges the a.parts states of each output.
template <class K>
EIN_FN void fold_parts(typename K::Arguments const& a) {
    using Index = typename K::Index;
    using State = typename K::State;
    constexpr i32 columns = fold_threads / K::sharing, lanes = K::lane_loop < K::outer ? K::lanes : 1;
    i32 const share = (i32)threadIdx.x / columns, column = (i32)threadIdx.x % columns;
    Index const outputs = (Index)a.outputs;
    for (Index base = (Index)blockIdx.x * columns; base < outputs; base += (Index)gridDim.x * columns) {
        Index const output = base + column;
        State states[lanes];
#pragma unroll
        for (i32 lane = 0; lane < lanes; ++lane) {
            states[lane].start();
            if (output < outputs)
                for (i64 part = share; part < a.parts; part += K::sharing)
                    states[lane].merge(((State const*)a.scratch)[(part * outputs + output) * lanes + lane]);
        }
        if constexpr (K::sharing > 1) merge_states<K, false>(states, share, column);
        if (output < outputs && share == 0)
            put_states<K>(a, output, output_place<K>(a, output), states, K::aligned(a));
    }
}

/// Nothing is aggregated: a value an output, as it is, for 0 + -0 is 0.
template <class K>
EIN_FN void map_outputs(typename K::Arguments const& a, bool aligned) {
    using Index = typename K::Index;
    Index const outputs = (Index)a.outputs, step = (Index)gridDim.x * fold_threads;
    for (Index output = (Index)blockIdx.x * fold_threads + (i32)threadIdx.x; output < outputs; output += step) {
        Place<K> const place = output_place<K>(a, output);
        i32 const count = lane_count<K>(a, place);
        auto const operands = K::load(a, place, count, aligned);
        typename K::State::T values[K::lanes] = {};
#pragma unroll
        for (i32 lane = 0; lane < K::lanes; ++lane)
            if (K::whole_lanes || lane < count) values[lane] = K::join(a, operands, lane, place);
        write_output<K>(a, place.output, count, values, aligned);
    }
}

template <class K>
EIN_FN void map(typename K::Arguments const& a) {
    if (K::aligned(a))
        map_outputs<K>(a, true);
    else
        map_outputs<K>(a, false);
}

}  // namespace ein
