// What an expression may be on a box of indices, by interval arithmetic: where a `where` decides by indices alone, the
// expression is often one number on much of the box. What is not known is every value, nan too, so an answer never says
// more than holds. 0*x is not 0 of an x that may be infinite. Leaves what is done with it to kernels and the planner.
// Example: of where([i] >= [k], x, -inf) on i in 0..3, k in 4..7 it is -inf, whatever x is.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/scalar/expression/agg.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// Indices of one label: begin, begin + 1, ..., end - 1.
struct IndexRange {
    Extent begin = 0, end = 1;
    bool empty() const { return end <= begin; }
    Extent length() const { return empty() ? 0 : end - begin; }
    friend bool operator==(IndexRange const&, IndexRange const&) = default;
};

/// Every value from `least` to `most`, and nan where it may be that too.
struct Range {
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
    bool nan = true;
    bool rounded = false;  // made of numbers that are not whole: elsewhere the last digit may be another

    static constexpr Range any() { return {}; }
    /// What an element of a type of up to 64 bits that is neither infinite nor nan may be.
    static constexpr Range finite() {
        return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max(), false};
    }
    static constexpr Range positive() {
        return {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), false};
    }
    /// So far from what types of 32 bits hold that a few products and sums of them stay numbers.
    static constexpr Range moderate() { return {-0x1p30, 0x1p30, false}; }
    static constexpr Range moderate_positive() { return {0x1p-30, 0x1p30, false}; }
    static constexpr Range either_zero() { return {-0.0, 0.0, false}; }
    static constexpr Range of(double value) { return {value, value, false}; }

    /// A zero is compared with either sign.
    bool is_point() const { return !nan && !rounded && least == most; }
    /// Whether it is this number and no other, with the sign of a zero.
    bool is(double value) const;
};

/// An expression made ready to be asked of many boxes; safe to ask from many threads at once.
class ExprRanges {
public:
    /// @param params  those that have a value; others may have any
    ExprRanges(Expr const& expr, Params const& params);

    /// @param box  of each label  @param operands  of each operand; those beyond may be anything
    Range on(std::span<IndexRange const> box, std::span<Range const> operands = {}) const;
    /// Whether it is an operand as it is on all of the box, whatever that is.
    bool is_operand(int slot, std::span<IndexRange const> box, std::span<Range const> operands) const;
    /// Whether some choice in it is made by indices alone: without, it says little of any box.
    bool chooses_by_index() const { return chooses_; }

private:
    struct Step {
        Op op = Op::number;
        int slot = 0;
        std::size_t args[3] = {0, 0, 0};
        Range value;  // of a number or param
        bool of_operands = false;
    };
    void find(std::span<IndexRange const> box, std::span<Range const> operands, Range* values) const;
    bool is_operand(int slot, std::size_t step, std::span<Range const> values) const;

    std::vector<Step> steps_;
    bool chooses_ = false;
};

/// Whether terms that are this make no difference to an aggregation of others; of a sum with either sign of a zero.
bool is_identity(Agg agg, Range const& term);

/// What so many values of a range are together; a sum that f32 may not hold may be infinite, one of zeros is 0.
Range aggregated(Agg agg, Range const& term, Extent terms);

/// What a number is as an element of a type.
Range stored(Range const& x, DType type);

/// The least range of `label` outside of which, in the box, `holds` says yes of every box: found by halving, so of
/// convex regions exactly, of others never too small. `holds(box)` must hold of every box within one that it holds of.
template <class Holds>
IndexRange least_range(std::vector<IndexRange> box, std::size_t label, Holds const& holds) {
    IndexRange const whole = box[label];
    if (whole.empty()) return whole;
    auto const outside = [&](Extent begin, Extent end) {
        if (begin == end) return true;
        box[label] = {begin, end};
        return static_cast<bool>(holds(box));
    };
    if (outside(whole.begin, whole.end)) return {whole.begin, whole.begin};
    Extent low = whole.begin, high = whole.end;  // [begin, low) holds, [begin, high) does not
    while (high - low > 1) {
        Extent const middle = low + (high - low) / 2;
        (outside(whole.begin, middle) ? low : high) = middle;
    }
    Extent const first = low;
    low = first, high = whole.end;  // [high, end) holds, [low, end) does not
    while (high - low > 1) {
        Extent const middle = low + (high - low) / 2;
        (outside(middle, whole.end) ? high : low) = middle;
    }
    return {first, high};
}

}  // namespace ein::scalar
