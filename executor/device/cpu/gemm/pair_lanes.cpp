// Products whose batch is in the lanes of vectors, for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled
// as pair_loops.cpp is.
#include "executor/device/cpu/gemm/pair_lanes.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "executor/device/cpu/gemm/pair_lanes_pack.hpp"
#include "executor/device/cpu/gemm/pair_small.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Index most_in_block = 128;                            // rows, columns and terms
constexpr Index vectors_of_b = 8192, vectors_of_others = 4096;  // 768 KiB: of the second-level cache
/// Rows and columns of products that are held in registers, at most: with a line of each they fill most of them.
constexpr int registers = sizeof(Vector<float>) == 64 ? 32 : 16;
template <int Parts>
constexpr Index most_rows = registers / 5 / Parts;  // 6 and 3 of 32, 3 and 1 of 16
constexpr Index most_columns = 4;

/// A block's matrices, the batch innermost: of complex numbers all real parts of a vector, then the imaginary ones. In
/// b terms of `most_columns` columns follow one another, then those of the next columns.
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
    Vector<T> const* b = block.b + column * block.terms;
    for (Index p = 0; p < block.terms; ++p, ++a, b += most_columns)
#pragma GCC unroll 6
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
    Vector<T> const* b = block.b + 2 * column * block.terms;
    for (Index p = 0; p < block.terms; ++p, a += 2, b += 2 * most_columns)
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

/// All columns of some rows: tiles of as many columns each as can be, for a row has the longer way to its next term.
template <class T, int Parts, int Rows>
void run_rows(Block<T> const& block, Index row) {
    using Tile = void(Block<T> const&, Index, Index);
    constexpr auto tiles = []<int... Less>(std::integer_sequence<int, Less...>) {
        if constexpr (Parts == 1)
            return std::array<Tile*, sizeof...(Less)>{real_tile<T, Rows, Less + 1>...};
        else
            return std::array<Tile*, sizeof...(Less)>{complex_tile<T, Rows, Less + 1>...};
    }
    (std::make_integer_sequence<int, most_columns>());
    for (Index column = 0; column < block.columns; column += most_columns)
        tiles[static_cast<std::size_t>(at_most(block.columns - column, most_columns) - 1)](block, row, column);
}

template <class T, int Parts>
void run_block(Block<T> const& block) {
    using Rows = void(Block<T> const&, Index);
    constexpr auto tiles = []<int... Less>(std::integer_sequence<int, Less...>) {
        return std::array<Rows*, sizeof...(Less)>{run_rows<T, Parts, Less + 1>...};
    }
    (std::make_integer_sequence<int, most_rows<Parts>>());
    Index const parts = parts_of(block.rows, most_rows<Parts>);
    Index rows = block.rows, more = 0;  // of each part; so many have one more
    if (parts > 1) {
        rows = block.rows / parts;
        more = block.rows - rows * parts;
    }
    for (Index row = 0; row < block.rows;) {
        Index const here = rows + (more-- > 0 ? 1 : 0);
        tiles[static_cast<std::size_t>(here - 1)](block, row);
        row += here;
    }
}

constexpr Index whole(Index count, Index of) { return parts_of(count, of) * of; }
/// About equal parts of at most `most`, which is some `of`, of whole `of`.
constexpr Index even_part(Index count, Index most, Index of) {
    return at_most(whole(parts_of(count, parts_of(count, most)), of), most);
}

using Each = Index[most_in_block];

/// Some rows of the products: where they lie.
template <class T, int Parts>
struct PlacedRows {
    Each in_a_at, in_c_at, in_a_to, in_c_to;
    Places<T, Parts, most_in_block> in_a, in_c;
};

template <class T, int Parts>
struct LanesMemory {
    Vector<T> b[vectors_of_b], others[vectors_of_others];
    PlacedRows<T, Parts> rows;
    Places<T, Parts, most_in_block> in_b;
    Each b_column, c_column, a_term, b_term;  // in memory
    Each b_column_to, b_term_to, in_order;
};

/// Some rows, columns and terms of all products of a call: where they lie is the same for the whole batch. A block of b
/// stays for all rows, which follow by blocks that leave room for it in the second-level cache.
template <class T, int Parts>
class LanesOfProducts {
public:
    using Memory = LanesMemory<T, Parts>;
    explicit LanesOfProducts(LanesCall const& call)
        : call_(call), product_(call.product), memory_(*reinterpret_cast<Memory*>(call.product.scratch)) {}

    void run() {
        for (Index i = 0; i < most_in_block; ++i) memory_.in_order[i] = i;
        Index const in_terms = even_part(product_.terms.count, lanes_block, 1);
        for (Index term = 0; term < product_.terms.count; term += in_terms) {
            block_.terms = at_most(product_.terms.count - term, in_terms);
            locate(product_.terms, term, block_.terms, memory_.a_term, memory_.b_term);
            for (Index i = 0; i < block_.terms; ++i) memory_.b_term_to[i] = i * most_columns;
            Index const most = at_most(most_in_block, vectors_of_b / (in_terms * Parts)) / most_columns * most_columns,
                        in_columns = even_part(product_.columns.count, most, most_columns);
            for (Index column = 0; column < product_.columns.count; column += in_columns) {
                block_.columns = at_most(product_.columns.count - column, in_columns);
                locate(product_.columns, column, block_.columns, memory_.b_column, memory_.c_column);
                for (Index i = 0; i < block_.columns; ++i)
                    memory_.b_column_to[i] = i / most_columns * most_columns * block_.terms + i % most_columns;
                memory_.in_b.set({memory_.b_term, memory_.b_term_to, block_.terms},
                                 {memory_.b_column, memory_.b_column_to, block_.columns});
                run_batch(product_.accumulate || term > 0);
            }
        }
    }

private:
    void run_batch(bool combine) {
        Iterations batch(call_.batch, call_.batch.first), batch_in_c(call_.batch_in_c, call_.batch_in_c.first);
        Index unused[lanes<T>];
        Index const all = product_.rows.count,
                    most = at_most(most_in_block, vectors_of_others / ((block_.terms + block_.columns) * Parts)),
                    in_rows = even_part(all, most, 1);
        place_rows(0, at_most(all, in_rows));
        for (Index done = 0; done < call_.batch.count; done += lanes<T>) {
            Index const held = at_most(call_.batch.count - done, lanes<T>);
            take(batch, held, in_a_.at, in_b_.at);
            take(batch_in_c, held, in_c_.at, unused);
            for (LanesAt<T>* lanes_at : {&in_a_, &in_b_, &in_c_}) lanes_at->set(held, Parts);
            load_matrix<T, Parts>(product_.b, in_b_, memory_.in_b, memory_.b);
            if (product_.conjugate_a != product_.conjugate_b)
                conjugate(memory_.b, whole(block_.columns, most_columns) * block_.terms);
            for (Index row = 0; row < all; row += in_rows) {
                if (in_rows < all) place_rows(row, at_most(all - row, in_rows));
                multiply(combine);
            }
        }
    }

    void place_rows(Index row, Index count) {
        PlacedRows<T, Parts>& rows = memory_.rows;
        block_.rows = count;
        locate(product_.rows, row, count, rows.in_a_at, rows.in_c_at);
        for (Index i = 0; i < count; ++i) {
            rows.in_a_to[i] = i * block_.terms;
            rows.in_c_to[i] = i * block_.columns;
        }
        rows.in_a.set({rows.in_a_at, rows.in_a_to, count}, {memory_.a_term, memory_.in_order, block_.terms});
        rows.in_c.set({rows.in_c_at, rows.in_c_to, count}, {memory_.c_column, memory_.in_order, block_.columns});
    }

    void multiply(bool combine) {
        Vector<T>* const a = memory_.others;
        Vector<T>* const c = a + block_.rows * block_.terms * Parts;
        load_matrix<T, Parts>(product_.a, in_a_, memory_.rows.in_a, a);
        block_.a = a;
        block_.b = memory_.b;
        block_.c = c;
        run_block<T, Parts>(block_);
        if (product_.conjugate_a) conjugate(c, block_.rows * block_.columns);
        store_matrix<T, Parts>(c, in_c_, memory_.rows.in_c, product_.c, static_cast<T>(product_.scale), combine);
        if (product_.pause != nullptr) product_.pause(product_.pause_of);
    }

    /// A conjugate of a times b is that of a times b's.
    static void conjugate(Vector<T>* elements, Index count) {
        if constexpr (Parts == 2)
            for (Index i = 0; i < count; ++i) elements[2 * i + 1] = -elements[2 * i + 1];
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
        case PairType::i32: return product<std::int32_t, 1>();
        case PairType::c64: return product<float, 2>();
        case PairType::c128: return product<double, 2>();
        case PairType::i64: return {};
    }
    return {};
}

namespace {

template <class T, int Parts>
LanesProduct one_by_one() {
    return {run_one_by_one<T, Parts>, sizeof(SmallMemory<ElementOf<T, Parts>>), 1};
}

}  // namespace

LanesProduct small_loops(PairType type) {
    if constexpr (fused) {
        if (type == PairType::f32) return one_by_one<float, 1>();
        if (type == PairType::f64) return one_by_one<double, 1>();
        if (type == PairType::i32) return one_by_one<std::int32_t, 1>();
        if (type == PairType::c64) return one_by_one<float, 2>();
        if (type == PairType::c128) return one_by_one<double, 2>();
    }
    return {};
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
