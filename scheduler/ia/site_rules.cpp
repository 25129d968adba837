// R2 and R3: where repartitions are, and which of them are needed.
#include "scheduler/ia/rewriting.hpp"

namespace ein::ia {
namespace {

Rewrites last_one_counts(Expr const& expr) {  // R2-1
    Rewriting out;
    if (expr.sends() && expr.input().sends()) out.add(expr.op(), {expr.input().input()});
    return out.take();
}

Rewrites already_there(Expr const& expr) {  // R2-1 of an input that lies where it is wanted
    if (!expr.sends() || expr.input().type().sites != expr.type().sites) return {};
    return {expr.input()};
}

Rewrites with_filter(Expr const& expr) {  // R2-2, either way
    Rewriting out;
    bool const outside = expr.sends() && expr.input().as<Filter>();
    bool const inside = expr.as<Filter>() && expr.input().sends();
    if (outside || inside) out.add(expr.input().op(), {out.made(expr.op(), {expr.input().input()})});
    return out.take();
}

/// The parts of the old key that `dims` of the new one are; nothing when one of them is computed.
std::optional<KeyDims> sources(KeyMap const& map, KeyDims const& dims) {
    KeyDims out;
    for (int dim : dims) {
        auto const source = map.source(dim);
        if (!source) return std::nullopt;
        out.push_back(*source);
    }
    return out;
}

/// The repartition before a map that has the effect of `sending` after it. The paper shuffles only below maps that keep
/// keys; a key part that is kept, wherever it goes, will do.
std::optional<Operator> before_map(Operator const& sending, KeyMap const& map) {
    auto const* const shuffle = std::get_if<Shuffle>(&sending);
    if (!shuffle) return Broadcast{};
    auto const dims = sources(map, shuffle->dims);
    if (!dims) return std::nullopt;
    return Shuffle{*dims};
}

Rewrites with_map(Expr const& expr) {  // R2-3, either way
    Rewriting out;
    if (expr.sends() && expr.input().as<Map>()) {
        auto const sending = before_map(expr.op(), expr.input().as<Map>()->keys);
        if (sending) out.add(expr.input().op(), {out.made(*sending, {expr.input().input()})});
    }
    auto const* const map = expr.as<Map>();
    if (!map || !expr.input().sends()) return out.take();
    auto const* const shuffle = expr.input().as<Shuffle>();
    Expr const& relation = expr.input().input();
    if (!shuffle) out.add(Broadcast{}, {out.made(*map, {relation})});
    if (!shuffle || !expr.type().sites.is_part()) return out.take();
    out.add(Shuffle{expr.type().sites.dims()}, {out.made(*map, {relation})});
    return out.take();
}

Rewrites needless_before_aggregation(Expr const& expr) {  // R2-4
    Rewriting out;
    auto const* const aggregation = expr.as<Aggregation>();
    if (aggregation && expr.input().sends() && expr.input().input().type().sites.keeps_together(aggregation->group_by))
        out.add(*aggregation, {expr.input().input()});
    auto const* const concat = expr.as<Concat>();
    if (concat && expr.input().sends())
        out.add(*concat, {expr.input().input()});  // made only where groups are together
    return out.take();
}

Rewrites in_two_phases(Expr const& expr) {  // R2-5, either way
    Rewriting out;
    auto const* const whole = expr.as<Aggregation>();
    if (!whole || !expr.input().sends()) return {};
    Expr const& relation = expr.input().input();
    auto const* const shuffle = expr.input().as<Shuffle>();
    auto const* const first = relation.as<Aggregation>();
    bool const second_phase = first && relation.type().pending;
    if (second_phase) {
        Aggregation merged = *first;
        merged.group_by = picked(first->group_by, whole->group_by);
        merged.finish = whole->finish;
        Operator const sending =
            shuffle ? Operator(Shuffle{picked(first->group_by, shuffle->dims)}) : Operator(Broadcast{});
        out.add(merged, {out.made(sending, {relation.input()})});
        return out.take();
    }
    bool const apart = !relation.type().sites.keeps_together(whole->group_by);
    if (!apart || (shuffle && !tra::subset(shuffle->dims, whole->group_by))) return {};
    Aggregation local = *whole, rest = *whole;
    local.finish = {};
    rest.start = {};
    rest.group_by = tra::complement({}, static_cast<int>(whole->group_by.size()));
    KeyDims dims;
    for (int dim : shuffle ? shuffle->dims : KeyDims{}) dims.push_back(*tra::position(whole->group_by, dim));
    Operator const sending = shuffle ? Operator(Shuffle{dims}) : Operator(Broadcast{});
    out.add(rest, {out.made(sending, {out.made(local, {relation})})});
    return out.take();
}

/// R2-6: from any of the three ways to the others; and to those by one joined key part, or by none where both lie
/// alike.
Rewrites join_in_other_ways(Expr const& expr) {
    Rewriting out;
    auto const* const join = expr.as<Join>();
    if (!join) return {};
    Expr const& left = unsent(expr.inputs()[0]);
    Expr const& right = unsent(expr.inputs()[1]);
    out.add(*join, {out.made(Broadcast{}, {left}), right});
    out.add(*join, {left, out.made(Broadcast{}, {right})});
    out.add(*join, {left, right});
    auto const both = [&](KeyDims const& of_left, KeyDims const& of_right) {
        out.add(*join, {out.made(Shuffle{of_left}, {left}), out.made(Shuffle{of_right}, {right})});
    };
    if (!join->left.empty()) both(join->left, join->right);
    for (std::size_t i = 0; join->left.size() > 1 && i < join->left.size(); ++i)
        both({join->left[i]}, {join->right[i]});
    Rewrites others;
    for (Expr const& other : out.take())
        if (other != expr) others.push_back(other);
    return others;
}

/// The key dimensions of one operand that `dims` of a join's result are, or nothing when it lacks one.
std::optional<KeyDims> of_operand(Join const& join, Expr const& expr, std::size_t operand, KeyDims const& dims) {
    int const left = expr.inputs()[0].type().relation.arity();
    int const right = expr.inputs()[1].type().relation.arity();
    auto const joined = join.rekey ? sources(*join.rekey, dims) : std::optional(dims);
    if (!joined) return std::nullopt;
    KeyDims const places = operand == 0 ? tra::complement({}, left) : tra::right_places(join, left, right);
    KeyDims out;
    for (int dim : *joined) {
        auto const place = tra::position(places, dim);
        if (!place) return std::nullopt;
        out.push_back(*place);
    }
    return out;
}

Rewrites shuffle_below_join(Expr const& expr) {  // R2-7
    Rewriting out;
    auto const* const shuffle = expr.as<Shuffle>();
    auto const* const join = shuffle ? below<Join>(expr) : nullptr;
    if (!join || !expr.input().inputs()[0].as<Shuffle>() || !expr.input().inputs()[1].as<Shuffle>()) return {};
    auto const left = of_operand(*join, expr.input(), 0, shuffle->dims);
    auto const right = of_operand(*join, expr.input(), 1, shuffle->dims);
    if (!left || !right) return {};
    out.add(*join, {out.made(Shuffle{*left}, {expr.input().inputs()[0].input()}),
                    out.made(Shuffle{*right}, {expr.input().inputs()[1].input()})});
    return out.take();
}

Rewrites sent_before_aggregation(Expr const& expr) {  // R3-1
    Rewriting out;
    auto const* const aggregation = expr.sends() ? below<Aggregation>(expr) : nullptr;
    if (!aggregation || !expr.input().input().sends()) return {};
    auto const* const shuffle = expr.as<Shuffle>();
    Operator const sending =
        shuffle ? Operator(Shuffle{picked(aggregation->group_by, shuffle->dims)}) : Operator(Broadcast{});
    out.add(*aggregation, {out.made(sending, {expr.input().input().input()})});
    return out.take();
}

Rewrites sent_before_join(Expr const& expr) {  // R3-2: one operand at all sites, the other sent; or both to all sites
    Rewriting out;
    auto const* const join = expr.sends() ? below<Join>(expr) : nullptr;
    if (!join) return {};
    std::vector<Expr> const& inputs = expr.input().inputs();
    auto const* const shuffle = expr.as<Shuffle>();
    auto const everywhere = [&](std::size_t k) { return out.made(Broadcast{}, {unsent(inputs[k])}); };
    if (!shuffle) {
        out.add(*join, {everywhere(0), everywhere(1)});
        return out.take();
    }
    for (std::size_t operand : {0, 1}) {
        auto const dims = of_operand(*join, expr.input(), operand, shuffle->dims);
        if (!dims || !inputs[1 - operand].type().sites.is_all()) continue;
        auto const sent = out.made(Shuffle{*dims}, {unsent(inputs[operand])});
        if (operand == 0)
            out.add(*join, {sent, inputs[1]});
        else
            out.add(*join, {inputs[0], sent});
    }
    return out.take();
}

}  // namespace

std::vector<Rule> const& site_rules() {
    static std::vector<Rule> const list{
        {"R2-1", "of repartitions in a row the last one counts", last_one_counts},
        {"R2-1a", "a relation that is where it is wanted need not be sent", already_there},
        {"R2-2", "a repartition and a filter change places", with_filter},
        {"R2-3", "a repartition and a map change places", with_map},
        {"R2-4", "groups that are together need not be sent", needless_before_aggregation},
        {"R2-5", "an aggregation is local ones and one of their results", in_two_phases},
        {"R2-6", "a join broadcasts either operand, shuffles both, or sends neither", join_in_other_ways},
        {"R2-7", "a shuffle by joined keys shuffles the operands so", shuffle_below_join},
        {"R3-1", "a repartition of an aggregation is one of what it aggregates", sent_before_aggregation},
        {"R3-2", "a repartition of a join is one of its operands", sent_before_join},
    };
    return list;
}

}  // namespace ein::ia
