#include "scheduler/ia/cost.hpp"

namespace ein::ia {

Cost& Cost::operator+=(Cost const& other) {
    stored += other.stored;
    frontier += other.frontier;
    return *this;
}

Cost own_cost(Expr const& expr) {
    if (!expr.sends()) return {};
    Type const& sent = expr.input().type();
    double const times = expr.as<Broadcast>() ? sent.site_count : 1;
    return {times * sent.floats(), times * sent.relation.frontier_floats()};
}

Cost cost(std::vector<Expr> const& roots) {
    Cost sum;
    for (Expr const& expr : distinct(roots)) sum += own_cost(expr);
    return sum;
}

}  // namespace ein::ia
