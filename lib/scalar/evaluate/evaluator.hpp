// An expression made ready to be evaluated many times: its types worked out and its nodes in order, once.
// evaluate() is this for one element. Example: Evaluator(parse("x*y"), f32, f32, {}) called with (2, 3) gives 6.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/evaluate/functions.hpp"
#include "lib/scalar/evaluate/noise.hpp"
#include "lib/scalar/expression/typing.hpp"
#include "lib/scalar/operations/operation.hpp"

namespace ein::scalar {

class Evaluator {
public:
    /// @param noise  rounding errors to add to each operation; without it as exact as the widest types are
    /// @throws InputError for a param that `params` lacks or an expression that type_of refuses
    Evaluator(Expr const& expr, DType compute, DType weak, Params const& params, Noise* noise = nullptr);

    DType result_dtype() const { return result_; }

    /// @param operands  already converted to the compute type  @throws InputError for position() out of range
    Scalar operator()(std::span<Scalar const> operands, std::span<std::int64_t const> labels);

private:
    /// How a step's value comes about: what most elements are made of at once, all else by the operation's form.
    enum class Way : std::uint8_t { stays, operand, label, real_of_one, real_of_two, by_form };
    struct Step {
        Node const* node = nullptr;
        std::array<std::size_t, 3> args{};  // earlier steps
        Scalar value;                       // of the element at hand; of a number or param: always
        Way way = Way::by_form;
        Form form = Form::leaf;
        TypeRule rule = TypeRule::leaf;
        DType type = DType::f32;    // of the value
        std::optional<DType> work;  // as in Typing
        bool is_noisy = false;
        RealOfOne of_one;
        RealOfTwo of_two;
    };

    Way way_of(Step const& step) const;
    static Scalar fixed_value(Node const& node, Params const& params);
    Scalar computed(Step const& step) const;
    Scalar logic(Step const& step) const;
    Scalar of_work(Step const& step) const;
    Scalar converted(std::size_t arg, DType to) const;
    double real(Step const& step, std::size_t arg) const;
    bool truth(std::size_t arg) const;
    void add_noise(Step& step) const;

    Expr expr_;  // keeps the nodes alive
    std::vector<Step> steps_;
    DType result_ = DType::f32;
    Noise* noise_;
};

/// The InputError of a name that no param has.
[[noreturn]] void refuse_missing_param(std::string const& name);
/// The InputError of an expression that type_of refuses.
[[noreturn]] void refuse_type(std::string const& problem);
/// An element of a tensor of indices that is no index.
class PositionError : public InputError {
public:
    PositionError(std::int64_t index, std::int64_t extent);
    std::int64_t index() const { return index_; }
    std::int64_t extent() const { return extent_; }
    /// The fault of an element whose place is known. @param where  "tensor 'tok'"  @param at  its indices
    static Fault fault_at(std::string where, std::span<std::int64_t const> at, std::int64_t index, std::int64_t extent);

private:
    std::int64_t index_, extent_;
};
/// x, or x + extent when negative; nothing unless that is in [0, extent).
std::optional<std::int64_t> position_of(std::int64_t index, std::int64_t extent);
/// The same. @throws PositionError
std::int64_t checked_position(std::int64_t index, std::int64_t extent);
/// What a tensor of indices holds, of those of an extent: how many are wrong, how many negative, and the first of each.
struct IndexCounts {
    std::int64_t wrong = 0, negative = 0, first_wrong = 0, first_negative = 0;
};
/// @param at  gives element k as an integer, for k below `count`
template <class At>
IndexCounts count_indices(std::int64_t count, std::int64_t extent, At const& at) {
    IndexCounts found;
    for (std::int64_t k = count; k-- > 0;) {
        std::int64_t const index = at(k);
        if (!position_of(index, extent))
            ++found.wrong, found.first_wrong = k;
        else if (index < 0)
            ++found.negative, found.first_negative = k;
    }
    return found;
}

/// An operand x that a join has in position(x, n): it holds indices of n elements.
struct IndexedOperand {
    int operand = 0;
    std::int64_t extent = 0;
    friend bool operator==(IndexedOperand, IndexedOperand) = default;
};
/// All of a join, each once.
std::vector<IndexedOperand> indexed_operands(Expr const& join);

}  // namespace ein::scalar
