// Products whose batch is in the lanes of vectors, for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled
// as pair_loops.cpp is.
#include "executor/device/cpu/gemm/pair_lanes.hpp"

#include <cstdint>
#include <utility>

#include "executor/device/cpu/gemm/pair_lanes_pack.hpp"

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
    static constexpr Index side = most_in_block, elements = side * lanes_block;
    Vector<T> a[elements * Parts], b[elements * Parts], c[side * side * Parts];
    Places<T, Parts, elements> in_a, in_b;
    Places<T, Parts, side * side> in_c;
    Index a_row[side], b_column[side], c_row[side], c_column[side], a_term[lanes_block], b_term[lanes_block];
};

/// Some rows, columns and terms of all products of a call: where they lie is the same for the whole batch.
template <class T, int Parts>
class LanesOfProducts {
public:
    using Memory = LanesMemory<T, Parts>;
    explicit LanesOfProducts(LanesCall const& call)
        : call_(call), product_(call.product), memory_(*reinterpret_cast<Memory*>(call.product.scratch)) {}

    void run() {
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
                memory_.in_a.set(memory_.a_row, block_.rows, memory_.a_term, block_.terms);
                for (Index column = 0; column < columns.count; column += in_columns) {
                    block_.columns = at_most(columns.count - column, in_columns);
                    locate(columns, column, block_.columns, memory_.b_column, memory_.c_column);
                    memory_.in_b.set(memory_.b_term, block_.terms, memory_.b_column, block_.columns);
                    memory_.in_c.set(memory_.c_row, block_.rows, memory_.c_column, block_.columns);
                    run_batch(product_.accumulate || term > 0);
                }
            }
        }
    }

private:
    void run_batch(bool combine) {
        Iterations batch(call_.batch, call_.batch.first), batch_in_c(call_.batch_in_c, call_.batch_in_c.first);
        Index unused[lanes<T>];
        block_.a = memory_.a;
        block_.b = memory_.b;
        block_.c = memory_.c;
        for (Index done = 0; done < call_.batch.count; done += lanes<T>) {
            Index const held = at_most(call_.batch.count - done, lanes<T>);
            take(batch, held, in_a_.at, in_b_.at);
            take(batch_in_c, held, in_c_.at, unused);
            for (LanesAt<T>* lanes_at : {&in_a_, &in_b_, &in_c_}) lanes_at->set(held, Parts);
            load_matrix<T, Parts>(product_.a, in_a_, memory_.in_a, memory_.a);
            load_matrix<T, Parts>(product_.b, in_b_, memory_.in_b, memory_.b);
            run_block<T, Parts>(block_);
            store_matrix<T, Parts>(memory_.c, in_c_, memory_.in_c, product_.c, static_cast<T>(product_.scale), combine);
            if (product_.pause != nullptr) product_.pause(product_.pause_of);
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

    LanesCall const& call_;
    PairCall const& product_;
    Memory& memory_;
    Block<T> block_{};
    LanesAt<T> in_a_, in_b_, in_c_;
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
