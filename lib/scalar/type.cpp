#include "lib/scalar/type.hpp"

#include "lib/scalar/typing.hpp"

namespace ein::scalar {

TypeResult type_of(Expr const& expr, DType compute, DType weak) {
    try {
        TypedExpr const types(expr, compute);
        return {settled(types.of(expr).value, weak), ""};
    } catch (Refused const& refused) {
        return {compute, refused.problem};
    }
}

}  // namespace ein::scalar
