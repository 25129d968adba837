#include "scheduler/ia/expression.hpp"

#include <unordered_map>
#include <unordered_set>

#include "lib/base/error.hpp"
#include "lib/base/hash.hpp"

namespace ein::ia {

namespace {

/// The parts of an operator that tell most operators apart; equality looks at all.
struct HashedParts {
    KeyDims operator()(Shuffle const& op) const { return op.dims; }
    KeyDims operator()(Join const& op) const { return op.left; }
    KeyDims operator()(Aggregation const& op) const { return op.group_by; }
    KeyDims operator()(Concat const& op) const { return {op.key_dim, op.array_dim}; }
    KeyDims operator()(Input const& op) const {
        KeyDims parts = op.type.sites.dims();
        for (char letter : op.name) parts.push_back(letter);
        return parts;
    }
    template <class Op>
    KeyDims operator()(Op const&) const {
        return {};
    }
};

std::uint64_t hash_of(Operator const& op, std::vector<Expr> const& inputs) {
    std::uint64_t hash = mix64(op.index() + 1);
    auto const add = [&](std::uint64_t part) { hash = mix64(hash * 0x9fb21c651e98df25u + part); };
    for (int part : std::visit(HashedParts{}, op)) add(static_cast<std::uint64_t>(part));
    for (Expr const& input : inputs) add(input.hash());
    return hash;
}

Expr made(Operator op, std::vector<Expr> inputs) {
    Checked<Expr> expr = make(op, std::move(inputs));
    if (tra::Problem const* const p = tra::problem(expr))
        throw InputError(Fault{"", text(op), p->expected, p->found, p->fix});
    return tra::value(expr);
}

struct Printer {
    std::string operator()(Input const& op) const { return op.name + ":" + text(op.type.sites); }
    std::string operator()(Broadcast const&) const { return "BCAST"; }
    std::string operator()(Shuffle const& op) const { return "SHUF" + tra::text(op.dims); }
    std::string operator()(Join const& op) const { return "⋈ᴸ" + tra::text(op); }
    std::string operator()(Aggregation const& op) const { return "Σᴸ" + tra::text(op); }
    std::string operator()(Filter const& op) const { return "σᴸ" + tra::text(op); }
    std::string operator()(Map const& op) const { return "λᴸ" + tra::text(op); }
    std::string operator()(Concat const& op) const {
        return "Σᴸ(⟨" + std::to_string(op.key_dim) + "⟩ᶜ,arrayConcat" + std::to_string(op.array_dim) + ")";
    }
};

class Distinct {
public:
    void operator()(Expr const& expr) {
        if (!seen_.insert(expr).second) return;
        for (Expr const& input : expr.inputs()) (*this)(input);
        order_.push_back(expr);
    }
    std::vector<Expr> take() { return std::move(order_); }

private:
    struct Hash {
        std::size_t operator()(Expr const& expr) const { return expr.hash(); }
    };
    std::unordered_set<Expr, Hash> seen_;
    std::vector<Expr> order_;
};

}  // namespace

bool operator==(Expr const& a, Expr const& b) {
    if (a.node_ == b.node_) return true;
    return a.hash() == b.hash() && a.op() == b.op() && a.inputs() == b.inputs();
}

Checked<Expr> make(Operator op, std::vector<Expr> inputs) {
    if (auto* const shuffled = std::get_if<Shuffle>(&op)) shuffled->dims = Sites::part(shuffled->dims).dims();
    Checked<Type> type = type_of(op, inputs);
    if (tra::Problem const* const p = tra::problem(type)) return *p;
    std::uint64_t const hash = hash_of(op, inputs);
    return Expr(Expr::Node{std::move(op), std::move(inputs), tra::value(type), hash});
}

Expr input(std::string name, RelationType relation, Sites sites, int site_count) {
    auto const tuples = static_cast<double>(relation.keys());
    return made(Input{std::move(name), Type{std::move(relation), std::move(sites), site_count, std::nullopt, tuples}},
                {});
}

Expr broadcast(Expr relation) { return made(Broadcast{}, {std::move(relation)}); }
Expr shuffle(KeyDims dims, Expr relation) { return made(Shuffle{std::move(dims)}, {std::move(relation)}); }
Expr local(Operator op, std::vector<Expr> inputs) { return made(std::move(op), std::move(inputs)); }

std::string text(Operator const& op) { return std::visit(Printer{}, op); }

std::string text(Expr const& expr) {
    std::string list;
    for (Expr const& input : expr.inputs()) list += (list.empty() ? "" : ", ") + text(input);
    return text(expr.op()) + (list.empty() ? "" : "(" + list + ")");
}

std::vector<Expr> distinct(std::vector<Expr> const& roots) {
    Distinct visit;
    for (Expr const& root : roots) visit(root);
    return visit.take();
}

}  // namespace ein::ia
