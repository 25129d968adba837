#include "lib/scalar/expression/type.hpp"

#include "lib/scalar/expression/typing.hpp"

namespace ein::scalar {

TypeResult type_of(Expr const& expr, DType compute, DType weak) {
    try {
        TypedExpr const types(expr, compute);
        DType const type = settled(types.of(expr).value, weak);
        check_settled(types, expr, type);
        return {type, "", nullptr};
    } catch (Refused const& refused) {
        return {compute, refused.problem, refused.node};
    }
}

}  // namespace ein::scalar
