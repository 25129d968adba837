// The nodes of an explanation as a picture in which repeated parts are shown once: a tree of scopes, the whole and the
// copy of each group, each laid out for itself. A group is a vertex in the scope around it; values that pass its border
// do so at ports. Steps of a scope are counted from its beginning: in the whole they are positions in `order`, and step
// j of copy c of a group is step first + c * period + j of the scope around it. Example: 32 layers between an embedding
// and a head: the whole has three items, the middle one a group of 32 copies.
#pragma once

#include <string>
#include <vector>

#include "apps/explain/explanation.hpp"
#include "apps/explain/page/layered_layout.hpp"
#include "apps/explain/page/repeats.hpp"
#include "lib/base/json_fwd.hpp"

namespace ein::apps::explain {

/// Where an input comes from, seen in a scope.
struct Source {
    enum class From { graph, step, port };  // an input of the graph; a step of the scope; one of its in-ports
    From from = From::graph;
    std::size_t index = 0;
    friend auto operator<=>(Source const&, Source const&) = default;
};

/// A value that copy c reads of copy c - distance.
struct Carry {
    std::size_t step = 0, distance = 0;
    friend auto operator<=>(Carry const&, Carry const&) = default;
};

/// A value that copies of a group read of what lies outside of the copy.
struct InPort {
    std::vector<Source> sources;  // in the scope around the group, by copy; none for those that a carry serves
    std::optional<Carry> carry;
    friend auto operator<=>(InPort const&, InPort const&) = default;
};

struct Group {
    std::size_t first = 0, period = 0, copies = 0;
    std::size_t scope = 0;           // of a copy
    std::vector<InPort> in;          // as the in-ports of that scope
    std::string from_name, to_name;  // what the names of the first copy's nodes begin with, and of the last one's
};

/// A node, or a group that begins there.
struct Item {
    std::size_t step = 0;
    std::optional<std::size_t> group;
};

struct Scope {
    std::vector<std::vector<Source>> reads;  // by step and input
    std::vector<Group> groups;
    std::vector<Item> items;
    std::size_t in_ports = 0;
    std::vector<std::size_t> out_ports;  // steps whose values leave
    std::vector<Link> links;             // between vertices: in-ports, items, out-ports
    std::vector<Vertex> vertices;
    Layout layout;
};

struct Picture {
    std::vector<std::size_t> order;  // nodes by position
    std::vector<Scope> scopes;       // the whole first
};

constexpr double node_width = 196, node_height = 58;
constexpr double frame_top = 48, frame_side = 30, frame_bottom = 12;  // what a group's vertex has around a copy
constexpr std::size_t least_hidden_nodes = 12;                        // smaller runs are drawn as they are

Picture picture_of(std::vector<NodeReport> const& nodes);
Json to_json(Picture const& picture);

}  // namespace ein::apps::explain
