#include "scheduler/ia/interpret.hpp"

#include <algorithm>
#include <unordered_map>

#include "lib/base/error.hpp"

namespace ein::ia {

using tra::Tuple;
using tra::Tuples;

namespace {

using AtSites = std::vector<Tuples>;

Tuples sorted(Tuples tuples) {
    std::stable_sort(tuples.begin(), tuples.end(), [](Tuple const& a, Tuple const& b) { return a.key < b.key; });
    return tuples;
}

/// One copy of every tuple, pieces in the order of their sites.
Tuples gathered(Type const& type, AtSites const& at_sites) {
    if (type.sites.is_all()) return at_sites.front();
    Tuples all;
    for (Tuples const& tuples : at_sites) all.insert(all.end(), tuples.begin(), tuples.end());
    return sorted(std::move(all));
}

AtSites spread(Tuples const& tuples, Sites const& sites, int count) {
    if (sites.is_all()) return AtSites(static_cast<std::size_t>(count), tuples);
    AtSites at_sites(static_cast<std::size_t>(count));
    std::size_t next = 0;
    for (Tuple const& tuple : tuples) {
        // Scattered: anywhere, so not where a partition would put them.
        std::size_t const site = sites.is_part() ? static_cast<std::size_t>(site_of(tuple.key, sites.dims(), count))
                                                 : (next++ * 7 + 3) % at_sites.size();
        at_sites[site].push_back(tuple);
    }
    return at_sites;
}

double numbers(Tuples const& tuples) {
    double sum = 0;
    for (Tuple const& tuple : tuples) sum += static_cast<double>(tuple.array.values.size());
    return sum;
}

class Interpreter {
public:
    explicit Interpreter(std::map<std::string, tra::TensorRelation> const& inputs) : inputs_(inputs) {}

    AtSites const& operator()(Expr const& expr) {
        std::vector<AtSites const*> args;
        for (Expr const& input : expr.inputs()) args.push_back(&done_.at(input));
        AtSites made = std::visit([&](auto const& op) { return perform(op, expr, args); }, expr.op());
        check(expr.type(), made);
        return done_.emplace(expr, std::move(made)).first->second;
    }
    AtSites const& result(Expr const& expr) const { return done_.at(expr); }
    double sent() const { return sent_; }

private:
    using Args = std::vector<AtSites const*>;

    AtSites perform(Input const& op, Expr const&, Args const&) const {
        return spread(inputs_.at(op.name).tuples(), op.type.sites, op.type.site_count);
    }
    AtSites perform(Broadcast const&, Expr const& expr, Args const& args) { return sent(expr, args); }
    AtSites perform(Shuffle const&, Expr const& expr, Args const& args) { return sent(expr, args); }
    AtSites perform(Join const& op, Expr const&, Args const& args) const {
        AtSites out;
        for (std::size_t site = 0; site < args[0]->size(); ++site)
            out.push_back(applied(op, (*args[0])[site], (*args[1])[site]));
        return out;
    }
    template <class Op>
    AtSites perform(Op const& op, Expr const&, Args const& args) const {
        AtSites out;
        for (Tuples const& tuples : *args[0]) out.push_back(applied(op, tuples));
        return out;
    }

    AtSites sent(Expr const& expr, Args const& args) {
        Tuples const all = gathered(expr.input().type(), *args[0]);
        sent_ += numbers(all) * (expr.as<Broadcast>() ? static_cast<double>(args[0]->size()) : 1.0);
        return spread(all, expr.type().sites, expr.type().site_count);
    }

    /// Whether the tuples are what and where the type says.
    static void check(Type const& type, AtSites const& at_sites) {
        double const there = static_cast<double>(gathered(type, at_sites).size());
        bool const exact = !type.pending;
        promise(exact ? there == type.tuples : there <= type.tuples,
                "a physical relation has other tuples than its type says");
        for (std::size_t site = 0; site < at_sites.size(); ++site) {
            if (type.sites.is_all())
                promise(at_sites[site] == at_sites[0], "a relation at ALL sites differs between them");
            for (Tuple const& tuple : at_sites[site]) {
                promise(type.relation.has(tuple.key) && tuple.array.bound == type.relation.bound,
                        "a tuple is not of its relation's type");
                promise(!type.sites.is_part() ||
                            site_of(tuple.key, type.sites.dims(), type.site_count) == static_cast<int>(site),
                        "a tuple is at another site than its partition says");
            }
        }
    }

    struct Hash {
        std::size_t operator()(Expr const& expr) const { return expr.hash(); }
    };
    std::map<std::string, tra::TensorRelation> const& inputs_;
    std::unordered_map<Expr, AtSites, Hash> done_;
    double sent_ = 0;
};

}  // namespace

Run run(std::vector<Expr> const& roots, std::map<std::string, tra::TensorRelation> const& inputs) {
    Interpreter interpreter(inputs);
    for (Expr const& expr : distinct(roots)) interpreter(expr);
    Run out;
    for (Expr const& root : roots) out.results.push_back(interpreter.result(root));
    out.sent = interpreter.sent();
    return out;
}

tra::TensorRelation together(Type const& type, std::vector<Tuples> const& at_sites) {
    promise(!type.pending, "a result's pieces are not combined");
    return tra::TensorRelation::make(gathered(type, at_sites), type.relation.arity(), type.relation.bound);
}

}  // namespace ein::ia
