// Random expressions for property tests. Example: RandomExpression(seed, names).draw(4) is at most four calls deep.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "lib/scalar/ops.hpp"
#include "lib/scalar/parse.hpp"

namespace ein::scalar {

class RandomExpression {
public:
    RandomExpression(unsigned seed, Names names) : random_(seed), names_(std::move(names)) {}

    Expr draw(int depth) {
        if (depth <= 0 || below(6) == 0) return leaf();
        Op const op = static_cast<Op>(static_cast<int>(Op::neg) + below(op_count - static_cast<int>(Op::neg)));
        if (op == Op::cast) return Expr::cast(static_cast<DType>(below(dtype_count)), draw(depth - 1));
        if (op == Op::position) return draw(depth - 1);   // would throw for most values
        std::vector<Expr> args;
        for (int k = 0; k < info(op).arity; ++k) args.push_back(draw(depth - 1));
        return Expr::call(op, std::move(args));
    }

    int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

    double any_double() {   // all magnitudes
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
            case 3: return names_.labels.empty() ? Expr::integer(1) : Expr::index(below(static_cast<int>(names_.labels.size())));
            case 4: return names_.params.empty() ? Expr::integer(0) : Expr::param(names_.params[static_cast<std::size_t>(below(static_cast<int>(names_.params.size())))]);
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
};

}  // namespace ein::scalar
