#include "apps/library/state.hpp"

namespace einloom {

using ein::Json;

namespace {

Json parsed(std::string const& text, std::string const& what) {
    return public_errors([&] { return ein::parse_json(text, what); });
}

Json declared(Shape const& shape, std::string const& dtype) {
    Json out = Json::object();
    out["shape"] = shape;
    if (!dtype.empty()) out["dtype"] = dtype;
    return out;
}

void put(Json& into, char const* key, std::string const& value) {
    if (!value.empty()) into[key] = value;
}

}  // namespace

Graph::Graph(std::string const& name, std::string const& dtype)
    : state_(std::make_unique<State>(State{Json{{"eingraph", 1},
                                                {"name", name},
                                                {"dtype", dtype},
                                                {"tensors", Json::object()},
                                                {"nodes", Json::array()},
                                                {"outputs", Json::array()}},
                                           "."})) {}

Graph Graph::from_json(std::string const& text, std::string const& folder) {
    Graph out("");
    *out.state_ = {parsed(text, "graph"), folder};
    return out;
}

Graph::Graph(Graph const& other) : state_(std::make_unique<State>(*other.state_)) {}
Graph& Graph::operator=(Graph const& other) {
    *state_ = *other.state_;
    return *this;
}
Graph::~Graph() = default;

Graph& Graph::input(std::string const& name, Shape const& shape, std::string const& dtype) {
    state_->json["tensors"][name] = declared(shape, dtype);
    return *this;
}

Graph& Graph::tensor(std::string const& name, Shape const& shape, std::string const& data, std::string const& dtype) {
    Json tensor = declared(shape, dtype);
    tensor["data"] = parsed(data, "data of " + name);
    state_->json["tensors"][name] = std::move(tensor);
    return *this;
}

Graph& Graph::einsum(std::string const& name, std::string const& subscripts, std::vector<std::string> const& inputs,
                     EinsumOptions const& options) {
    Json node{{"name", name}, {"einsum", subscripts}, {"inputs", inputs}};
    put(node, "join", options.join);
    put(node, "agg", options.agg);
    put(node, "dtype", options.dtype);
    state_->json["nodes"].push_back(std::move(node));
    return *this;
}

Graph& Graph::node(std::string const& json) {
    state_->json["nodes"].push_back(parsed(json, "node"));
    return *this;
}

Graph& Graph::param(std::string const& name, double value) {
    state_->json["params"][name] = value;
    return *this;
}

Graph& Graph::output(std::string const& name) {
    state_->json["outputs"].push_back(name);
    return *this;
}

std::string Graph::json() const { return state_->json.dump(1); }

}  // namespace einloom
