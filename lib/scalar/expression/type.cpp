#include "lib/scalar/expression/type.hpp"

#include "lib/scalar/expression/typing.hpp"

namespace ein::scalar {

TypeResult type_of(Expr const& expr, DType compute, DType weak) {
    try {
        TypedExpr const types(expr, compute);
        ValueType const& value = types.of(expr).value;
        DType const type = settled(value, weak);
        check_settled(types, expr, value.large ? weak : type);
        return {type, "", nullptr};
    } catch (Refused const& refused) {
        return {compute, refused.problem, refused.node};
    }
}

}  // namespace ein::scalar
