#include "lib/scalar/expression/walk.hpp"

#include <unordered_set>

namespace ein::scalar {

std::vector<Expr const*> arguments_first(Expr const& expr) {
    struct Place {
        Expr const* expr;
        std::size_t next_argument;
    };
    if (expr.args().empty()) return {&expr};
    std::vector<Expr const*> order;
    std::unordered_set<Node const*> seen;  // of nodes that may be met again: most have one owner
    std::vector<Place> path{{&expr, 0}};
    while (!path.empty()) {
        Place& here = path.back();
        auto const& args = here.expr->args();
        if (here.next_argument == args.size()) {
            order.push_back(here.expr);
            path.pop_back();
            continue;
        }
        Expr const& arg = args[here.next_argument++];
        if (arg.shared() && !seen.insert(&arg.node()).second) continue;
        if (arg.args().empty())
            order.push_back(&arg);
        else
            path.push_back({&arg, 0});
    }
    return order;
}

}  // namespace ein::scalar
