#include "lib/scalar/expression/walk.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace ein::scalar {
namespace {

constexpr std::int64_t most_reserved = 64;

/// Nodes that may be met again: most have one owner, and most expressions have few nodes.
class Seen {
public:
    /// @return whether it is new
    bool insert(Node const& node) {
        if (!many_.empty()) return many_.insert(&node).second;
        auto const end = few_.begin() + count_;
        if (std::find(few_.begin(), end, &node) != end) return false;
        few_[static_cast<std::size_t>(count_++)] = &node;
        if (count_ == most_searched) many_.insert(few_.begin(), few_.end());
        return true;
    }

private:
    static constexpr std::ptrdiff_t most_searched = 16;
    std::array<Node const*, most_searched> few_{};
    std::ptrdiff_t count_ = 0;
    std::unordered_set<Node const*> many_;
};

}  // namespace

std::vector<Expr const*> arguments_first(Expr const& expr) {
    struct Place {
        Expr const* expr;
        std::size_t next_argument;
    };
    if (expr.args().empty()) return {&expr};
    std::vector<Expr const*> order;
    order.reserve(static_cast<std::size_t>(std::min<std::int64_t>(expr.node().written, most_reserved)));
    Seen seen;
    if (expr.node().depth == 2) {
        for (Expr const& leaf : expr.args())
            if (!leaf.shared() || seen.insert(leaf.node())) order.push_back(&leaf);
        order.push_back(&expr);
        return order;
    }
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
        if (arg.shared() && !seen.insert(arg.node())) continue;
        if (arg.args().empty())
            order.push_back(&arg);
        else
            path.push_back({&arg, 0});
    }
    return order;
}

bool is_constant(Expr const& expr) { return operands_of(expr).empty() && labels_of(expr).empty(); }

}  // namespace ein::scalar
