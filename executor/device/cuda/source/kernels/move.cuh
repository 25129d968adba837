// Kernels that move elements without computing: strided copies and constants, in units of 1 to 16 bytes; reshapes whose
// shared elements form no box. The host has fused axes and chosen units.
// Example: copy<MoveArguments<2>, Unit<16>, i32> copies rows in pieces of 16 bytes.
namespace ein {

constexpr i32 move_threads = 256;

struct alignas(16) Sixteen {
    u32 at[4];
};
template <int bytes>
struct Bytes {};
EIN_FN u8 unit_of(Bytes<1>) { return {}; }
EIN_FN u16 unit_of(Bytes<2>) { return {}; }
EIN_FN u32 unit_of(Bytes<4>) { return {}; }
EIN_FN u64 unit_of(Bytes<8>) { return {}; }
EIN_FN Sixteen unit_of(Bytes<16>) { return {}; }
template <int bytes>
using Unit = decltype(unit_of(Bytes<bytes>{}));

/// Axes from the outermost; steps and offsets in units.
template <i32 axes>
struct MoveArguments {
    static constexpr i32 order = axes;
    void const* from;
    void* to;
    void* scratch;
    Fault* fault;
    i64 task;
    i64 no_begin;
    Length length[axes + 1];
    i64 from_step[axes + 1], to_step[axes + 1];
    i64 from_offset, to_offset;
    i64 count;
};

template <class A, class U, class Index>
EIN_FN void copy(A const& a) {
    Index const count = (Index)a.count, step = (Index)gridDim.x * move_threads;
#pragma unroll 2
    for (Index unit = (Index)blockIdx.x * move_threads + (i32)threadIdx.x; unit < count; unit += step) {
        Index number = unit, from = 0, to = 0;
#pragma unroll
        for (i32 axis = A::order - 1; axis >= 0; --axis) {
            Index rest = 0;
            if (axis > 0) {
                rest = quotient(number, a.length[axis]);
                number -= rest * (Index)a.length[axis].length;
            }
            from += number * (Index)a.from_step[axis];
            to += number * (Index)a.to_step[axis];
            number = rest;
        }
        ((U*)a.to)[a.to_offset + to] = ((U const*)a.from)[a.from_offset + from];
    }
}

struct FillArguments {
    void const* unused;
    void* to;
    void* scratch;
    Fault* fault;
    i64 task;
    i64 no_begin;
    u64 low, high;      // 16 bytes of the value, repeated
    i64 offset, count;  // in units
};

template <class U>
EIN_FN U repeated(FillArguments const& a) {
    if constexpr (sizeof(U) == 16)
        return U{{(u32)a.low, (u32)(a.low >> 32), (u32)a.high, (u32)(a.high >> 32)}};
    else
        return (U)a.low;
}

template <class U>
EIN_FN void fill(FillArguments const& a) {
    U const value = repeated<U>(a);
    i64 const step = (i64)gridDim.x * move_threads;
    for (i64 unit = (i64)blockIdx.x * move_threads + (i32)threadIdx.x; unit < a.count; unit += step)
        ((U*)a.to)[a.offset + unit] = value;
}

/// A reshape: the walked box is that of the smaller block, its elements counted in C order; some lie in the other box
/// too.
template <i32 walked, i32 other>
struct ReshapeArguments {
    static constexpr i32 chunk_elements = 16 * move_threads;  // of the walked box, for a block
    void const* from;
    void* to;
    i64* scratch;  // shared elements of each chunk, then of all chunks before it
    Fault* fault;
    i64 task;
    i64 no_begin;
    Length walked_length[walked + 1];  // of the box
    i64 walked_begin[walked + 1];
    i64 walked_step[walked + 1];  // of the whole shape: to the linear number of an element
    Length other_shape[other + 1];
    i64 other_begin[other + 1], other_length[other + 1];
    i64 count;   // elements of the walked box
    i64 chunks;  // of chunk_elements

    /// The element's number in the other box, or -1.
    EIN_FN i64 place_in_other(i64 element) const {
        i64 linear = 0, place = 0, step = 1;
        for (i32 axis = walked - 1; axis >= 0; --axis) {
            i64 const rest = quotient(element, walked_length[axis]);
            linear += (element - rest * walked_length[axis].length + walked_begin[axis]) * walked_step[axis];
            element = rest;
        }
        bool inside = true;
        for (i32 axis = other - 1; axis >= 0; --axis) {
            i64 const rest = quotient(linear, other_shape[axis]);
            i64 const at = linear - rest * other_shape[axis].length - other_begin[axis];
            inside = inside && at >= 0 && at < other_length[axis];
            place += at * step;
            step *= other_length[axis];
            linear = rest;
        }
        return inside ? place : -1;
    }
};

/// Packed elements are numbered as they come in C order: how many threads of the block before this one have one, and,
/// through `all`, how many there are.
EIN_FN i32 number_in_block(bool mine, i32& all) {
    __shared__ i32 of_warp[move_threads / 32];
    i32 const thread = (i32)threadIdx.x;
    u32 const mask = __ballot_sync(0xffffffffu, mine);
    if (thread % 32 == 0) of_warp[thread / 32] = __popc(mask);
    __syncthreads();
    i32 before = __popc(mask & ((1u << thread % 32) - 1));
    all = 0;
    for (i32 warp = 0; warp < move_threads / 32; ++warp) {
        if (warp < thread / 32) before += of_warp[warp];
        all += of_warp[warp];
    }
    __syncthreads();
    return before;
}

/// First phase: counts each chunk's shared elements.
template <class A>
EIN_FN void count_shared(A const& a) {
    i64 const first = (i64)blockIdx.x * A::chunk_elements;
    i32 count = 0;
    for (i32 part = 0; part < A::chunk_elements; part += move_threads) {
        i64 const element = first + part + (i32)threadIdx.x;
        i32 all = 0;
        number_in_block(element < a.count && a.place_in_other(element) >= 0, all);
        count += all;
    }
    if (threadIdx.x == 0) a.scratch[blockIdx.x] = count;
}

/// Second phase, one block: chunks' counts become the counts before them. Each thread sums neighbouring chunks.
template <class A>
EIN_FN void sum_chunks(A const& a) {
    __shared__ i64 of_thread[move_threads];
    i64 const share = (a.chunks + move_threads - 1) / move_threads, first = (i64)threadIdx.x * share;
    i64 const last = first + share < a.chunks ? first + share : a.chunks;
    i64 sum = 0;
    for (i64 chunk = first; chunk < last; ++chunk) sum += a.scratch[chunk];
    of_thread[threadIdx.x] = sum;
    __syncthreads();
    i64 before = 0;
    for (i32 thread = 0; thread < (i32)threadIdx.x; ++thread) before += of_thread[thread];
    for (i64 chunk = first; chunk < last; ++chunk) {
        i64 const count = a.scratch[chunk];
        a.scratch[chunk] = before;
        before += count;
    }
}

enum Form { direct, pack, unpack };

/// Third phase, or the only one of a direct move. `walks_from`: the walked box is that of `from`.
template <class A, class U, Form form, bool walks_from>
EIN_FN void reshape(A const& a) {
    i64 const first = (i64)blockIdx.x * A::chunk_elements;
    i64 packed = form == direct ? 0 : a.scratch[blockIdx.x];
    for (i32 part = 0; part < A::chunk_elements; part += move_threads) {
        i64 const element = first + part + (i32)threadIdx.x;
        i64 const place = element < a.count ? a.place_in_other(element) : -1;
        i64 from = walks_from ? element : place, to = walks_from ? place : element;
        if constexpr (form != direct) {
            i32 all = 0;
            i64 const number = packed + number_in_block(place >= 0, all);
            packed += all;
            (form == pack ? to : from) = number;
        }
        if (place >= 0) ((U*)a.to)[to] = ((U const*)a.from)[from];
    }
}

}  // namespace ein
