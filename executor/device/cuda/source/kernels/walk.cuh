// Loops of a kernel: linear numbers cut into positions along loops, and elements read and written in lanes. A thread
// handles `lanes` neighbours along one loop, the lane loop, which comes last among the loops of its kind.
// Steps are in elements. A kernel is described by a struct K, made for it; docs in fold.cuh.
namespace ein {

/// A loop's length (the lane loop's: in groups of lanes) and how to divide by it.
struct Length {
    i64 length;
    u32 multiplier, shift;
};
EIN_FN i32 quotient(i32 n, Length const& by) { return (i32)((__umulhi((u32)n, by.multiplier) + (u32)n) >> by.shift); }
EIN_FN i64 quotient(i64 n, Length const& by) { return n / by.length; }

/// What a kernel of an EinSum is called with; the host writes it as 64-bit words in this order. Outer loops come first,
/// over outputs, then inner ones, over the terms of an output; each array has one entry more than is used.
template <i32 operands, i32 begins, i32 loops>
struct Arguments {
    void const* operand[operands > 0 ? operands : 1];
    void* output;
    void* scratch;
    Fault* fault;
    i64 task;
    i64 begin[begins > 0 ? begins : 1];  // of labels whose value the join asks for
    Length length[loops + 1];
    i64 step[operands > 0 ? operands : 1][loops + 1];
    i64 output_step[loops + 1];
    i64 outputs, terms;  // in groups of lanes where the lane loop is among their loops
    i64 part, parts;     // terms of a part, and how many parts there are
    i64 lane_length;     // of the lane loop, in elements
};

/// Neighbours along the lane loop, as one access of up to 16 bytes has them.
template <class T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T at[N];
};

/// How an operand moves from lane to lane: not at all, to the next element, or by a step.
enum Access { fixed, run, strided };

/// Whether runs are accesses of their own width: they begin at multiples of N elements from `base`.
template <class T, int N>
EIN_FN bool is_aligned(void const* base) {
    return (u64)base % alignof(Pack<T, N>) == 0;
}

/// What a thread's lanes read of an operand from its place on: one element if it is fixed. Of the lanes [count, N)
/// nothing is read. Whether all runs are aligned is asked once a kernel, so that loops have no branches.
template <Access access, int N, class T, class Index>
EIN_FN auto lanes_of(void const* base, Index place, Index step, i32 count, bool aligned) {
    T const* const from = (T const*)base + place;
    if constexpr (access == fixed || N == 1) {
        return Pack<T, 1>{{*from}};
    } else {
        Pack<T, N> values;
        if (access == run && count == N && aligned) {
            values = *(Pack<T, N> const*)from;
        } else {
#pragma unroll
            for (i32 lane = 0; lane < N; ++lane)
                values.at[lane] = lane < count ? from[access == run ? (Index)lane : lane * step] : T{};
        }
        return values;
    }
}

/// The lane's value; the only one where the operand is fixed.
template <class T, int N>
EIN_FN T const& of_lane(Pack<T, N> const& values, i32 lane) {
    return values.at[N == 1 ? 0 : lane];
}

/// Writes `count` lanes of `values`.
template <Access access, class T, int N, class Index>
EIN_FN void write_lanes(Pack<T, N> const& values, void* base, Index place, Index step, i32 count, bool aligned) {
    T* const to = (T*)base + place;
    if (N > 1 && access == run && count == N && aligned) {
        *(Pack<T, N>*)to = values;
        return;
    }
#pragma unroll
    for (i32 lane = 0; lane < N; ++lane)
        if (lane < count) to[access == run ? (Index)lane : lane * step] = values.at[lane];
}

/// Where a thread stands: its position along each loop, and for each operand and the output the elements up to there.
template <class K>
struct Place {
    typename K::Index position[K::outer + K::inner + 1];  // one more: no loops, no array
    typename K::Index operand[K::operands + 1];
    typename K::Index output;
};

/// Adds the loops [first, last), of which `number` counts the combinations in C order, the last loop fastest.
template <class K>
EIN_FN void walk(typename K::Arguments const& a, typename K::Index number, i32 first, i32 last, Place<K>& place) {
    using Index = typename K::Index;
#pragma unroll
    for (i32 loop = last - 1; loop >= first; --loop) {
        Index rest = 0;
        if (loop > first) {
            rest = quotient(number, a.length[loop]);
            number -= rest * (Index)a.length[loop].length;
        }
        place.position[loop] = loop == K::lane_loop ? number * K::lanes : number;
        number = rest;
#pragma unroll
        for (i32 k = 0; k < K::operands; ++k) place.operand[k] += place.position[loop] * (Index)a.step[k][loop];
        if (loop < K::outer) place.output += place.position[loop] * (Index)a.output_step[loop];
    }
}

/// The place of an output (or group of lanes of them): the first K::outer loops.
template <class K>
EIN_FN Place<K> output_place(typename K::Arguments const& a, typename K::Index number) {
    Place<K> place;
#pragma unroll
    for (i32 k = 0; k < K::operands; ++k) place.operand[k] = 0;
    place.output = 0;
    walk<K>(a, number, 0, K::outer, place);
    return place;
}

/// How many of a group's lanes there are: all, but at the end of a lane loop that its lanes do not divide.
template <class K>
EIN_FN i32 lane_count(typename K::Arguments const& a, Place<K> const& place) {
    if constexpr (K::whole_lanes) return K::lanes;
    typename K::Index const left = (typename K::Index)a.lane_length - place.position[K::lane_loop];
    return left < K::lanes ? (i32)left : K::lanes;
}

/// Writes finished values: combined with what the output holds where K accumulates, then in the output's type.
template <class K, int N>
EIN_FN void write_output(typename K::Arguments const& a, typename K::Index place, i32 count,
                         typename K::State::T const (&values)[N], bool aligned) {
    using E = typename K::Output;
    constexpr Access access = N == 1 ? fixed : (Access)K::output_access;
    typename K::Index const step = N == 1 ? 0 : (typename K::Index)a.output_step[K::lane_loop];
    Pack<E, N> result;
    if constexpr (K::accumulate) {
        auto const held = lanes_of<access, N, E>(a.output, place, step, count, aligned);
#pragma unroll
        for (i32 lane = 0; lane < N; ++lane)
            result.at[lane] = narrowed<E>(
                K::stored(K::State::joined(K::accumulated(widened(held.at[lane])), values[lane])));
    } else {
#pragma unroll
        for (i32 lane = 0; lane < N; ++lane) result.at[lane] = narrowed<E>(K::stored(values[lane]));
    }
    write_lanes<access>(result, a.output, place, step, count, aligned);
}

}  // namespace ein
