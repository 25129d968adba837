// One element at a time, in the widest type of its kind: the reference of Program. Reals are computed in double,
// complex in complex<double>, integers exactly and wrapped to their type after each operation.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "lib/scalar/expression/agg.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// A value of any dtype: integers and bool in `integer`, everything else in `number`.
struct Scalar {
    bool is_integer = false;
    std::int64_t integer = 0;
    std::complex<double> number;

    static Scalar of(std::int64_t value) { return {true, value, 0.0}; }
    static Scalar of(std::complex<double> value) { return {false, 0, value}; }
};

/// Equal as values: -0 is 0, nan is nan.
bool same_value(Scalar const& a, Scalar const& b);
/// To the bit: -0 is not 0, a nan is itself.
bool same_bits(Scalar const& a, Scalar const& b);

/// @param operands  already converted to `compute`  @param labels  index values by label position
Scalar evaluate(Expr const& expr, DType compute, DType weak, std::span<Scalar const> operands,
                std::span<std::int64_t const> labels, Params const& params);

/// Rounds or wraps a value to a dtype (f16, bf16 and f32 round; integers wrap; nan to integer is 0, as are inf; bool is
/// value != 0).
Scalar convert(Scalar value, DType from, DType to);

Scalar identity(Agg agg, DType type);
Scalar combine(Agg agg, DType type, Scalar a, Scalar b);  // nan wins min and max, as in NumPy

}  // namespace ein::scalar
