#include <cmath>

#include "apps/explain/print.hpp"

namespace ein::apps::explain {
namespace {

/// Whole numbers as such: 5242880, not 5242880.0.
Json number(double value) {
    if (std::floor(value) == value && std::fabs(value) < 0x1p53) return static_cast<std::int64_t>(value);
    return value;
}

Json number(std::optional<double> value) { return value ? number(*value) : Json(nullptr); }

Json cost(relation::Cost const& cost) {
    return {{"join", number(cost.join)}, {"agg", number(cost.agg)}, {"repart", number(cost.repart)}};
}

Json with_total(Json json, double total) {
    json["total"] = number(total);
    return json;
}

Json parts(std::vector<CutLabel> const& cut) {
    Json out = Json::object();
    for (CutLabel const& label : cut) out[label.name] = label.parts;
    return out;
}

Json extents(std::vector<CutLabel> const& cut) {
    Json out = Json::object();
    for (CutLabel const& label : cut) out[label.name] = label.extent;
    return out;
}

Json uneven(std::vector<CutLabel> const& cut) {
    Json out = Json::object();
    for (CutLabel const& label : cut)
        if (!label.uneven.empty()) out[label.name] = label.uneven;
    return out;
}

Json aggregated(std::vector<CutLabel> const& cut) {
    Json out = Json::array();
    for (CutLabel const& label : cut)
        if (label.aggregated) out.push_back(label.name);
    return out;
}

Json rejected(std::vector<Rejected> const& list) {
    Json out = Json::array();
    for (Rejected const& one : list)
        out.push_back({{"parts", parts(one.cut)},
                       {"elements", number(one.elements)},
                       {"bytes", number(one.bytes)},
                       {"more_elements", number(one.more_elements)},
                       {"more_bytes", number(one.more_bytes)}});
    return out;
}

std::string kinds(std::vector<Step> const& steps) {
    std::string out;
    for (Step const& step : steps) out += (out.empty() ? "" : " + ") + step.kind;
    return out.empty() ? "none" : out;
}

Json collective(Flow const& flow, Json of) {
    Json steps = Json::array();
    for (Step const& step : flow.steps) steps.push_back({{"kind", step.kind}, {"axes", step.axes}});
    Json out{{"of", std::move(of)},       {"tensor", flow.tensor}, {"held", flow.held},  {"wanted", flow.wanted},
             {"kind", kinds(flow.steps)}, {"steps", steps},        {"bytes", flow.bytes}};
    if (!flow.note.empty()) out["note"] = flow.note;
    return out;
}

Json collectives(NodeReport const& report) {
    Json out = Json::array();
    for (std::size_t k = 0; k < report.inputs.size(); ++k) {
        out.push_back(collective(report.inputs[k], "inputs/" + std::to_string(k)));
        out.back()["maker"] = report.inputs[k].maker ? Json(*report.inputs[k].maker) : Json(nullptr);
    }
    out.push_back(collective(report.output, "output"));
    return out;
}

Json sharding(NodeReport const& report) {
    Json out = Json::object();
    for (Flow const& flow : report.inputs) out.emplace(flow.tensor, flow.wanted);
    out[report.output.tensor] = report.output.held;
    return out;
}

/// As graph files have it: text where JSON has no number.
Json fill(scalar::Scalar const& value) {
    if (value.is_integer) return value.integer;
    if (value.number.imag() == 0 && std::isfinite(value.number.real())) return number(value.number.real());
    return fill_text(value);
}

/// Of what is taken to be listed; null where that is not known.
Json density(ListedTensor const& listed) {
    if (!listed.estimate) return nullptr;
    return listed.places > 0 ? *listed.estimate / listed.places : 0.0;
}

Json nnz(std::vector<ListedTensor> const& tensors) {
    Json out = Json::array();
    for (ListedTensor const& listed : tensors)
        out.push_back({{"tensor", listed.tensor},
                       {"made", listed.made},
                       {"places", number(listed.places)},
                       {"density", density(listed)},
                       {"fill", fill(listed.fill)},
                       {"bytes", number(listed.bytes)},
                       {"dense_bytes", number(listed.dense_bytes)},
                       {"estimate", number(listed.estimate)},
                       {"bound", number(listed.bound)},
                       {"exact", listed.exact()}});
    return out;
}

Json timing(Timing const& timing) {
    return {{"machines", timing.machines},
            {"seconds", timing.makespan},
            {"computing", timing.computing},
            {"moving", timing.moving},
            {"critical_path", {{"nodes", timing.path}, {"seconds", timing.path_seconds}}}};
}

}  // namespace

Json to_json(NodeReport const& report) {
    Json out{
        {"name", report.name},
        {"operation", report.operation},
        {"dtype", report.dtype},
        {"labels", extents(report.cut)},
        {"aggregated", aggregated(report.cut)},
        {"uneven", uneven(report.cut)},
        {"parts", parts(report.cut)},
        {"calls", report.calls},
        {"flops", number(report.flops)},
        {"candidates", report.candidates},
        {"cost", cost(report.elements)},
        {"cost_bytes", cost(report.bytes)},
        {"with_edges", {{"elements", number(report.with_edges_elements)}, {"bytes", number(report.with_edges_bytes)}}},
        {"alternatives", rejected(report.rejected)},
        {"bytes",
         {{"join", report.join},
          {"agg", report.agg},
          {"repart", report.repart},
          {"total", report.moved()},
          {"rank_max", report.busiest}}},
        {"words_rank_max", number(report.busiest_words)},
        {"lower_bound_words", number(report.lower_bound_words)},
        {"times_lower_bound", number(report.ratio)},
        {"sharding", sharding(report)},
        {"collectives", collectives(report)}};
    if (!report.listed.empty()) out["nnz"] = nnz(report.listed);
    if (!report.drivers.empty()) out["drivers"] = report.drivers;
    if (!report.looked_up.empty()) out["looked_up"] = report.looked_up;
    if (!report.dense_copy.empty()) out["dense_copy"] = report.dense_copy;
    if (report.listed_work)
        out["listed_work"] = {{"busiest_rank", report.listed_work->busiest},
                              {"listed", number(report.listed_work->most)},
                              {"mean", number(report.listed_work->mean)},
                              {"times_mean", number(report.listed_work->ratio())}};
    return out;
}

Json to_json(Explanation const& e) {
    Json mesh = Json::object(), nodes = Json::array();
    for (auto const& [axis, size] : e.mesh_axes) mesh[axis] = size;
    for (NodeReport const& report : e.nodes) nodes.push_back(to_json(report));
    Json out{{"einplan_explain", 1},
             {"graph", e.graph},
             {"ranks", e.ranks},
             {"strategy", e.strategy},
             {"place", e.place},
             {"reproducible", e.reproducible},
             {"calls", e.calls},
             {"mesh", mesh},
             {"tasks", e.tasks},
             {"flops", number(e.flops)},
             {"cost", with_total(cost(e.cost), e.cost.total())},
             {"cost_bytes", number(e.cost_bytes)},
             {"bytes", {{"total", e.bytes}, {"rank_max", e.bytes_rank_max}}},
             {"word", e.word},
             {"words_rank_max", number(e.words_rank_max)},
             {"peak_bytes", e.peak_bytes},
             {"spill", {{"blocks", e.spill.blocks}, {"bytes", e.spill.written}, {"fetched_bytes", e.spill.read}}},
             {"idle_ranks", e.idle_ranks},
             {"nodes", nodes}};
    if (e.device)
        out["device_memory"] = {{"capacity", e.device->capacity},
                                {"copied_in", e.device->traffic.copied_in},
                                {"evicted", e.device->traffic.evicted},
                                {"sent_home", e.device->traffic.sent_home},
                                {"peak", e.device->traffic.peak}};
    if (e.timing) out["timing"] = timing(*e.timing);
    if (e.loaded_again > 0) out["loaded_again"] = e.loaded_again;
    if (e.gap) out["gap"] = number(*e.gap);
    return out;
}

}  // namespace ein::apps::explain
