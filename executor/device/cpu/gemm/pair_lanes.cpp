// Products whose batch is in the lanes of vectors, for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled
// as pair_loops.cpp is.
#include "executor/device/cpu/gemm/pair_lanes.hpp"

#include <cstdint>
#include <utility>

#include "executor/device/cpu/gemm/pair_pack.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Index most_in_block = 48;  // rows and columns: both operands of a block fit the second-level cache
constexpr Index side_of_tile = 4;    // rows and columns of products that are held in registers

/// A block's matrices, the batch innermost: of complex numbers all real parts of a vector, then the imaginary ones.
template <class T>
struct Block {
    Vector<T> const *a, *b;
    Vector<T>* c;
    Index rows, columns, terms;
};

template <class T, int Rows, int Columns>
void real_tile(Block<T> const& block, Index row, Index column) {
    Vector<T> held[Rows][Columns] = {};
    Vector<T> const* a = block.a + row * block.terms;
    Vector<T> const* b = block.b + column;
    for (Index p = 0; p < block.terms; ++p, ++a, b += block.columns)
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
            for (int c = 0; c < Columns; ++c) held[r][c] = fused_sum(held[r][c], a[r * block.terms], b[c]);
    for (int r = 0; r < Rows; ++r)
        for (int c = 0; c < Columns; ++c) block.c[(row + r) * block.columns + column + c] = held[r][c];
}

template <class T, int Rows, int Columns>
void complex_tile(Block<T> const& block, Index row, Index column) {
    Vector<T> re[Rows][Columns] = {}, im[Rows][Columns] = {};
    Vector<T> const* a = block.a + 2 * row * block.terms;
    Vector<T> const* b = block.b + 2 * column;
    for (Index p = 0; p < block.terms; ++p, a += 2, b += 2 * block.columns)
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            Vector<T> const a_re = a[2 * r * block.terms], a_im = a[2 * r * block.terms + 1], less = -a_im;
#pragma GCC unroll 4
            for (int c = 0; c < Columns; ++c) {
                re[r][c] = fused_sum(re[r][c], a_re, b[2 * c]);
                re[r][c] = fused_sum(re[r][c], less, b[2 * c + 1]);
                im[r][c] = fused_sum(im[r][c], a_re, b[2 * c + 1]);
                im[r][c] = fused_sum(im[r][c], a_im, b[2 * c]);
            }
        }
    for (int r = 0; r < Rows; ++r)
        for (int c = 0; c < Columns; ++c) {
            Index const at = 2 * ((row + r) * block.columns + column + c);
            block.c[at] = re[r][c];
            block.c[at + 1] = im[r][c];
        }
}

template <class T, int Parts, int Rows, int Columns>
void run_tile(Block<T> const& block, Index row, Index column) {
    if constexpr (Parts == 1)
        real_tile<T, Rows, Columns>(block, row, column);
    else
        complex_tile<T, Rows, Columns>(block, row, column);
}

template <class T, int Parts, int Rows>
void run_rows(Block<T> const& block, Index row) {
    Index column = 0;
    for (; column + side_of_tile <= block.columns; column += side_of_tile)
        run_tile<T, Parts, Rows, side_of_tile>(block, row, column);
    if (block.columns - column >= 2) run_tile<T, Parts, Rows, 2>(block, row, column), column += 2;
    if (block.columns > column) run_tile<T, Parts, Rows, 1>(block, row, column);
}

template <class T, int Parts>
void run_block(Block<T> const& block) {
    constexpr int most = Parts == 1 ? 4 : 2;
    Index row = 0;
    for (; row + most <= block.rows; row += most) run_rows<T, Parts, most>(block, row);
    if (block.rows - row >= 2) run_rows<T, Parts, 2>(block, row), row += 2;
    if (block.rows > row) run_rows<T, Parts, 1>(block, row);
}

constexpr Index even_part(Index count, Index most) { return parts_of(count, parts_of(count, most)); }

template <class T, int Parts>
struct LanesMemory {
    static constexpr Index side = most_in_block, elements = side * lanes_block * Parts;
    Vector<T> a[elements], b[elements], c[side * side * Parts];
    Index pairs[elements], done[elements], begins[elements], place[elements], width[elements],
        adjacent[side * side * Parts];
    Index a_row[side], b_column[side], c_row[side], c_column[side], a_term[lanes_block], b_term[lanes_block];
    Index a_lane[lanes<T>], b_lane[lanes<T>], c_lane[lanes<T>], unused[lanes<T>];
};

template <class T, int Parts>
class LanesOfProducts {
public:
    using Memory = LanesMemory<T, Parts>;
    explicit LanesOfProducts(LanesCall const& call)
        : call_(call), product_(call.product), memory_(*reinterpret_cast<Memory*>(call.product.scratch)) {}

    void run() {
        for (Index done = 0; done < call_.batch.count; done += lanes<T>) {
            held_ = at_most(call_.batch.count - done, lanes<T>);
            find(call_.batch, call_.batch.first + done, held_, memory_.a_lane, memory_.b_lane);
            find(call_.batch_in_c, call_.batch_in_c.first + done, held_, memory_.c_lane, memory_.unused);
            for (Index l = 0; l < held_; ++l) {
                memory_.a_lane[l] *= Parts;
                memory_.b_lane[l] *= Parts;
                memory_.c_lane[l] *= Parts;
            }
            side_by_side_ = Parts == 1 && even_step(memory_.c_lane, held_) == 1;
            run_lanes();
            if (product_.pause != nullptr) product_.pause(product_.pause_of);
        }
    }

private:
    void run_lanes() {
        PairLabels const &rows = product_.rows, &columns = product_.columns, &terms = product_.terms;
        Index const in_rows = even_part(rows.count, most_in_block),
                    in_columns = even_part(columns.count, most_in_block),
                    in_terms = even_part(terms.count, lanes_block);
        for (Index term = 0; term < terms.count; term += in_terms) {
            block_.terms = at_most(terms.count - term, in_terms);
            locate(terms, term, block_.terms, memory_.a_term, memory_.b_term);
            for (Index row = 0; row < rows.count; row += in_rows) {
                block_.rows = at_most(rows.count - row, in_rows);
                locate(rows, row, block_.rows, memory_.a_row, memory_.c_row);
                pack_matrix(product_.a, memory_.a_lane, memory_.a_row, block_.rows, memory_.a_term, block_.terms,
                            memory_.a);
                for (Index column = 0; column < columns.count; column += in_columns) {
                    bool const packed = row > 0 && in_columns >= columns.count;
                    block_.columns = at_most(columns.count - column, in_columns);
                    if (!packed) {
                        locate(columns, column, block_.columns, memory_.b_column, memory_.c_column);
                        pack_matrix(product_.b, memory_.b_lane, memory_.b_term, block_.terms, memory_.b_column,
                                    block_.columns, memory_.b);
                    }
                    block_.a = memory_.a;
                    block_.b = memory_.b;
                    block_.c = memory_.c;
                    run_block<T, Parts>(block_);
                    store(product_.accumulate || term > 0);
                }
            }
        }
    }

    static void locate(PairLabels labels, Index first, Index count, Index* one, Index* other) {
        labels.group = 0;
        find(labels, labels.first + first, count, one, other);
        for (Index i = 0; i < count && Parts > 1; ++i) {
            one[i] *= Parts;
            other[i] *= Parts;
        }
    }

    Index place_pairs(Index const* down, Index rows, Index const* across, Index columns) {
        Index* pair = memory_.pairs;
        for (Index r = 0; r < rows; ++r)
            for (Index c = 0; c < columns; ++c)
                for (Index part = 0; part < Parts; ++part) *pair++ = down[r] + across[c] + part;
        return rows * columns * Parts;
    }

    void pack_matrix(void const* from, Index const* lane, Index const* down, Index rows, Index const* across,
                     Index columns, Vector<T>* to) {
        Index const pairs = place_pairs(down, rows, across, columns);
        Seen<T> seen;
        pack<T, lanes<T>, false>({static_cast<T const*>(from), lane, held_, memory_.pairs, pairs},
                                 Slivers(1, 1, lanes<T>), reinterpret_cast<T*>(to),
                                 {memory_.done, memory_.begins, memory_.place, memory_.width}, seen);
    }

    void store(bool combine) {
        Index const pairs = place_pairs(memory_.c_row, block_.rows, memory_.c_column, block_.columns);
        T* const c = static_cast<T*>(product_.c);
        T const scale = static_cast<T>(product_.scale);
        if (side_by_side_) {
            for (Index k = 0; k < pairs; ++k) {
                T* const to = c + memory_.c_lane[0] + memory_.pairs[k];
                Vector<T> value = memory_.c[k] * scale;
                if (held_ == lanes<T>) {
                    if (combine) value += *(Anywhere<T> const*)to;
                    *(Anywhere<T>*)to = value;
                } else {
                    if (combine) value += first_lanes<T>(to, held_);
                    set_first_lanes<T>(to, held_, value);
                }
            }
            return;
        }
        find_adjacent(memory_.pairs, pairs, memory_.adjacent);
        constexpr Index side = lanes<T> < 8 ? lanes<T> : 8;
        for (Index k = 0; k < pairs;) {
            bool const square = memory_.adjacent[k] >= side;
            if (square)
                store_squares<side>(c, k, scale, combine);
            else
                for (Index lane = 0; lane < held_; ++lane) {
                    T* const to = c + memory_.c_lane[lane] + memory_.pairs[k];
                    T const value = reinterpret_cast<T const*>(memory_.c + k)[lane] * scale;
                    *to = combine ? *to + value : value;
                }
            k += square ? side : 1;
        }
    }

    /// `Side` outputs that lie side by side in each matrix.
    template <int Side>
    void store_squares(T* c, Index k, T scale, bool combine) {
        using Group = typename EIN_INSTRUCTION_SET::Group<T, Side>::Anywhere;
        for (Index first = 0; first < held_; first += Side) {
            T const* from[Side];
            alignas(64) T turned[Side][Side];
            T* to[Side];
            for (int i = 0; i < Side; ++i) from[i] = reinterpret_cast<T const*>(memory_.c + k + i) + first;
            for (int j = 0; j < Side; ++j) to[j] = turned[j];
            Seen<T> seen;
            turn_square<T, Side, false>(from, 0, to, seen);
            for (Index j = 0; j < Side && first + j < held_; ++j) {
                T* const out = c + memory_.c_lane[first + j] + memory_.pairs[k];
                Group value = *(Group const*)turned[j] * scale;
                if (combine) value += *(Group const*)out;
                *(Group*)out = value;
            }
        }
    }

    LanesCall const& call_;
    PairCall const& product_;
    Memory& memory_;
    Block<T> block_{};
    Index held_ = 0;
    bool side_by_side_ = false;
};

template <class T, int Parts>
void run(LanesCall const& call) {
    LanesOfProducts<T, Parts>(call).run();
}

template <class T, int Parts>
LanesProduct product() {
    if constexpr (!fused)
        return {};
    else
        return {run<T, Parts>, sizeof(LanesMemory<T, Parts>), lanes<T>};
}

}  // namespace

LanesProduct lanes_loops(PairType type) {
    switch (type) {
        case PairType::f32: return product<float, 1>();
        case PairType::f64: return product<double, 1>();
        case PairType::c64: return product<float, 2>();
        case PairType::c128: return product<double, 2>();
        case PairType::i64: return {};
    }
    return {};
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
