#include "apps/explain/page/picture.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "apps/explain/page/scopes.hpp"

namespace ein::apps::explain {
namespace {

/// What nodes of one form have in common: what they compute. They may be cut otherwise: the page says so.
std::string node_form(NodeReport const& report) {
    std::string out = report.operation + '\n' + report.dtype;
    for (CutLabel const& label : report.cut) out += '\n' + label.name + ' ' + std::to_string(label.extent);
    return out;
}

std::vector<std::size_t> as_listed(std::size_t nodes) {
    std::vector<std::size_t> out(nodes);
    for (std::size_t n = 0; n < nodes; ++n) out[n] = n;
    return out;
}

/// Each node after its makers, from what nobody reads back: a layer's nodes follow one another however they are listed.
std::vector<std::size_t> depth_first(std::vector<NodeReport> const& nodes) {
    std::vector<std::size_t> out;
    std::vector<bool> read(nodes.size(), false), seen(nodes.size(), false);
    for (NodeReport const& node : nodes)
        for (Flow const& flow : node.inputs)
            if (flow.maker) read[*flow.maker] = true;
    std::vector<std::pair<std::size_t, std::size_t>> stack;  // a node, and its input that comes next
    for (std::size_t root = 0; root < nodes.size(); ++root) {
        if (read[root]) continue;
        stack.emplace_back(root, 0);
        seen[root] = true;
        while (!stack.empty()) {
            auto& [node, input] = stack.back();
            if (input == nodes[node].inputs.size()) {
                out.push_back(node);
                stack.pop_back();
                continue;
            }
            auto const maker = nodes[node].inputs[input++].maker;
            if (!maker || seen[*maker]) continue;
            seen[*maker] = true;
            stack.emplace_back(*maker, 0);
        }
    }
    return out;
}

std::vector<std::size_t> forms_of(std::vector<NodeReport> const& nodes) {
    std::map<std::string, std::size_t> known;
    std::vector<std::size_t> out;
    for (NodeReport const& node : nodes) out.push_back(known.emplace(node_form(node), known.size()).first->second);
    return out;
}

/// Nodes of a form that occurs once, and that read only such, come first: what is made once for all layers does not
/// stand in the middle of the first one.
void put_unique_first(std::vector<std::size_t>& order, std::vector<NodeReport> const& nodes,
                      std::vector<std::size_t> const& forms) {
    std::vector<std::size_t> count(nodes.size(), 0);
    for (std::size_t form : forms) ++count[form];
    std::vector<bool> unique(nodes.size(), false);
    for (std::size_t node : order)
        unique[node] = count[forms[node]] == 1 &&
                       std::all_of(nodes[node].inputs.begin(), nodes[node].inputs.end(),
                                   [&](Flow const& flow) { return !flow.maker || unique[*flow.maker]; });
    std::stable_partition(order.begin(), order.end(), [&](std::size_t node) { return unique[node]; });
}

std::vector<SequenceStep> steps_of(std::vector<NodeReport> const& nodes, std::vector<std::size_t> const& order,
                                   std::vector<std::size_t> const& forms) {
    std::vector<std::size_t> position(nodes.size());
    for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = p;
    std::vector<SequenceStep> out;
    for (std::size_t node : order) {
        out.push_back({forms[node], {}, nodes[node].name});
        for (Flow const& flow : nodes[node].inputs)
            out.back().makers.push_back(flow.maker ? std::optional(position[*flow.maker]) : std::nullopt);
    }
    return out;
}

std::string common_beginning(std::vector<NodeReport> const& nodes, std::vector<std::size_t> const& order,
                             std::size_t first, std::size_t count) {
    std::string out = nodes[order[first]].name;
    for (std::size_t k = 1; k < count; ++k) {
        std::string const& name = nodes[order[first + k]].name;
        auto const end = std::mismatch(out.begin(), out.end(), name.begin(), name.end()).first;
        out.erase(end, out.end());
    }
    return out;
}

void name_groups(Picture& picture, std::vector<NodeReport> const& nodes, std::size_t scope, std::size_t base) {
    for (Group& group : picture.scopes[scope].groups) {
        std::size_t const first = base + group.first, last = first + (group.copies - 1) * group.period;
        group.from_name = common_beginning(nodes, picture.order, first, group.period);
        group.to_name = common_beginning(nodes, picture.order, last, group.period);
        if (group.from_name == group.to_name) {
            group.from_name = nodes[picture.order[first]].name;
            group.to_name = nodes[picture.order[last]].name;
        }
        name_groups(picture, nodes, group.scope, first);
    }
}

/// The vertex of an item, and which of its out-ports a step leaves by.
struct End {
    std::size_t vertex = 0, port = 0;
};

End end_of(std::vector<Scope> const& scopes, Scope const& scope, Source const& source) {
    if (source.from == Source::From::port) return {source.index, 0};
    auto const after = std::upper_bound(scope.items.begin(), scope.items.end(), source.index,
                                        [](std::size_t step, Item const& item) { return step < item.step; });
    auto const item = after - 1;
    End out{scope.in_ports + static_cast<std::size_t>(item - scope.items.begin()), 0};
    if (!item->group) return out;
    Group const& group = scope.groups[*item->group];
    auto const& ports = scopes[group.scope].out_ports;
    auto const port = std::lower_bound(ports.begin(), ports.end(), (source.index - group.first) % group.period);
    out.port = static_cast<std::size_t>(port - ports.begin());
    return out;
}

std::vector<Link> links_of(std::vector<Scope> const& scopes, Scope const& scope) {
    std::set<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>> known;
    std::vector<Link> out;
    auto const add = [&](Source const& source, std::size_t to, std::size_t to_port) {
        if (source.from == Source::From::graph) return;
        End const from = end_of(scopes, scope, source);
        if (known.emplace(from.vertex, from.port, to, to_port).second)
            out.push_back({from.vertex, from.port, to, to_port});
    };
    for (std::size_t i = 0; i < scope.items.size(); ++i) {
        Item const& item = scope.items[i];
        std::size_t const vertex = scope.in_ports + i;
        if (!item.group)
            for (Source const& source : scope.reads[item.step]) add(source, vertex, 0);
        else
            for (std::size_t p = 0; p < scope.groups[*item.group].in.size(); ++p)
                for (Source const& source : scope.groups[*item.group].in[p].sources) add(source, vertex, p);
    }
    for (std::size_t p = 0; p < scope.out_ports.size(); ++p)
        add({Source::From::step, scope.out_ports[p]}, scope.in_ports + scope.items.size() + p, 0);
    return out;
}

Vertex vertex_of(Scope const& copy) {
    Vertex out{copy.layout.width + 2 * frame_side, copy.layout.height() + frame_top + frame_bottom, {}, {}, Pin::none};
    std::size_t const vertices = copy.vertices.size();
    auto const place = [&](std::size_t vertex) { return copy.layout.vertices[vertex].x - copy.layout.width / 2; };
    for (std::size_t p = 0; p < copy.in_ports; ++p) out.in.push_back(place(p));
    for (std::size_t p = vertices - copy.out_ports.size(); p < vertices; ++p) out.out.push_back(place(p));
    return out;
}

void lay_out_scope(std::vector<Scope>& scopes, std::size_t index) {
    Scope& scope = scopes[index];
    Vertex const port{0, 0, {0}, {0}, Pin::top};
    scope.vertices.assign(scope.in_ports, port);
    for (Item const& item : scope.items)
        scope.vertices.push_back(item.group ? vertex_of(scopes[scope.groups[*item.group].scope])
                                            : Vertex{node_width, node_height, {0}, {0}, Pin::none});
    scope.vertices.resize(scope.vertices.size() + scope.out_ports.size(), {0, 0, {0}, {0}, Pin::bottom});
    scope.links = links_of(scopes, scope);
    scope.layout = lay_out(scope.vertices, scope.links);
}

}  // namespace

Picture picture_of(std::vector<NodeReport> const& nodes) {
    Picture out;
    std::vector<SequenceStep> steps;
    std::vector<Repeat> repeats;
    auto const forms = forms_of(nodes);
    std::size_t least = nodes.size() + 1;
    for (auto order : {as_listed(nodes.size()), depth_first(nodes)}) {
        put_unique_first(order, nodes, forms);
        auto const listed = steps_of(nodes, order, forms);
        auto found = find_repeats(listed, least_hidden_nodes);
        std::size_t const shown = shown_steps(nodes.size(), found);
        if (shown >= least) continue;
        least = shown;
        out.order = order;
        steps = listed;
        repeats = std::move(found);
    }
    out.scopes = scopes_of(steps, repeats);
    for (std::size_t scope = out.scopes.size(); scope-- > 0;) lay_out_scope(out.scopes, scope);
    name_groups(out, nodes, 0, 0);
    return out;
}

}  // namespace ein::apps::explain
