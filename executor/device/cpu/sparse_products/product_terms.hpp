// Sums of products with one sparse operand, as they lie: a tree of its labels. Labels of the output come first (a group
// is the elements that share them: one output, or one run of outputs along the free label), then those that are
// summed. An operand is multiplied where its last label is known, after what lies below was added (as compressed sparse
// fibres are used). Example: "ijk,jr,kr->ir": a group is a row i; for each j the rows of operand 2 are added, then
// multiplied by a row of operand 1.
// Source of the factoring: Smith, Ravindran, Sidiropoulos, Karypis, SPLATT (2015).
#pragma once

#include <array>
#include <cmath>

#include "executor/device/cpu/sparse/sparse_source.hpp"
#include "executor/device/cpu/sparse_products/dense_operand.hpp"
#include "executor/device/cpu/sparse_products/row_loops.hpp"
#include "executor/device/kernel/gemm_match.hpp"

namespace ein::executor {

/// A sum of products that has loops, and their type: f32, f64, c64, c128, or i64 for all whole numbers, which wrap
/// alike, and for truth values: an output is true where a number of terms is not 0.
struct SumOfProducts {
    DType type;
    OperandProduct product;
};
/// @return nothing for what is none, or is computed in other types
std::optional<SumOfProducts> sum_of_products(KernelShape const& shape, KernelTypes const& types,
                                             scalar::Params const& params);

template <class T>
constexpr DType dtype_of_loops = DType::i64;
template <>
inline constexpr DType dtype_of_loops<float> = DType::f32;
template <>
inline constexpr DType dtype_of_loops<double> = DType::f64;
template <>
inline constexpr DType dtype_of_loops<Complex<float>> = DType::c64;
template <>
inline constexpr DType dtype_of_loops<Complex<double>> = DType::c128;

/// A constant of a product. Those of whole numbers are whole, and less than 2^53.
template <class T>
constexpr T factor_of(double factor) {
    return static_cast<T>(factor);
}
template <>
constexpr std::uint64_t factor_of(double factor) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(factor));
}
template <>
constexpr Complex<float> factor_of(double factor) {
    return Complex<float>(static_cast<float>(factor));
}
/// Whole numbers are finite.
template <class T>
bool is_finite(T value) {
    return std::isfinite(value);
}
template <class Real>
bool is_finite(Complex<Real> value) {
    return std::isfinite(value.re) && std::isfinite(value.im);
}
template <class T>
T nan_as_zero(T value) {
    return std::isnan(value) ? T(0) : value;
}
template <class Real>
Complex<Real> nan_as_zero(Complex<Real> value) {
    return {nan_as_zero(value.re), nan_as_zero(value.im)};
}
/// call(T) with the type of loops.
template <class Call>
auto with_loops_type(DType type, Call&& call) {
    if (type == DType::f32) return call(0.0f);
    if (type == DType::c64) return call(Complex<float>(0));
    if (type == DType::c128) return call(Complex<double>(0));
    return type == DType::f64 ? call(0.0) : call(std::uint64_t{0});
}

/// The structure, of a kernel: what its shape says.
struct ProductShape {
    struct Operand {
        std::vector<Extent> strides;  // by place of the source's labels, in elements
        int depth = -1;               // the last place that it has; -1: none
        bool runs = false;            // along the label that is free or dotted
    };
    SparsePlan::Source source;
    std::size_t group_places = 0;   // labels of the output that the sparse operand has: the first
    int free = SparsePlan::none;    // a label of the output that the sparse operand lacks
    int dotted = SparsePlan::none;  // a label that is summed and that it lacks
    bool has_value = true;          // the join mentions the sparse operand
    double factor = 1;
    DType type = DType::f32;          // of the loops
    std::vector<Operand> operands;    // dense, that the join mentions
    std::vector<DenseOperand> dense;  // the same: where they lie
};

/// @param labels  of the sparse operand, as it is to be sorted: those of the output first; empty: as it is best
/// @return nothing for what is no such sum, or is computed in a type that has no loops
std::optional<ProductShape> product_shape(KernelShape const& shape, KernelTypes const& types,
                                          scalar::Params const& params, std::vector<int> const& labels = {});

/// A launch's sums of one thread. Values of the sparse operand are brought to T a chunk at a time.
template <class T>
class ProductSums {
public:
    /// @param values  the dtype of the sparse operand  @param operands  as in ProductShape::operands
    ProductSums(ProductShape const& shape, RowLoops<T> const& loops, SparseSource const& source, DType values,
                std::span<void const* const> operands, std::size_t width, std::size_t dotted);

    /// The sum over elements that share the group's labels, without operands that have none but those.
    /// @param index  of the group's labels, by place  @param out  `width` sums
    void sum(SparseSource::Range range, std::span<Extent const> index, T* out);
    /// Each element's own term. @param range  of `run` elements at most  @param row  index
    /// of the first label
    void each(SparseSource::Range range, Extent row, T* out);

    static constexpr std::size_t run = 256;  // terms of a chunk: added before their sum is added without loss

private:
    struct Level {
        std::vector<std::size_t> vectors, scalars;  // operands
        std::vector<T> below;                       // sums
        bool runs_below = false;                    // an operand of a further level runs along the free label
    };

    void sum_factored(SparseSource::Range range, std::span<Extent const> index, T* out);
    void sum_plain(SparseSource::Range range, std::span<Extent const> index, T* out);
    void add_chunk(SparseSource::Range range, T* out);
    void add_level(std::size_t place, SparseSource::Range range, T* out);
    T add_scalars(std::size_t place, SparseSource::Range range);
    bool is_single(std::size_t operand, std::size_t place) const;
    T const* times(std::size_t operand, std::size_t place, SparseSource::Range range, T const* values);
    T add_rows(SparseSource::Range range);
    /// That of an element: in the same row as the one before, or the next one, mostly.
    Extent row_of(std::size_t e) {
        auto const has = [&](Extent row) { return e >= source_.row(row).begin && e < source_.row(row).end; };
        if (has(row_)) return row_;
        if (row_ + 1 < source_.rows() && has(row_ + 1)) return ++row_;
        return row_ = source_.first_index(e);
    }
    void add_leaf(SparseSource::Range range, T* out);
    T dots(SparseSource::Range range);
    T times_dot(T factor, std::size_t e, Extent row);
    /// Brings the values of a chunk, `run` elements at most, and their rows where these are summed.
    void bring(SparseSource::Range range, bool rows = true);
    void bring_rows(SparseSource::Range range);
    T const* values_of(SparseSource::Range range) const { return values_ + (range.begin - first_); }
    std::uint32_t index(std::size_t place, std::size_t e) const { return indices_[place][e]; }
    SparseSource::Range same(std::size_t place, SparseSource::Range range) const;
    T scalar_product(Level const& level) const;
    /// Moves what has this place along.
    void enter(std::size_t place, std::uint32_t index);
    T const* at(std::size_t operand) const { return at_[operand]; }

    ProductShape const& shape_;
    RowLoops<T> const& loops_;
    SparseSource const& source_;
    std::size_t places_, width_, dotted_;
    std::vector<std::uint32_t const*> indices_;   // by place
    std::vector<T const*> base_;                  // by operand: at the group's indices
    std::vector<std::vector<T const*>> entered_;  // by place: base with the indices of places before
    std::vector<T const*> at_;                    // where it is read now
    std::vector<Level> levels_;                   // by place
    bool fibres_ = false;                         // the last two places are done by one loop
    DType value_type_;
    T const* values_ = nullptr;  // of the chunk, and its first element
    std::size_t first_ = 0;
    std::array<T, run> brought_, scaled_;
    bool sums_rows_ = false, reads_rows_ = false;      // rows are summed, and operands have them
    bool by_rows_ = false;                             // each row's sum is multiplied by these
    Extent row_ = 0;                                   // the last one that was asked for
    std::array<std::uint32_t, run> rows_;              // of the chunk's elements, or 0
    std::vector<std::uint32_t const*> chunk_indices_;  // by place: of the chunk that is multiplied
    std::vector<Extent> chunk_strides_;
    std::vector<T> total_, low_, part_;
};

}  // namespace ein::executor
