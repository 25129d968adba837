// R1: kernel function composition.
#include "scheduler/ia/rewriting.hpp"

namespace ein::ia {
namespace {

Rewrites merge_filters(Expr const& expr) {  // R1-1
    Rewriting out;
    auto const* const outer = expr.as<Filter>();
    auto const* const inner = outer ? below<Filter>(expr) : nullptr;
    if (inner) out.add(Filter{tra::both(outer->accepts, inner->accepts)}, {expr.input().input()});
    return out.take();
}

Rewrites merge_maps(Expr const& expr) {  // R1-2
    Rewriting out;
    auto const* const outer = expr.as<Map>();
    auto const* const inner = outer ? below<Map>(expr) : nullptr;
    if (inner && outer->keys.copies == 1 && inner->keys.copies == 1)
        out.add(Map{tra::composed(outer->keys, inner->keys), tra::composed(outer->array, inner->array)},
                {expr.input().input()});
    return out.take();
}

Rewrites map_and_filter(Expr const& expr) {  // R1-3, either way
    Rewriting out;
    auto const* const map = expr.as<Map>();
    if (map && map->keys.is_identity() && below<Filter>(expr))
        out.add(expr.input().op(), {out.made(*map, {expr.input().input()})});
    auto const* const inner = expr.as<Filter>() ? below<Map>(expr) : nullptr;
    if (inner && inner->keys.is_identity()) out.add(*inner, {out.made(expr.op(), {expr.input().input()})});
    return out.take();
}

Rewrites map_into_aggregation(Expr const& expr) {  // R1-4: after it; or, where the two distribute, before it
    Rewriting out;
    auto const* const map = expr.as<Map>();
    auto const* const inner = map ? below<Aggregation>(expr) : nullptr;
    if (!inner || !map->keys.is_identity()) return {};
    Aggregation after = *inner;
    after.finish = tra::composed(map->array, inner->finish);
    out.add(after, {expr.input().input()});
    if (inner->finish.is_identity() && tra::distributes(map->array, inner->combine)) {
        Aggregation before = *inner;
        before.start = tra::composed(map->array, inner->start);
        out.add(before, {expr.input().input()});
    }
    return out.take();
}

Rewrites filter_below_aggregation(Expr const& expr) {  // R1-5: only wanted groups are made
    Rewriting out;
    auto const* const filter = expr.as<Filter>();
    auto const* const inner = filter ? below<Aggregation>(expr) : nullptr;
    if (!inner) return {};
    Expr const& relation = expr.input().input();
    Filter const early{tra::moved(filter->accepts, inner->group_by, relation.type().relation.arity())};
    out.add(*inner, {out.made(early, {relation})});
    return out.take();
}

Rewrites filter_below_join(Expr const& expr) {  // R1-6: only joined key parts are looked at
    Rewriting out;
    auto const* const filter = expr.as<Filter>();
    auto const* const inner = filter ? below<Join>(expr) : nullptr;
    if (!inner || inner->rekey || !tra::subset(filter->accepts.dims(), inner->left)) return {};
    Expr const& left = expr.input().inputs()[0];
    Expr const& right = expr.input().inputs()[1];
    KeyDims on_left, on_right;  // of each part of the joined key; those that are not looked at go nowhere in particular
    for (int dim = 0; dim < filter->accepts.arity; ++dim) {
        auto const place = tra::position(inner->left, dim);
        on_left.push_back(place ? dim : 0);
        on_right.push_back(place ? inner->right[static_cast<std::size_t>(*place)] : 0);
    }
    Filter const of_left{tra::moved(filter->accepts, on_left, left.type().relation.arity())};
    Filter const of_right{tra::moved(filter->accepts, on_right, right.type().relation.arity())};
    out.add(*inner, {out.made(of_left, {left}), out.made(of_right, {right})});
    return out.take();
}

Rewrites map_into_join(Expr const& expr) {  // R1-7: after it; or, where the two distribute, before it
    Rewriting out;
    auto const* const map = expr.as<Map>();
    auto const* const inner = map ? below<Join>(expr) : nullptr;
    if (!inner || map->keys.copies != 1) return {};
    Join after = *inner;
    after.rekey = inner->rekey ? tra::composed(map->keys, *inner->rekey) : map->keys;
    if (after.rekey->is_identity()) after.rekey.reset();
    Join before = after;
    std::vector<std::optional<Expr>> const inputs{expr.input().inputs()[0], expr.input().inputs()[1]};
    after.kernel = tra::composed(map->array, inner->kernel);
    out.add(after, inputs);
    if (!map->array.is_identity() && tra::distributes(map->array, inner->kernel)) {
        before.kernel = tra::on_each_operand(map->array, inner->kernel);
        out.add(before, inputs);
    }
    return out.take();
}

}  // namespace

std::vector<Rule> const& kernel_rules() {
    static std::vector<Rule> const list{
        {"R1-1", "two filters are one", merge_filters},
        {"R1-2", "two maps are one", merge_maps},
        {"R1-3", "a map of arrays and a filter change places", map_and_filter},
        {"R1-4", "a map of arrays is part of the aggregation below", map_into_aggregation},
        {"R1-5", "a filter of groups is a filter of their members", filter_below_aggregation},
        {"R1-6", "a filter of joined keys filters both operands", filter_below_join},
        {"R1-7", "a map is part of the join below", map_into_join},
    };
    return list;
}

}  // namespace ein::ia
