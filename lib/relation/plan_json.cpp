#include "lib/relation/plan_json.hpp"

#include <algorithm>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "lib/base/text/counted.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/relation/tuning.hpp"

namespace ein::relation {
namespace {

std::string const& output_name(graph::EinGraph const& graph, graph::Node const& node) {
    return graph.value(node.output).name;
}

class PlanReader {
public:
    PlanReader(graph::EinGraph const& graph, std::string const& graph_hash) : graph_(graph), hash_(graph_hash) {}

    Plan read(Cursor const& top) {
        if (!top.expect_object()) return {};
        top.only_keys({"einplan", "graph_hash", "ranks", "calls", "strategy", "parts", "place"});
        check_identity(top);
        plan_.ranks = static_cast<int>(count(top, "ranks", tuning::most_plan_ranks).value_or(1));
        plan_.calls = top.has("calls") ? count(top, "calls", INT64_MAX).value_or(1) : plan_.ranks;
        plan_.strategy = top.has("strategy") ? top.at("strategy").string().value_or("") : "file";
        for (std::size_t k = 0; k < graph_.nodes.size(); ++k) by_name_[output_name(graph_, graph_.nodes[k])] = k;
        read_parts(top);
        if (top.has("place")) read_places(top.at("place"));
        return std::move(plan_);
    }

private:
    void check_identity(Cursor const& top) const {
        if (!top.has("einplan"))
            top.fail("\"einplan\": 1", "no \"einplan\"", "add it if this is a plan file");
        else if (auto version = top.at("einplan").integer(); version && *version != 1)
            top.at("einplan").fail("version 1", std::to_string(*version), "write the plan again with --plan-out");
        if (!top.has("graph_hash")) return top.fail("\"graph_hash\"", "none", "write the plan with --plan-out");
        auto const hash = top.at("graph_hash").string();
        if (hash && *hash != hash_)
            top.at("graph_hash")
                .fail("\"" + hash_ + "\", the hash of this graph", "\"" + *hash + "\"",
                      "the plan is for another graph: plan this one anew, or give the plan's graph");
    }

    std::optional<std::int64_t> count(Cursor const& top, std::string const& key, std::int64_t most) const {
        if (!top.has(key)) {
            top.fail("\"" + key + "\"", "none", "add \"" + key + "\": N");
            return std::nullopt;
        }
        auto const number = top.at(key).integer();
        if (number && (*number < 1 || *number > most)) {
            top.at(key).fail("a count from 1 to " + std::to_string(most), std::to_string(*number), "correct the count");
            return std::nullopt;
        }
        return number;
    }

    void read_parts(Cursor const& top) {
        if (!top.has("parts")) return top.fail("\"parts\"", "none", "write the plan with --plan-out");
        Cursor const parts = top.at("parts");
        if (!parts.expect_object()) return;
        plan_.nodes.resize(graph_.nodes.size());
        for_each_node(parts, [&](Cursor const& at, std::size_t k) { read_node(at, graph_.nodes[k], plan_.nodes[k]); });
        for (graph::Node const& node : graph_.nodes) {
            std::string const& name = output_name(graph_, node);
            if (!parts.has(name))
                parts.fail("parts for node '" + name + "'", "none", "add \"" + name + "\": {label: parts, ...}");
        }
    }

    /// Visits every entry that is named after a node.
    template <class Visit>
    void for_each_node(Cursor const& object, Visit&& visit) const {
        for (auto const& [name, unused] : object.value().items()) {
            if (auto const known = by_name_.find(name); known != by_name_.end())
                visit(object.at(name), known->second);
            else if (!name.starts_with("x-"))
                unknown_node(object.at(name), name);
        }
    }

    void read_places(Cursor const& places) {
        if (!places.expect_object() || plan_.nodes.empty()) return;
        for_each_node(places, [&](Cursor const& at, std::size_t k) { read_place(at, plan_.nodes[k]); });
    }

    void read_place(Cursor const& at, NodePlan& node) const {
        if (!at.expect_list()) return;
        auto const calls = static_cast<std::size_t>(element_count(node.parts));
        if (at.size() != calls)
            return at.fail(counted(calls, "rank") + ", one for each kernel call (the product of the node's parts)",
                           std::to_string(at.size()), "give each call a rank, or remove the node from \"place\"");
        for (std::size_t call = 0; call < calls; ++call) {
            auto const rank = at.at(call).integer();
            if (!rank) continue;
            if (*rank < 0 || *rank >= plan_.ranks)
                at.at(call).fail("a rank from 0 to " + std::to_string(plan_.ranks - 1), std::to_string(*rank),
                                 "choose a rank of the plan");
            node.ranks.emplace_back(static_cast<int>(*rank));
        }
    }

    void unknown_node(Cursor const& at, std::string const& name) const {
        std::vector<std::string> names;
        for (graph::Node const& node : graph_.nodes) names.push_back(output_name(graph_, node));
        at.fail("the name of a node's output", "'" + name + "'", mend_name(name, names, "remove it"));
    }

    void read_node(Cursor const& at, graph::Node const& node, NodePlan& plan) const {
        Shape const& extents = cut_extents(graph_, node);
        plan.parts.assign(extents.size(), 1);
        for (std::size_t label = 0; label < node.fixed.size(); ++label)
            plan.parts[label] = std::max<std::int64_t>(1, node.fixed[label]);
        if (!at.expect_object()) return;
        std::vector<std::string> names;
        for (std::size_t k = 0; k < extents.size(); ++k) names.push_back(cut_name(node, k));
        for (auto const& [name, unused] : at.value().items()) {
            auto const known = std::find(names.begin(), names.end(), name);
            if (known == names.end()) {
                if (!name.starts_with("x-")) unknown_label(at.at(name), name, names);
                continue;
            }
            auto const label = static_cast<std::size_t>(known - names.begin());
            read_part(at.at(name), extents[label], node.fixed.empty() ? 0 : node.fixed[label], plan.parts[label]);
        }
    }

    static void unknown_label(Cursor const& at, std::string const& name, std::vector<std::string> const& names) {
        at.fail(names.empty() ? "no label (the node has none)" : one_of(names), "'" + name + "'",
                mend_name(name, names, "remove it"));
    }

    static void read_part(Cursor const& at, Extent extent, std::int64_t fixed, std::int64_t& part) {
        auto const number = at.integer();
        if (!number) return;
        std::int64_t const most = std::max<Extent>(1, extent);
        if (*number < 1 || *number > most)
            return at.fail("1 to " + std::to_string(most) + " parts (the extent is " + std::to_string(extent) + ")",
                           std::to_string(*number), "choose a count in that range");
        if (fixed > 0 && *number != fixed)
            return at.fail(std::to_string(fixed) + ", which the graph's \"parts\" or --reproducible fixes",
                           std::to_string(*number), "correct it here, or in the graph and plan it anew");
        part = *number;
    }

    graph::EinGraph const& graph_;
    std::string const& hash_;
    std::unordered_map<std::string, std::size_t> by_name_;
    Plan plan_;
};

}  // namespace

namespace {

std::string text(Json const& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// One line an entry, so that people and diff see a node at a time.
std::string lines(Json const& object) {
    std::string out = "{";
    for (auto const& [name, value] : object.items())
        out += (out.size() > 1 ? ",\n    " : "\n    ") + text(name) + ": " + text(value);
    return out + "\n  }";
}

}  // namespace

std::string write_plan(graph::EinGraph const& graph, Plan const& plan, std::string const& graph_hash) {
    Json parts = Json::object(), places = Json::object();
    for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
        std::string const& name = output_name(graph, graph.nodes[k]);
        Json& labels = parts[name] = Json::object();
        for (std::size_t label = 0; label < plan.nodes[k].parts.size(); ++label)
            labels[cut_name(graph.nodes[k], label)] = plan.nodes[k].parts[label];
        if (plan.nodes[k].ranks.empty()) continue;
        Json& ranks = places[name] = Json::array();
        for (Rank rank : plan.nodes[k].ranks) ranks.push_back(rank.value());
    }
    std::string out = "{\n  \"einplan\": 1,\n  \"graph_hash\": " + text(graph_hash) +
                      ",\n  \"ranks\": " + std::to_string(plan.ranks) +
                      ",\n  \"calls\": " + std::to_string(plan.calls) + ",\n  \"strategy\": " + text(plan.strategy) +
                      ",\n  \"parts\": " + lines(parts);
    if (!places.empty()) out += ",\n  \"place\": " + lines(places);
    return out + "\n}\n";
}

Plan plan_from_json(Json const& document, std::string const& file, graph::EinGraph const& graph,
                    std::string const& graph_hash) {
    Faults faults(file);
    Plan plan = PlanReader(graph, graph_hash).read(Cursor(document, faults));
    faults.throw_if_any();
    return plan;
}

}  // namespace ein::relation
