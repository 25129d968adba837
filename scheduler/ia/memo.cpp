#include "scheduler/ia/memo.hpp"

#include <algorithm>
#include <unordered_set>

#include "lib/base/error.hpp"
#include "scheduler/ia/rewriting.hpp"
#include "scheduler/tuning.hpp"

namespace ein::ia {

namespace {

/// How many sites a partition reaches.
Extent reach(RelationType const& relation, KeyDims const& dims, int site_count) {
    Extent sums = 1;
    for (int dim : dims) sums += std::max<Extent>(relation.frontier[static_cast<std::size_t>(dim)], 1) - 1;
    return std::min<Extent>(sums, site_count);
}

/// A partition that leaves sites idle which the longest key dimension alone would reach is none that a plan should
/// have: sending counts for all, so all work at one site would always be cheapest.
bool spreads(RelationType const& relation, KeyDims const& dims, int site_count) {
    Extent best = 1;
    for (int dim = 0; dim < relation.arity(); ++dim) best = std::max(best, reach(relation, {dim}, site_count));
    return reach(relation, dims, site_count) >= best;
}

void add_wanted(Group& group, KeyDims dims, int site_count) {
    std::sort(dims.begin(), dims.end());
    if (dims.empty() || group.wanted.size() == scheduler::tuning::most_wanted ||
        !spreads(group.relation, dims, site_count))
        return;
    if (std::find(group.wanted.begin(), group.wanted.end(), dims) == group.wanted.end()) group.wanted.push_back(dims);
}

void add_wanted_each(Group& group, KeyDims const& dims, int site_count) {
    add_wanted(group, dims, site_count);
    for (int dim : dims) add_wanted(group, {dim}, site_count);
}

/// What partitions of an operand a map, filter or concat passes on: those of its result, found by where the result's
/// dims come from.
template <class Source>
void pass_on(Group const& group, Group& operand, Source const& source, int site_count) {
    for (KeyDims const& wanted : group.wanted) {
        KeyDims dims;
        for (int dim : wanted)
            if (auto const from = source(dim)) dims.push_back(*from);
        if (dims.size() == wanted.size()) add_wanted(operand, dims, site_count);
    }
}

}  // namespace

Expr placeholder(GroupId group, RelationType const& relation, Sites const& sites, int site_count) {
    return input("#" + std::to_string(group), relation, sites, site_count);
}

std::optional<std::pair<GroupId, Sites>> placed(Expr const& expr) {
    auto const* const at = expr.as<Input>();
    if (!at || at->name.empty() || at->name[0] != '#') return std::nullopt;
    return std::pair(static_cast<GroupId>(std::stoul(at->name.substr(1))), at->type.sites);
}

namespace {

/// The placeholder that a repartition sends, whole or mapped or filtered.
std::optional<std::pair<GroupId, Sites>> sent_operand(Expr const& sending) {
    Expr const* at = &sending.input();
    while (at->as<Map>() || at->as<Filter>()) at = &at->input();
    return placed(*at);
}

}  // namespace

Memo::Memo(std::vector<Expr> const& roots, std::map<std::string, FreeInput> const& inputs, SearchOptions const& options)
    : options_(options) {
    for (Expr const& root : roots) roots_.push_back(group_of(root, inputs));
    for (GroupId id = 0; id < groups_.size(); ++id) {
        Group& group = groups_[id];
        for (GroupId operand : group.inputs) groups_[operand].readers.push_back(id);
        auto const* const sums = std::get_if<Aggregation>(&group.op);
        if (!sums || !std::holds_alternative<Join>(groups_[group.inputs[0]].op)) continue;
        group.replicated_inputs = groups_[group.inputs[0]].inputs;
        std::vector<Sites> const anywhere_at_all(group.replicated_inputs.size(), Sites::all());
        if (ways(id, anywhere_at_all, true).empty()) group.replicated_inputs.clear();  // no product that rule D-1 knows
    }
    want();
}

GroupId Memo::group_of(Expr const& expr, std::map<std::string, FreeInput> const& inputs) {
    if (expr.sends()) return group_of(expr.input(), inputs);
    for (auto const& [known, id] : known_)
        if (known == expr) return id;
    Group group{expr.op(), {}, {}, expr.type().relation, {}, {}, {}, false};
    for (Expr const& operand : expr.inputs()) group.inputs.push_back(group_of(operand, inputs));
    for (GroupId id = 0; id < groups_.size(); ++id) {  // the same but for repartitions below
        bool const same = groups_[id].op == group.op && groups_[id].inputs == group.inputs;
        if (same) return id;
    }
    if (auto const* const leaf = expr.as<Input>()) {
        group.layouts = inputs.at(leaf->name).layouts;
        group.pinned = inputs.at(leaf->name).pinned;
    }
    groups_.push_back(std::move(group));
    known_.emplace_back(expr, groups_.size() - 1);
    return groups_.size() - 1;
}

/// Partitions that readers can use, from the last group to the first.
void Memo::want() {
    int const sites = options_.site_count;
    for (GroupId id = groups_.size(); id-- > 0;) {
        Group const group = groups_[id];
        if (group.inputs.empty()) continue;
        Group& first = groups_[group.inputs[0]];
        if (auto const* const join = std::get_if<Join>(&group.op)) {
            Group& second = groups_[group.inputs[1]];
            add_wanted_each(first, join->left, sites);
            add_wanted_each(second, join->right, sites);
            int const arity = first.relation.arity();
            KeyDims const places = tra::right_places(*join, arity, second.relation.arity());
            auto const before = [&](int dim) { return join->rekey ? join->rekey->source(dim) : std::optional(dim); };
            pass_on(
                group, first,
                [&](int dim) {
                    auto const d = before(dim);
                    return d && *d < arity ? d : std::nullopt;
                },
                sites);
            pass_on(
                group, second,
                [&](int dim) {
                    auto const d = before(dim);
                    return d ? tra::position(places, *d) : d;
                },
                sites);
        } else if (auto const* const sums = std::get_if<Aggregation>(&group.op)) {
            add_wanted_each(first, sums->group_by, sites);
            pass_on(
                group, first, [&](int dim) { return std::optional(sums->group_by[static_cast<std::size_t>(dim)]); },
                sites);
        } else if (auto const* const map = std::get_if<Map>(&group.op)) {
            pass_on(
                group, first, [&](int dim) { return map->keys.source(dim); }, sites);
        } else if (auto const* const concat = std::get_if<Concat>(&group.op)) {
            KeyDims const kept = tra::complement({concat->key_dim}, first.relation.arity());
            add_wanted_each(first, kept, sites);
        } else {
            pass_on(
                group, first, [](int dim) { return std::optional(dim); }, sites);
        }
    }
}

/// The operator as the paper compiles it, by itself and with what readers may want done after it.
std::vector<Expr> Memo::first_ways(Group const& group, std::vector<Expr> const& operands) const {
    Rewriting out;
    std::optional<Expr> plain;
    auto const everywhere = [&](Expr const& operand) { return out.made(Broadcast{}, {operand}); };
    if (std::holds_alternative<Join>(group.op)) {
        plain = out.made(group.op, {everywhere(operands[0]), operands[1]});
    } else if (std::holds_alternative<Aggregation>(group.op) || std::holds_alternative<Concat>(group.op)) {
        auto const* const sums = std::get_if<Aggregation>(&group.op);
        int const arity = operands[0].type().relation.arity();
        KeyDims const together = sums ? sums->group_by : tra::complement({std::get<Concat>(group.op).key_dim}, arity);
        out.add(group.op, {everywhere(operands[0])});
        plain = together.empty() ? std::nullopt : out.made(group.op, {out.made(Shuffle{together}, {operands[0]})});
        if (sums && together.empty() && arity > 0) {  // one result: the pieces of all sites go to one
            Aggregation const pieces{{}, sums->combine, sums->start, {}}, whole{{}, sums->combine, {}, sums->finish};
            out.add(whole, {out.made(Shuffle{{}}, {out.made(pieces, {operands[0]})})});
        }
        for (int dim : together) out.add(group.op, {out.made(Shuffle{{dim}}, {operands[0]})});
    } else {
        plain = out.made(group.op, {operands[0]});
    }
    out.add(plain);
    if (!group.readers.empty()) {
        out.add(Broadcast{}, {plain});
        for (KeyDims const& dims : group.wanted) out.add(Shuffle{dims}, {plain});
    }
    return out.take();
}

/// What an expression over placeholders needs and sends; nothing when a plan should not have it.
std::optional<Way> Memo::way(Expr const& expr) const {
    Way way{{}, 0, expr.type().sites, expr};
    if (expr.type().pending) return std::nullopt;
    for (Expr const& part : distinct({expr})) {
        auto const* const shuffle = part.as<Shuffle>();
        if (shuffle && !spreads(part.input().type().relation, shuffle->dims, options_.site_count)) return std::nullopt;
        bool const joins = options_.spread_joins && part.as<Join>() && part.type().sites.is_part();
        if (joins && !spreads(part.type().relation, part.type().sites.dims(), options_.site_count)) return std::nullopt;
        auto const at = placed(part);
        if (at) way.needs.push_back({at->first, at->second, at->second, 0});
        if (!part.sends()) continue;
        double const sent = own_cost(part).stored;
        auto const operand = sent_operand(part);
        if (operand && groups_[operand->first].pinned) return std::nullopt;
        if (auto const from = placed(part.input())) {
            way.needs.push_back({from->first, from->second, part.type().sites, sent});
        } else {
            way.sent += sent;
        }
    }
    return way;
}

/// All that the rules reach from the first ways.
std::vector<Way> Memo::closed(std::vector<Expr> first) {
    struct Hash {
        std::size_t operator()(Expr const& expr) const { return expr.hash(); }
    };
    std::unordered_set<Expr, Hash> seen;
    std::vector<Expr> reached;
    auto const add = [&](Expr const& expr) {
        if (!seen.insert(expr).second) return;
        if (reached.size() == options_.max_ways)
            exact_ = false;
        else
            reached.push_back(expr);
    };
    for (Expr const& expr : first) add(expr);
    for (std::size_t k = 0; k < reached.size(); ++k)
        for (Expr const& next : anywhere(at_top_, Expr(reached[k]))) add(next);
    return cheapest(reached);
}

/// Of ways alike in needs and form the one that sends least.
std::vector<Way> Memo::cheapest(std::vector<Expr> const& reached) const {
    std::vector<Way> ways;
    for (Expr const& expr : reached) {
        std::optional<Way> const made = way(expr);
        if (!made) continue;
        auto const alike = std::find_if(ways.begin(), ways.end(), [&](Way const& other) {
            return other.made == made->made && other.needs == made->needs;
        });
        if (alike == ways.end())
            ways.push_back(*made);
        else if (made->sent < alike->sent)
            *alike = *made;
    }
    return ways;
}

std::vector<Way> const& Memo::ways(GroupId id, std::vector<Sites> const& forms, bool replicating) {
    auto const key = std::tuple(id, forms, replicating);
    auto const known = ways_.find(key);
    if (known != ways_.end()) return known->second;
    Group const& group = groups_[id];
    std::vector<GroupId> const& inputs = replicating ? group.replicated_inputs : group.inputs;
    std::vector<Expr> operands;
    for (std::size_t k = 0; k < inputs.size(); ++k)
        operands.push_back(placeholder(inputs[k], groups_[inputs[k]].relation, forms[k], options_.site_count));
    std::vector<Way> found;
    if (replicating) {
        Rewriting out;
        Operator const join = groups_[group.inputs[0]].op;
        auto const products = out.made(join, {out.made(Broadcast{}, {operands[0]}), operands[1]});
        auto const sums = out.made(group.op, {out.made(Broadcast{}, {products})});
        if (sums) found = cheapest(anywhere(matmul_rules(), *sums));
    } else {
        found = closed(first_ways(group, operands));
    }
    return ways_.emplace(key, std::move(found)).first->second;
}

}  // namespace ein::ia
