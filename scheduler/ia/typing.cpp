#include <algorithm>
#include <set>

#include "scheduler/ia/expression.hpp"

namespace ein::ia {

using tra::Problem;
using tra::problem;
using tra::value;

namespace {

double keys_of(RelationType const& relation) { return static_cast<double>(relation.keys()); }

Type whole(RelationType relation, Sites sites, int site_count) {
    double const tuples = keys_of(relation);
    return {std::move(relation), std::move(sites), site_count, std::nullopt, tuples};
}

/// PART dimensions under a map of dimensions, or scattered where one is lost.
template <class Place>
Sites moved(Sites const& sites, Place const& place) {
    if (!sites.is_part()) return sites;
    KeyDims dims;
    for (int dim : sites.dims()) {
        std::optional<int> const at = place(dim);
        if (!at) return Sites::scattered();
        dims.push_back(*at);
    }
    return Sites::part(std::move(dims));
}

Sites mapped(Sites const& sites, KeyMap const& map) {
    return moved(sites, [&](int dim) { return map.image(dim); });
}

std::optional<Problem> no_pieces(Type const& type) {
    if (!type.pending) return std::nullopt;
    return Problem{"a relation whose aggregation is complete",
                   "pieces yet to be combined by " + tra::text(*type.pending), "shuffle and aggregate before"};
}

/// Distinct sites among the tuples of each group, summed over the groups.
double pieces(Type const& type, KeyDims const& group_by, double groups) {
    if (!type.sites.is_part()) return std::min(type.tuples, groups * type.site_count);
    if (type.relation.continuous()) {
        Extent sums = 1;  // of the parts that are not grouped by: 0, 1, ..., each of them met
        for (int dim : type.sites.dims())
            if (!tra::contains(group_by, dim)) sums += type.relation.frontier[static_cast<std::size_t>(dim)] - 1;
        return groups * static_cast<double>(std::min<Extent>(sums, type.site_count));
    }
    std::set<std::pair<Key, int>> seen;
    type.relation.for_each_key([&](Key const& key) {
        Key group;
        for (int dim : group_by) group.push_back(key[static_cast<std::size_t>(dim)]);
        seen.emplace(std::move(group), site_of(key, type.sites.dims(), type.site_count));
    });
    return static_cast<double>(seen.size());
}

/// Where a local join's result is; nothing when pairs would be missed.
std::optional<Sites> joined(Join const& join, Type const& left, Type const& right) {
    KeyDims const places = tra::right_places(join, left.relation.arity(), right.relation.arity());
    Sites const there =
        moved(right.sites, [&](int dim) { return std::optional(places[static_cast<std::size_t>(dim)]); });
    if (left.sites.is_all()) return there;
    if (right.sites.is_all()) return left.sites;
    bool const paired = left.sites.is_part() && left.sites == there && tra::subset(left.sites.dims(), join.left) &&
                        tra::subset(right.sites.dims(), join.right);
    if (!paired) return std::nullopt;
    return left.sites;
}

/// The types of some expressions.
struct Types {
    std::vector<Expr> const& of;
    Type const& operator[](std::size_t k) const { return of[k].type(); }
};

struct Typing {
    Types args;

    Checked<Type> operator()(Input const& op) const { return op.type; }

    Checked<Type> operator()(Broadcast const&) const {
        Type type = args[0];
        type.sites = Sites::all();
        return type;
    }

    Checked<Type> operator()(Shuffle const& op) const {
        int const arity = args[0].relation.arity();
        if (auto const fault = tra::fault_in(op.dims, arity, "partDims")) return *fault;
        if (op.dims.empty() && arity > 0)
            return Problem{"at least one key dimension to partition by", "none",
                           "name a dimension: all tuples at one site are no partition"};
        Type type = args[0];
        type.sites = Sites::part(op.dims);
        return type;
    }

    Checked<Type> operator()(Join const& op) const {
        for (Expr const& arg : args.of)
            if (auto const fault = no_pieces(arg.type())) return *fault;
        Checked<RelationType> relation = tra::type_of(op, args[0].relation, args[1].relation);
        if (Problem const* const p = problem(relation)) return *p;
        std::optional<Sites> sites = joined(op, args[0], args[1]);
        if (!sites || args[0].site_count != args[1].site_count)
            return Problem{"operands of ⋈ᴸ of which one is at ALL sites, or both are PART over the same joined keys",
                           text(args[0].sites) + " and " + text(args[1].sites), "broadcast one, or shuffle both"};
        if (op.rekey) sites = mapped(*sites, *op.rekey);
        return whole(value(relation), *sites, args[0].site_count);
    }

    Checked<Type> operator()(Aggregation const& op) const {
        Type const& arg = args[0];
        if (arg.pending && (op.combine != *arg.pending || !op.start.is_identity()))
            return Problem{"an aggregation that goes on combining by " + tra::text(*arg.pending), tra::text(op),
                           "aggregate by the same kernel first"};
        Checked<RelationType> relation = tra::type_of(op, arg.relation);
        if (Problem const* const p = problem(relation)) return *p;
        int const arity = arg.relation.arity();
        bool const complete =
            arg.sites.keeps_together(op.group_by) || (!arg.pending && static_cast<int>(op.group_by.size()) == arity);
        Sites const sites = moved(arg.sites, [&](int dim) { return tra::position(op.group_by, dim); });
        if (complete) return whole(value(relation), sites, arg.site_count);
        if (!op.finish.is_identity() || !tra::associates(op.combine))
            return Problem{"groups that are together at one site before " + tra::text(op), text(arg.sites),
                           "shuffle by " + tra::text(op.group_by) + " first"};
        double const tuples = pieces(arg, op.group_by, keys_of(value(relation)));
        return Type{value(relation), Sites::scattered(), arg.site_count, op.combine, tuples};
    }

    Checked<Type> operator()(Filter const& op) const {
        Type const& arg = args[0];
        Checked<RelationType> relation = tra::type_of(op, arg.relation);
        if (Problem const* const p = problem(relation)) return *p;
        Type type = whole(value(relation), arg.sites, arg.site_count);
        if (!arg.pending) return type;
        type.pending = arg.pending;
        type.tuples = std::min(arg.tuples, type.tuples * arg.site_count);
        return type;
    }

    Checked<Type> operator()(Map const& op) const {
        if (auto const fault = no_pieces(args[0])) return *fault;
        Checked<RelationType> relation = tra::type_of(op, args[0].relation);
        if (Problem const* const p = problem(relation)) return *p;
        return whole(value(relation), mapped(args[0].sites, op.keys), args[0].site_count);
    }

    Checked<Type> operator()(Concat const& op) const {
        if (auto const fault = no_pieces(args[0])) return *fault;
        Checked<RelationType> relation = tra::type_of(op, args[0].relation);
        if (Problem const* const p = problem(relation)) return *p;
        KeyDims const group_by = tra::complement({op.key_dim}, args[0].relation.arity());
        if (!args[0].sites.keeps_together(group_by))
            return Problem{"groups that are together at one site before CONCAT" + tra::text(op), text(args[0].sites),
                           "shuffle by " + tra::text(group_by) + " first"};
        Sites const sites = moved(args[0].sites, [&](int dim) { return tra::position(group_by, dim); });
        return whole(value(relation), sites, args[0].site_count);
    }
};

}  // namespace

Checked<Type> type_of(Operator const& op, std::vector<Expr> const& inputs) { return std::visit(Typing{{inputs}}, op); }

}  // namespace ein::ia
