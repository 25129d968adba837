// Random expressions for property tests. Example: RandomExpression(seed, names).draw(4) is at most four calls deep;
// with a list of ops it uses only those.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::scalar {

class RandomExpression {
public:
    RandomExpression(unsigned seed, Names names) : RandomExpression(seed, std::move(names), every_op()) {}
    RandomExpression(unsigned seed, Names names, std::vector<Op> ops)
        : random_(seed), names_(std::move(names)), ops_(std::move(ops)) {}

    Expr draw(int depth) {
        if (depth <= 0 || below(6) == 0) return leaf();
        Op const op = ops_[static_cast<std::size_t>(below(static_cast<int>(ops_.size())))];
        if (op == Op::cast)
            return Expr::cast(casts[static_cast<std::size_t>(below(static_cast<int>(casts.size())))], draw(depth - 1));
        std::vector<Expr> args;
        for (int k = 0; k < info(op).arity; ++k) args.push_back(draw(depth - 1));
        return Expr::call(op, std::move(args));
    }

    /// All but position, which would throw for most values.
    static std::vector<Op> every_op() {
        std::vector<Op> ops;
        for (int k = static_cast<int>(Op::neg); k < op_count; ++k) {
            if (static_cast<Op>(k) != Op::position) ops.push_back(static_cast<Op>(k));
        }
        return ops;
    }

    std::vector<DType> casts{DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128,
                             DType::i8,  DType::i16,  DType::i32, DType::i64, DType::u8,  DType::boolean};

    int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

    double any_double() {  // all magnitudes
        double const mantissa = std::uniform_real_distribution<double>(-2, 2)(random_);
        return below(2) == 0 ? mantissa : std::ldexp(mantissa, below(40) - 20);
    }

    std::mt19937& random() { return random_; }

private:
    Expr leaf() {
        switch (below(8)) {
            case 0: return Expr::integer(below(9) - 4);
            case 1: return Expr::number(any_double());
            case 2: return special();
            case 3:
                return names_.labels.empty() ? Expr::integer(1)
                                             : Expr::index(below(static_cast<int>(names_.labels.size())));
            case 4:
                return names_.params.empty() ? Expr::integer(0)
                                             : Expr::param(names_.params[static_cast<std::size_t>(
                                                   below(static_cast<int>(names_.params.size())))]);
            default: return names_.operands == 0 ? Expr::integer(2) : Expr::operand(below(names_.operands));
        }
    }

    Expr special() {
        switch (below(5)) {
            case 0: return Expr::number(std::numeric_limits<double>::infinity());
            case 1: return Expr::number(-std::numeric_limits<double>::infinity());
            case 2: return Expr::number(std::numeric_limits<double>::quiet_NaN());
            case 3: return Expr::number(-0.0);
            default: return Expr::number(1.0);
        }
    }

    std::mt19937 random_;
    Names names_;
    std::vector<Op> ops_;
};

}  // namespace ein::scalar
