// Kernels without aggregation whose output and some operands are contiguous along different loops: tiles of edge x edge
// elements of those operands pass through shared memory, so that both sides are read and written along their rows.
// The last outer loop is the output's, the one before it that of the operands that are tiled.
//
// K says, beside what fold.cuh asks for: edge, 32 or 64; Tiles, the shared memory; fetch(tiles, a, place, r, c): puts
// an element of each tiled operand to row r, column c; collect(tiles, a, place, r, c): Values with the tiled ones taken
// from there.
namespace ein {

constexpr i32 transpose_threads = 256;

template <i32 operands, i32 begins, i32 loops>
struct TransposeArguments : Arguments<operands, begins, loops> {
    i64 across, along;  // lengths of the last two loops: the operands', the output's
    i64 across_tiles, along_tiles;
};

/// The place where the last two loops stand at `across` and `along`, all others as in `place`.
template <class K>
EIN_FN Place<K> moved(typename K::Arguments const& a, Place<K> place, typename K::Index across,
                      typename K::Index along) {
    using Index = typename K::Index;
    constexpr i32 loop = K::outer - 2;
    place.position[loop] = across;
    place.position[loop + 1] = along;
#pragma unroll
    for (i32 k = 0; k < K::operands; ++k)
        place.operand[k] += across * (Index)a.step[k][loop] + along * (Index)a.step[k][loop + 1];
    place.output += across * (Index)a.output_step[loop] + along * (Index)a.output_step[loop + 1];
    return place;
}

template <class K>
EIN_FN void transpose(typename K::Arguments const& a) {
    using Index = typename K::Index;
    __shared__ typename K::Tiles tiles;
    constexpr i32 edge = K::edge, rows = transpose_threads / edge;
    i32 const column = (i32)threadIdx.x % edge, row = (i32)threadIdx.x / edge;
    Index const across = (Index)a.across, along = (Index)a.along, along_tiles = (Index)a.along_tiles;
    Index const tiles_of_plane = (Index)a.across_tiles * along_tiles;
    Index const plane = (Index)blockIdx.x / tiles_of_plane, tile = (Index)blockIdx.x % tiles_of_plane;
    Index const first_across = tile / along_tiles * edge, first_along = tile % along_tiles * edge;
    Place<K> base;
#pragma unroll
    for (i32 k = 0; k < K::operands; ++k) base.operand[k] = 0;
    base.output = 0;
    walk<K>(a, plane, 0, K::outer - 2, base);
#pragma unroll
    for (i32 r = row; r < edge; r += rows)
        if (first_across + column < across && first_along + r < along)
            K::fetch(tiles, a, moved<K>(a, base, first_across + column, first_along + r), r, column);
    __syncthreads();
#pragma unroll
    for (i32 r = row; r < edge; r += rows) {
        if (first_across + r >= across || first_along + column >= along) continue;
        Place<K> const place = moved<K>(a, base, first_across + r, first_along + column);
        typename K::State::T const values[1] = {K::join(a, K::collect(tiles, a, place, column, r), 0, place)};
        write_output<K>(a, place.output, 1, values, true);
    }
}

}  // namespace ein
