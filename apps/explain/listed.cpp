#include "apps/explain/listed.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lib/base/text/sizes.hpp"
#include "lib/graph/sparse/idle_sets.hpp"
#include "lib/graph/sparse/make_dense.hpp"
#include "lib/graph/sparse/stored_size.hpp"

namespace ein::apps::explain {
namespace {

/// From here on the mend is told: below, other things decide how long a node takes.
constexpr double uneven_work = 1.15;

ListedTensor listed_tensor(graph::Value const& value, bool made) {
    ListedTensor out;
    out.tensor = value.name, out.made = made, out.places = static_cast<double>(element_count(value.shape));
    out.fill = value.listing->fill;
    out.bytes = graph::stored_bytes(value), out.dense_bytes = static_cast<double>(value.bytes());
    out.estimate = value.listing->listed;
    auto const most = static_cast<double>(value.listing->most);
    if (most < out.places || (out.estimate && *out.estimate == out.places)) out.bound = std::min(most, out.places);
    return out;
}

std::string number(char const* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// Exact up to six digits.
std::string count(double value) { return value < 1e6 ? number("%.0f", value) : format_count(value); }

std::string share(double part, double all) { return all > 0 ? " (" + number("%.3g", 100 * part / all) + " %)" : ""; }

std::string counted_text(ListedTensor const& listed) {
    std::string const of = " of " + format_count(listed.places);
    if (listed.exact()) return count(*listed.estimate) + of + share(*listed.estimate, listed.places) + ", counted";
    if (listed.estimate && listed.bound && *listed.estimate == *listed.bound)
        return "at most " + count(*listed.bound) + of + share(*listed.bound, listed.places);
    return (listed.estimate ? "about " + count(*listed.estimate) + of + share(*listed.estimate, listed.places)
                            : "unknown" + of) +
           ", at most " + (listed.bound ? count(*listed.bound) : "all") + " (worst case)";
}

std::string text_of(ListedTensor const& listed) {
    std::string out = listed.tensor + (listed.made ? " (made) " : " ") + counted_text(listed);
    if (std::string const fill = fill_text(listed.fill); fill != "0") out += ", fill " + fill;
    return out + ", " + format_bytes(listed.bytes) + " (dense " + format_bytes(listed.dense_bytes) + ")";
}

}  // namespace

std::vector<ListedTensor> listed_tensors(graph::EinGraph const& graph, graph::Node const& node) {
    std::vector<ListedTensor> out;
    std::vector<ValueId> seen;
    for (ValueId input : node.inputs) {
        if (!graph.value(input).listing || std::find(seen.begin(), seen.end(), input) != seen.end()) continue;
        seen.push_back(input);
        out.push_back(listed_tensor(graph.value(input), false));
    }
    if (graph.value(node.output).listing) out.push_back(listed_tensor(graph.value(node.output), true));
    return out;
}

std::vector<std::optional<ListedWork>> listed_work(graph::EinGraph const& graph, schedule::Schedule const& schedule) {
    std::size_t const ranks = schedule.sections.size();
    std::vector<std::optional<NodeId>> const producers = graph.producers();
    std::vector<std::vector<double>> listed(graph.nodes.size(), std::vector<double>(ranks, 0));
    for (Rank rank : schedule.sections.ids()) {
        schedule::Section const& section = schedule.sections[rank];
        for (schedule::Task const& task : section.tasks) {
            if (!task.is<schedule::Apply>()) continue;
            auto const call = section.as<schedule::Apply>(task);
            auto const value = static_cast<std::size_t>(section.blocks[call.result].tensor.value());
            if (value >= producers.size() || !producers[value]) continue;
            auto const node = static_cast<std::size_t>(producers[value]->value());
            double& sum = listed[node][static_cast<std::size_t>(rank.value())];
            for (std::size_t k = 0; k < call.operands.size(); ++k)
                sum += section.listed_in(schedule.header.kernels[call.kernel].einsum.inputs[k], call, k);
        }
    }
    std::vector<std::optional<ListedWork>> out;
    for (std::vector<double> const& of_ranks : listed) {
        ListedWork work;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            work.mean += of_ranks[rank] / static_cast<double>(ranks);
            if (of_ranks[rank] > work.most) work.most = of_ranks[rank], work.busiest = static_cast<int>(rank);
        }
        out.push_back(work.mean > 0 ? std::optional(work) : std::nullopt);
    }
    return out;
}

std::string fill_text(scalar::Scalar const& fill) {
    if (fill.is_integer) return std::to_string(fill.integer);
    if (std::isnan(fill.number.real()) || std::isnan(fill.number.imag())) return "nan";  // its sign says nothing
    std::string real = number("%.9g", fill.number.real() + 0.0);                         // -0 is 0
    if (fill.number.imag() == 0) return real;
    return real + number("%+.9g", fill.number.imag()) + "i";
}

Drivers drivers(graph::EinGraph const& graph, graph::Node const& node) {
    Drivers out;
    for (std::vector<int> const& set : graph::idle_sets(graph, node).sets) {
        std::vector<std::string> names;
        for (int operand : set) {
            std::string const& name = graph.value(node.inputs[static_cast<std::size_t>(operand)]).name;
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
        if (std::find(out.begin(), out.end(), names) == out.end()) out.push_back(std::move(names));
    }
    return out;
}

std::vector<std::string> looked_up(graph::EinGraph const& graph, graph::Node const& node) {
    std::vector<std::string> out;
    for (int operand : graph::idle_sets(graph, node).looked_up) {
        std::string const& name = graph.value(node.inputs[static_cast<std::size_t>(operand)]).name;
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    return out;
}

namespace {

std::string deciding_text(Drivers const& drivers) {
    std::string out;
    for (std::vector<std::string> const& set : drivers) {
        std::string any;
        for (std::string const& name : set) any += (any.empty() ? "" : " or ") + name;
        if (drivers.size() > 1 && set.size() > 1) any = "(" + any + ")";
        out += (out.empty() ? "" : " and ") + any;
    }
    if (drivers.size() == 1)
        return out + (drivers[0].size() == 1 ? ": only what it lists" : ": what any of them lists");
    bool const each_alone =
        std::all_of(drivers.begin(), drivers.end(), [](auto const& set) { return set.size() == 1; });
    return out + (each_alone ? ": only what all of them list" : ": only what these list");
}

}  // namespace

std::string drivers_text(Drivers const& drivers, std::vector<std::string> const& looked_up) {
    std::string names;
    for (std::string const& name : looked_up) names += (names.empty() ? "" : ", ") + name;
    if (names.empty()) return deciding_text(drivers);
    return deciding_text(drivers) + "; " + names + (looked_up.size() == 1 ? " is" : " are") + " looked up there";
}

std::vector<std::string> dense_copies(graph::EinGraph const& graph) {
    std::vector<std::string> out(graph.nodes.size());
    std::vector<std::optional<NodeId>> const producers = graph.producers();
    for (graph::MadeDense const& made : graph::made_dense(graph))
        if (auto const node = producers[static_cast<std::size_t>(made.dense.value())])
            out[static_cast<std::size_t>(node->value())] = "a dense copy " + graph::why_made_dense(graph, made);
    return out;
}

std::string listed_text(std::vector<ListedTensor> const& tensors) {
    std::string out;
    for (ListedTensor const& listed : tensors) out += (out.empty() ? "" : "; ") + text_of(listed);
    return out;
}

std::string work_text(ListedWork const& work, std::int64_t calls) {
    if (calls == 1)
        return "rank " + std::to_string(work.busiest) + " goes through all " + count(work.most) +
               " listed elements: the node is not cut";
    std::string out = "rank " + std::to_string(work.busiest) + " goes through " + count(work.most) +
                      " listed elements, " + number("%.2f", work.ratio()) + " times the mean";
    if (work.ratio() < uneven_work) return out;
    return out +
           ": the others wait for it; number the indices in a random order (the same for all tensors that share "
           "them), or cut another label";
}

}  // namespace ein::apps::explain
