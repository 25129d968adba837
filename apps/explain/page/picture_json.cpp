#include <cmath>

#include "apps/explain/page/picture.hpp"
#include "lib/base/json.hpp"

namespace ein::apps::explain {
namespace {

std::int64_t whole(double value) { return std::llround(value); }

std::int64_t or_none(std::optional<std::size_t> const& index) { return index ? static_cast<std::int64_t>(*index) : -1; }

/// null, a step, or -1 - port.
Json source_json(Source const& source) {
    switch (source.from) {
        case Source::From::graph: return nullptr;
        case Source::From::step: return source.index;
        case Source::From::port: return -1 - static_cast<std::int64_t>(source.index);
    }
    return nullptr;
}

Json sources_json(std::vector<Source> const& sources) {
    Json out = Json::array();
    for (Source const& source : sources) out.push_back(source_json(source));
    return out;
}

Json group_json(Group const& group) {
    Json in = Json::array();
    for (InPort const& port : group.in) {
        Json one{{"sources", sources_json(port.sources)}};
        if (port.carry) one["carry"] = {port.carry->step, port.carry->distance};
        in.push_back(std::move(one));
    }
    return {{"first", group.first},
            {"period", group.period},
            {"copies", group.copies},
            {"scope", group.scope},
            {"in", in},
            {"from", group.from_name},
            {"to", group.to_name}};
}

Json layout_json(Scope const& scope) {
    Json layers = Json::array(), vertices = Json::array(), vias = Json::array(), links = Json::array();
    Layout const& layout = scope.layout;
    for (Layer const& layer : layout.layers) layers.push_back({whole(layer.height), layer.column});
    for (Place const& vertex : layout.vertices) vertices.push_back({whole(vertex.x), vertex.layer});
    for (Via const& via : layout.vias) vias.push_back({whole(via.place.x), via.place.layer, or_none(via.before)});
    for (std::size_t k = 0; k < scope.links.size(); ++k) {
        Link const& link = scope.links[k];
        links.push_back({link.from, link.from_port, link.to, link.to_port, or_none(layout.last_via[k])});
    }
    return {
        {"layers", layers}, {"vertices", vertices}, {"vias", vias}, {"links", links}, {"width", whole(layout.width)}};
}

Json scope_json(Scope const& scope) {
    Json out = layout_json(scope);
    Json items = Json::array(), reads = Json::object(), groups = Json::array();
    for (Item const& item : scope.items) {
        items.push_back({item.step, or_none(item.group)});
        if (!item.group && !scope.reads[item.step].empty())
            reads[std::to_string(item.step)] = sources_json(scope.reads[item.step]);
    }
    for (Group const& group : scope.groups) groups.push_back(group_json(group));
    out["items"] = std::move(items);
    out["reads"] = std::move(reads);
    out["groups"] = std::move(groups);
    out["in_ports"] = scope.in_ports;
    out["out_ports"] = scope.out_ports;
    return out;
}

}  // namespace

Json to_json(Picture const& picture) {
    Json scopes = Json::array();
    for (Scope const& scope : picture.scopes) scopes.push_back(scope_json(scope));
    return {{"order", picture.order},
            {"node", {node_width, node_height}},
            {"frame", {frame_top, frame_side, frame_bottom}},
            {"gaps", {layer_gap, column_gap}},
            {"scopes", scopes}};
}

}  // namespace ein::apps::explain
