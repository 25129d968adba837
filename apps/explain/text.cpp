#include <algorithm>
#include <cstdio>

#include "apps/explain/alike.hpp"
#include "apps/explain/columns.hpp"
#include "apps/explain/print.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::apps::explain {
namespace {

constexpr std::size_t page = 100;      // columns
constexpr std::size_t most_flows = 8;  // input edges shown of a node

std::string bytes(double count) { return format_bytes(count); }
std::string bytes(std::int64_t count) { return format_bytes(static_cast<double>(count)); }

std::string key(std::string const& word, std::size_t columns = 14) { return "  " + left(word, columns - 2); }
std::string line(std::string const& word, std::string const& text) { return wrapped(key(word), text, page); }

std::string plural(std::int64_t count, std::string const& thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string times(double ratio) {
    char text[32];
    std::snprintf(text, sizeof text, ratio < 10 ? "%.2f" : ratio < 1000 ? "%.1f" : "%.3g", ratio);
    return text;
}

std::string signed_bytes(double more) { return (more < 0 ? "" : "+") + bytes(more); }

std::string parts_text(std::vector<CutLabel> const& cut) {
    std::string out;
    for (CutLabel const& label : cut)
        if (label.parts > 1) out += (out.empty() ? "" : ", ") + label.name + " " + std::to_string(label.parts);
    return out.empty() ? "not cut" : out;
}

std::string uneven_text(std::vector<CutLabel> const& cut) {
    std::string out;
    for (CutLabel const& label : cut)
        if (!label.uneven.empty()) out += (out.empty() ? "; uneven " : ", ") + label.name + ": " + label.uneven;
    return out;
}

std::string labels(std::vector<CutLabel> const& cut) {
    std::string out;
    for (CutLabel const& label : cut)
        out += (out.empty() ? "" : ", ") + label.name + " " + std::to_string(label.extent) +
               (label.aggregated ? " (aggregated)" : "");
    return out.empty() ? "none: a scalar" : out;
}

std::string collectives(Flow const& flow) {
    std::string out;
    for (Step const& step : flow.steps)
        out +=
            (out.empty() ? "" : ", then ") + step.kind + (step.axes.empty() ? "" : " over " + joined(step.axes, ","));
    if (out.empty()) out = "nothing moves";
    if (flow.bytes > 0) out += ", " + bytes(flow.bytes);
    return out + (flow.note.empty() ? "" : " (" + flow.note + ")");
}

std::string peaks(std::vector<std::int64_t> const& peak) {
    auto const [least, most] = std::minmax_element(peak.begin(), peak.end());
    std::string out = bytes(*most) + " (" + std::to_string(*most) + " bytes) of blocks on rank " +
                      std::to_string(most - peak.begin());
    return peak.size() == 1 ? out : out + ", " + bytes(*least) + " on rank " + std::to_string(least - peak.begin());
}

std::string idle(Explanation const& e) {
    std::vector<std::string> ranks;
    for (int rank : e.idle_ranks) ranks.push_back(std::to_string(rank));
    return std::to_string(ranks.size()) + " of " + std::to_string(e.ranks) + ": " + joined(ranks, ", ");
}

std::string head(Explanation const& e) {
    std::string out = wrapped("", "einplan: " + e.graph + " for " + plural(e.ranks, "rank") + ", explained", page);
    out += line("strategy", e.strategy + ", " + plural(e.calls, "kernel call") + " a node, placed by " + e.place);
    if (e.reproducible) out += line("repeatable", "reproducible: the same bits at every number of ranks and threads");
    if (e.gap)
        out += line("gap", *e.gap == 0 ? "none: no plan costs less"
                                       : "at most " + times(100 * *e.gap) + " % above the least cost");
    out += line("mesh", e.mesh.empty() ? "one rank" : e.mesh + ", ranks numbered in this order, the last axis fastest");
    out += line("published", "join " + format_count(e.cost.join) + ", agg " + format_count(e.cost.agg) + ", repart " +
                                 format_count(e.cost.repart) + ": " + format_count(e.cost.total()) + " elements, " +
                                 bytes(e.cost_bytes) + " (worst case)");
    out += line("scheduled", bytes(e.bytes) + " (" + std::to_string(e.bytes) +
                                 " bytes) cross ranks; the busiest receives " + bytes(e.bytes_rank_max) + ", " +
                                 format_count(e.words_rank_max) + " words of " + e.word);
    if (e.loaded_again > 0)
        out += line("read again",
                    bytes(e.loaded_again) + " of sparse inputs, by ranks that want what another has read too");
    out += line("computed", format_count(e.flops) + " flops, " + plural(e.tasks, "task"));
    out += line("peak", peaks(e.peak_bytes));
    if (e.spill.blocks > 0)
        out += line("spills", plural(e.spill.blocks, "block") + ", " + bytes(e.spill.written) + " (" +
                                  std::to_string(e.spill.written) + " bytes) written to disk, " + bytes(e.spill.read) +
                                  " read back");
    if (e.device) out += line("device", device_text(*e.device));
    if (!e.idle_ranks.empty()) out += line("idle ranks", idle(e));
    return out;
}

std::string row(std::string const& name, std::string const& cut, std::string const& published,
                std::string const& scheduled, std::string const& ratio) {
    return "  " + left(name, 34) + " " + left(cut, 30) + " " + right(published, 11) + " " + right(scheduled, 11) + " " +
           right(ratio, 8) + "\n";
}

std::string overview(Explanation const& e, std::vector<std::vector<std::size_t>> const& groups) {
    if (groups.empty()) return "\n  no node: every output is an input\n";
    std::string out = "\n" + row("node", "parts", "published", "scheduled", "x bound");
    for (auto const& group : groups) {
        NodeReport const& report = e.nodes[group.front()];
        std::string const repeats = group.size() > 1 ? " (x" + std::to_string(group.size()) + ")" : "";
        out += row(fitted(report.name, 34 - repeats.size()) + repeats, parts_text(report.cut),
                   bytes(report.bytes.total()), bytes(report.moved()), report.ratio ? times(*report.ratio) : "");
    }
    return out;
}

std::string rejected(NodeReport const& report) {
    std::string out;
    for (Rejected const& other : report.rejected) {
        bool const first = &other == &report.rejected.front();
        out += key(first ? "instead of" : "") + left(first ? bytes(report.with_edges_bytes) : "", 10) + " " +
               left(parts_text(other.cut), 46) + " " + right(bytes(other.bytes), 10) + " (" +
               signed_bytes(other.more_bytes) + ")\n";
    }
    auto const is_less = [](Rejected const& other) { return other.more_bytes < 0; };
    if (std::any_of(report.rejected.begin(), report.rejected.end(), is_less))
        out += wrapped(key(""),
                       "less as published, where every operand comes from elsewhere; scheduled, the whole "
                       "graph may move more",
                       page, 3);
    return out;
}

std::string flows(NodeReport const& report) {
    std::string out;
    for (std::size_t k = 0; k < std::min(report.inputs.size(), most_flows); ++k) {
        Flow const& flow = report.inputs[k];
        std::string const change = flow.held == flow.wanted ? flow.wanted : flow.held + "  =>  " + flow.wanted;
        out += wrapped(key(k == 0 ? "reads" : ""), flow.tensor + ":  " + change + "   " + collectives(flow), page, 3);
    }
    if (report.inputs.size() > most_flows)
        out += key("") + "and " + std::to_string(report.inputs.size() - most_flows) + " more\n";
    Flow const& made = report.output;
    std::string const change = made.held == made.wanted ? made.held : made.wanted + "  =>  " + made.held;
    return out + wrapped(key("makes"), change + (made.steps.empty() ? "" : "   " + collectives(made)), page, 3);
}

std::string also(Explanation const& e, std::vector<std::size_t> const& group) {
    if (group.size() == 1) return "";
    std::vector<std::string> names;
    for (std::size_t k = 1; k < group.size(); ++k) names.push_back(e.nodes[group[k]].name);
    return line("alike", "and " + std::to_string(names.size()) + " alike: " + joined(names, ", "));
}

std::string moved(NodeReport const& s) {
    if (s.moved() == 0) return "nothing crosses ranks";
    return "join " + bytes(s.join) + ", agg " + bytes(s.agg) + ", repart " + bytes(s.repart) + ": " + bytes(s.moved()) +
           "; the busiest rank receives " + bytes(s.busiest);
}

std::string bound(NodeReport const& s) {
    std::string const out = format_count(*s.lower_bound_words) + " words of " + s.dtype + " at some rank; here ";
    if (s.moved() == 0) return out + (s.ratio ? "none: its operands lie there already" : "none");
    return out + format_count(s.busiest_words) + (s.ratio ? ", " + times(*s.ratio) + " times that" : "");
}

std::string section(Explanation const& e, std::vector<std::size_t> const& group) {
    NodeReport const& s = e.nodes[group.front()];
    std::string out = "\n" + wrapped("", s.name, page, 2) + line("computes", s.operation + ", " + s.dtype);
    out += line("labels", labels(s.cut));
    out += line("parts", parts_text(s.cut) + ": " + (s.calls < s.cells ? plural(s.cells, "cell") + " in " : "") +
                             plural(s.calls, "kernel call") +
                             (s.listed_work && s.calls < s.cells ? ", by listed elements; " : "; ") +
                             plural(s.candidates, "candidate") + uneven_text(s.cut));
    out += line("published", "join " + format_count(s.elements.join) + ", agg " + format_count(s.elements.agg) +
                                 ", repart " + format_count(s.elements.repart) + ": " +
                                 format_count(s.elements.total()) + " elements, " + bytes(s.bytes.total()));
    out += line("scheduled", moved(s));
    if (s.lower_bound_words) out += line("lower bound", bound(s));
    if (!s.dense_copy.empty()) out += line("made dense", s.dense_copy);
    if (!s.listed.empty()) out += line("nnz", listed_text(s.listed));
    if (!s.drivers.empty() && s.dense_copy.empty()) out += line("driven by", drivers_text(s.drivers, s.looked_up));
    if (s.listed_work && e.ranks > 1) out += line("balance", work_text(*s.listed_work, s.calls));
    return out + rejected(s) + flows(s) + also(e, group);
}

}  // namespace

std::string to_text(Explanation const& explanation) {
    auto const groups = alike(explanation.nodes);
    std::string out = head(explanation) + overview(explanation, groups);
    for (auto const& group : groups) out += section(explanation, group);
    return out;
}

}  // namespace ein::apps::explain
