#include "lib/relation/plan_json.hpp"

#include <algorithm>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/base/json.hpp"

namespace ein::relation {
namespace {

constexpr std::int64_t most_ranks = 65536;

std::string const& output_name(graph::EinGraph const& graph, graph::Node const& node) {
    return graph.value(node.output).name;
}

class PlanReader {
public:
    PlanReader(graph::EinGraph const& graph, std::string const& graph_hash) : graph_(graph), hash_(graph_hash) {}

    Plan read(Cursor const& top) {
        if (!top.expect_object()) return {};
        top.only_keys({"einplan", "graph_hash", "ranks", "calls", "strategy", "parts"});
        check_identity(top);
        plan_.ranks = static_cast<int>(count(top, "ranks", most_ranks).value_or(1));
        plan_.calls = top.has("calls") ? count(top, "calls", INT64_MAX).value_or(1) : plan_.ranks;
        plan_.strategy = top.has("strategy") ? top.at("strategy").string().value_or("") : "file";
        read_parts(top);
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
        std::unordered_map<std::string, std::size_t> by_name;
        for (std::size_t k = 0; k < graph_.nodes.size(); ++k) by_name[output_name(graph_, graph_.nodes[k])] = k;
        for (auto const& [name, unused] : parts.value().items()) {
            if (auto const known = by_name.find(name); known != by_name.end())
                read_node(parts.at(name), graph_.nodes[known->second], plan_.nodes[known->second]);
            else if (!name.starts_with("x-"))
                unknown_node(parts.at(name), name);
        }
        for (graph::Node const& node : graph_.nodes) {
            std::string const& name = output_name(graph_, node);
            if (!parts.has(name))
                parts.fail("parts for node '" + name + "'", "none", "add \"" + name + "\": {label: parts, ...}");
        }
    }

    void unknown_node(Cursor const& at, std::string const& name) const {
        std::vector<std::string> names;
        for (graph::Node const& node : graph_.nodes) names.push_back(output_name(graph_, node));
        std::string const near = nearest_name(name, names);
        at.fail("the name of a node's output", "'" + name + "'",
                near.empty() ? "remove it" : "did you mean '" + near + "'?");
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
        std::string const near = nearest_name(name, names);
        at.fail(names.empty() ? "no label (the node has none)" : one_of(names), "'" + name + "'",
                near.empty() ? "remove it" : "did you mean '" + near + "'?");
    }

    static void read_part(Cursor const& at, Extent extent, std::int64_t fixed, std::int64_t& part) {
        auto const number = at.integer();
        if (!number) return;
        std::int64_t const most = std::max<Extent>(1, extent);
        if (*number < 1 || *number > most)
            return at.fail("1 to " + std::to_string(most) + " parts (the extent is " + std::to_string(extent) + ")",
                           std::to_string(*number), "choose a count in that range");
        if (fixed > 0 && *number != fixed)
            return at.fail(std::to_string(fixed) + ", which the graph's \"parts\" fixes", std::to_string(*number),
                           "correct it here, or in the graph and plan it anew");
        part = *number;
    }

    graph::EinGraph const& graph_;
    std::string const& hash_;
    Plan plan_;
};

}  // namespace

std::string write_plan(graph::EinGraph const& graph, Plan const& plan, std::string const& graph_hash) {
    Json parts = Json::object();
    for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
        Json& labels = parts[output_name(graph, graph.nodes[k])] = Json::object();
        for (std::size_t label = 0; label < plan.nodes[k].parts.size(); ++label)
            labels[cut_name(graph.nodes[k], label)] = plan.nodes[k].parts[label];
    }
    Json document = {{"einplan", 1},        {"graph_hash", graph_hash},  {"ranks", plan.ranks},
                     {"calls", plan.calls}, {"strategy", plan.strategy}, {"parts", std::move(parts)}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Plan read_plan(std::string_view json, std::string const& file, graph::EinGraph const& graph,
               std::string const& graph_hash) {
    Json const document = parse_json(json, file);
    Faults faults(file);
    Plan plan = PlanReader(graph, graph_hash).read(Cursor(document, faults));
    faults.throw_if_any();
    return plan;
}

}  // namespace ein::relation
