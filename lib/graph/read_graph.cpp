#include "lib/graph/read_graph.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "lib/base/files/file_kind.hpp"
#include "lib/base/limits.hpp"
#include "lib/graph/graph_builder.hpp"
#include "lib/graph/hoist.hpp"
#include "lib/graph/prune.hpp"
#include "lib/graph/read/declarations.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/headers.hpp"
#include "lib/graph/read/node_context.hpp"
#include "lib/graph/read/read_params.hpp"
#include "lib/graph/read/read_parts.hpp"
#include "lib/graph/read/read_sharding.hpp"
#include "lib/graph/read/read_storage.hpp"
#include "lib/graph/read/read_tensors.hpp"
#include "lib/graph/read/suspicions.hpp"

namespace ein::graph {
namespace {

/// The file a run writes an output to, without folder and ending.
std::string file_stem(std::string name) {
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
}

class GraphReader {
public:
    GraphReader(Cursor const& top, HeaderReader const& headers) : top_(top), headers_(headers) {}

    EinGraph read() {
        read_header();
        read_tensors();
        read_nodes();
        check_constrained();
        std::vector<ValueId> const outputs = read_outputs();
        top_.faults().throw_if_any();
        EinGraph graph = builder_.take();
        graph.name = graph_name_;
        graph.params = params_;
        graph.outputs = outputs;
        for (auto const& found : {mask_suspicions(graph), unneeded(nodes_, names_, tensors_, output_numbers_)})
            notes_.insert(notes_.end(), found.begin(), found.end());
        hoist(graph);
        graph = prune(std::move(graph));
        verify(graph, "read_graph");
        return graph;
    }

    std::vector<Completed> const& completed() const { return completed_; }
    std::vector<std::string>& notes() { return notes_; }

private:
    void read_header() {
        top_.only_keys({"eingraph", "name", "dtype", "params", "tensors", "nodes", "outputs", "mesh", "sharding",
                        "parts", "$schema"});
        auto const version = required(top_, "eingraph", "write the version of the format: \"eingraph\": 1");
        if (version && version->value() != Json(1))
            version->fail("version 1", brief(version->value()), "write 1, or use an Einloom that reads this version");
        std::size_t const faults = top_.faults().list().size();
        if (auto const at = optional_at(top_, "mesh")) builder_.set_mesh(read_mesh(*at));
        has_mesh_ = top_.faults().list().size() == faults;
        if (auto const at = optional_at(top_, "name")) graph_name_ = at->string().value_or("");
        if (auto const at = optional_at(top_, "dtype")) default_dtype_ = read_dtype(*at).value_or(DType::f32);
        if (auto const at = optional_at(top_, "params")) params_ = read_params(*at);
        for (auto const& [name, value] : params_) param_names_.push_back(name);
        names_.note_params(params_);
    }

    void read_tensors() {
        auto const tensors =
            required(top_, "tensors", "list the tensors that nodes read: \"tensors\": {\"A\": {\"shape\": [4, 3]}}");
        if (!tensors || !tensors->expect_object(R"({"A": {"shape": [4, 3]}})")) return names_.lacks_some();
        if (tensors->size() > static_cast<std::size_t>(most_values_)) {
            refuse_too_many(*tensors, tensors->size());
            tensors->faults().throw_if_any();
        }
        for (auto const& [name, unused] : tensors->value().items()) {
            Cursor const tensor = tensors->at(name);
            TensorDeclaration declaration = read_tensor(tensor, name, default_dtype_, headers_);
            note_completed(tensor, name, declaration);
            if (!usable_name(tensor, name)) continue;
            names_.add(name);
            builder_.reserve_name(name);
            values_.emplace_back();
            if (declaration.shape)
                values_.back() = builder_.add_leaf(name, std::move(*declaration.shape), declaration.dtype,
                                                   std::move(declaration.source), declaration.listing);
        }
        tensors_ = names_.size();
        leaves_ = values_;
        for (std::size_t k = 0; k < tensors_; ++k)
            if (auto const sharding = sharding_of(names_[k], values_[k], {}))
                values_[k] = sharded(names_[k], "sharded", *values_[k], *sharding);
    }

    /// What a tensor's file says of it and the graph does not.
    void note_completed(Cursor const& tensor, std::string const& name, TensorDeclaration const& declaration) {
        bool const other_dtype = !tensor.has("dtype") && declaration.dtype != default_dtype_;
        if (!declaration.shape || (tensor.has("shape") && !other_dtype)) return;
        completed_.push_back({name, *declaration.shape, declaration.dtype});
    }

    static bool usable_name(Cursor const& tensor, std::string const& name) {
        bool const control = std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; });
        if (!name.empty() && !control) return true;
        tensor.fail("a name", name.empty() ? "an empty string" : "one with control characters",
                    "write a name of visible characters");
        return false;
    }

    void read_nodes() {
        auto const at = optional_at(top_, "nodes");
        if (!at) return;  // a graph may be leaves alone
        nodes_ = declare_nodes(*at, names_);
        values_.resize(names_.size());
        read_declared(nodes_, {names_, values_, ""});
    }

    /// Names that nodes are read under: the graph's, or those of a loop's body.
    struct Scope {
        Names const& names;
        std::vector<std::optional<ValueId>>& values;  // by the number of a name; nothing: it has a fault
        std::string prefix;                           // of the values' names
    };

    void read_declared(std::vector<NodeDeclaration> const& nodes, Scope const& scope) {
        std::vector<std::optional<std::size_t>> producer(scope.names.size());
        for (std::size_t k = 0; k < nodes.size(); ++k)
            for (auto const number : nodes[k].defines) {
                if (!number) continue;
                producer[*number] = k;
                builder_.reserve_name(scope.prefix + scope.names[*number]);
                if (&scope.names != &names_) inner_names_.push_back(scope.prefix + scope.names[*number]);
            }
        for (std::size_t k : order_nodes(nodes, producer))
            if (nodes[k].usable && !has_too_many_) {
                read_node(nodes[k], scope);
                check_count(nodes[k].node);
            }
    }

    void check_count(Cursor const& node) {
        std::size_t const found = builder_.graph().values.size();
        if (has_too_many_ || found <= static_cast<std::size_t>(most_values_)) return;
        has_too_many_ = true;
        refuse_too_many(node, found);
    }
    static void refuse_too_many(Cursor const& at, std::size_t found) {
        at.fail(at_most(Limit::nodes) + " tensors and nodes, with those that nodes become", std::to_string(found),
                "split the graph, or " + how_to_allow(Limit::nodes, found));
    }

    void read_node(NodeDeclaration const& declaration, Scope const& scope) {
        NodeContext context{declaration.node, builder_,      scope.prefix + declaration.name, {},
                            param_names_,     default_dtype_};
        for (auto const& input : declaration.inputs)
            context.inputs.push_back(input ? scope.values[*input] : std::nullopt);
        auto const values = declaration.is_gradient()     ? read_gradient(context)
                            : declaration.is_loop()       ? read_loop(declaration, context)
                            : declaration.node.has("op")  ? std::vector{read_op(context)}
                            : declaration.node.has("tra") ? std::vector{read_tra(context)}
                                                          : std::vector{read_einsum(context)};
        note_suspicions(context);
        if (auto const large = builder_.take_too_large())
            declaration.node.fail("tensors of at most 2^62 bytes",
                                  quote(large->name) + " of shape " + to_string(large->shape), "use smaller extents");
        for (std::size_t k = 0; k < declaration.defines.size(); ++k) {
            if (!declaration.defines[k]) continue;
            scope.values[*declaration.defines[k]] = values[k];
            if (!declaration.is_loop())
                scope.values[*declaration.defines[k]] =
                    constrained(declaration, scope.prefix + scope.names[*declaration.defines[k]], values[k]);
        }
    }

    void note_suspicions(NodeContext const& context) {
        constexpr std::size_t most = 5;  // of a graph
        if (notes_.size() >= most) return;
        for (std::string const& note : context.notes) notes_.push_back(note);
        for (std::string& note : suspicions_of(context, params_)) notes_.push_back(std::move(note));
    }

    /// The body's nodes between copies of what is carried: before the loop, and at the end of an iteration.
    /// @return a value for each thing that is carried: what it is after the loop
    std::vector<std::optional<ValueId>> read_loop(NodeDeclaration const& declaration, NodeContext const& context) {
        LoopDeclaration const& loop = *declaration.loop;
        std::vector<std::optional<ValueId>> values(loop.names.size()), results;
        NodeBuilder nodes(builder_, context.name);
        for (std::size_t k = 0; k < loop.carried.size(); ++k) {
            if (!context.inputs[k]) continue;
            Value const like = builder_.value(*context.inputs[k]);
            std::size_t const inside = loop.carried[k].inside;
            values[inside] =
                nodes.einsum(loop.names[inside], identity_einsum(like.shape), {*context.inputs[k]}, like.dtype);
            builder_.hold_constant(*values[inside]);  // a gradient in the body is one iteration's
            keep_constrained(context.name + "/" + loop.names[inside], *values[inside]);
        }
        for (std::size_t k = 0; k < loop.names.brought().size(); ++k)
            values[loop.names.brought()[k].first] = context.inputs[loop.carried.size() + k];
        builder_.begin_loop(context.name);
        read_declared(loop.body, {loop.names, values, context.name + "/"});
        std::vector<Loop::Carry> carries;
        for (LoopDeclaration::Carried const& carried : loop.carried)
            results.push_back(read_carried(carried, loop, values, context, carries));
        builder_.end_loop(loop.iterations, read_condition(loop, values, context), std::move(carries));
        return results;
    }

    std::optional<ValueId> read_carried(LoopDeclaration::Carried const& carried, LoopDeclaration const& loop,
                                        std::vector<std::optional<ValueId>> const& values, NodeContext const& context,
                                        std::vector<Loop::Carry>& carries) {
        auto const inside = values[carried.inside], next = carried.next ? values[*carried.next] : std::nullopt;
        if (!inside || !next) return std::nullopt;
        Value const like = builder_.value(*inside), found = builder_.value(*next);
        if (like.shape != found.shape || like.dtype != found.dtype) {
            carried.at.fail("a tensor like " + quote(loop.names[carried.inside]) + ", of " +
                                std::string(ein::name(like.dtype)) + " and shape " + to_string(like.shape),
                            std::string(ein::name(found.dtype)) + " and shape " + to_string(found.shape),
                            like.shape == found.shape ? "give the node a \"dtype\", or cast what the loop begins with"
                                                      : mend_carried_shape(like.shape, found.shape));
            return std::nullopt;
        }
        ValueId const result = NodeBuilder(builder_, context.name + "/" + loop.names[carried.inside])
                                   .einsum("", identity_einsum(like.shape), {*next}, like.dtype);
        carries.push_back({*inside, result});
        return result;
    }

    std::optional<ValueId> read_condition(LoopDeclaration const& loop,
                                          std::vector<std::optional<ValueId>> const& values,
                                          NodeContext const& context) {
        if (!loop.condition || !values[*loop.condition]) return std::nullopt;
        Value const& value = builder_.value(*values[*loop.condition]);
        if (!value.shape.empty())
            context.node.at("loop").at("while").fail(
                "a scalar (shape ())", quote(loop.names[*loop.condition]) + " of shape " + to_string(value.shape),
                "aggregate it: {\"op\": \"any\", \"inputs\": " + Json(loop.names[*loop.condition]).dump() + "}");
        NodeBuilder nodes(builder_, context.name);
        EinSum again = identity_einsum(value.shape);
        again.join = scalar::Expr::call(scalar::Op::ne, {scalar::Expr::operand(0), scalar::Expr::integer(0)});
        return value.shape.empty()
                   ? std::optional(nodes.einsum("again", std::move(again), {*values[*loop.condition]}, DType::boolean))
                   : std::nullopt;
    }

    std::vector<ValueId> read_outputs() {
        std::vector<ValueId> outputs;
        auto const at = required(top_, "outputs", "name what to compute: \"outputs\": [\"C\"]");
        auto const list = at ? output_entries(*at, names_) : std::nullopt;
        if (!list) return outputs;
        if (list->empty()) at->fail("one output or more", "none", "name what to compute");
        std::unordered_map<std::string, std::string> file_of;
        for (Cursor const& each : *list) {
            auto const name = each.string();
            if (!name) continue;
            auto const number = names_.find(*name);
            if (!number) {
                if (names_.complete())
                    each.fail("the name of a tensor or node", quote(*name), names_.suggestion(*name));
                continue;
            }
            constexpr std::size_t longest_file_name =
                200;  // of the 255 bytes that file systems allow, with room for a temporary name
            if (file_stem(*name).size() > longest_file_name)
                each.fail("an output's name of at most 200 bytes, since NAME.npy is its file",
                          std::to_string(name->size()) + " bytes", "rename the node");
            output_numbers_.push_back(*number);
            auto const [other, fresh] = file_of.try_emplace(file_stem(*name), *name);
            if (!fresh && other->second == *name)
                each.fail("each output once", quote(*name) + " again", "remove one of them");
            else if (!fresh)
                each.fail("outputs with file names of their own",
                          quote(*name) + " and " + quote(other->second) + ", both of which are written to " +
                              file_stem(*name) + ".npy",
                          "rename one of them");
            if (auto const& value = *number < tensors_ ? leaves_[*number] : values_[*number]) outputs.push_back(*value);
        }
        return outputs;
    }

    /// Whether "parts" and "sharding" name nodes (or tensors); what they say of each is read with it.
    void check_constrained() {
        for (std::string const key : {"parts", "sharding"}) {
            auto const at = optional_at(top_, key);
            if (at && at->expect_object(key == "parts" ? R"({"C": {"i": 2}})" : R"({"W": "d ff/tp"})"))
                for (auto const& [name, unused] : at->value().items())
                    check_constrained(at->at(name), name, key == "parts");
        }
    }
    void check_constrained(Cursor const& entry, std::string const& name, bool nodes_only) {
        auto const number = names_.find(name);
        bool const inner = std::find(inner_names_.begin(), inner_names_.end(), name) != inner_names_.end();
        if (name.starts_with("x-") || inner || (number && (*number >= tensors_ || !nodes_only))) return;
        std::string const expected = nodes_only ? "the name of a node" : "the name of a tensor or node";
        if (number)
            entry.fail(expected, quote(name) + ", a tensor", "constrain the nodes that read it");
        else if (names_.complete())
            entry.fail(expected, quote(name), names_.suggestion(name));
    }

    /// What the file says of a value under a key; nothing where it says nothing.
    std::optional<Cursor> constraint(std::string const& key, std::string const& name) {
        auto const at = optional_at(top_, key);
        return at && at->value().is_object() && at->has(name) ? std::optional(at->at(name)) : std::nullopt;
    }
    std::optional<LabelledSharding> sharding_of(std::string const& name, std::optional<ValueId> value,
                                                std::vector<std::string> const& labels) {
        auto const entry = value && has_mesh_ ? constraint("sharding", name) : std::nullopt;
        return entry ? read_sharding(*entry, builder_.mesh(), builder_.value(*value), labels) : std::nullopt;
    }
    /// A copy of a value that lies as it was said: what reads the value reads the copy.
    ValueId sharded(std::string const& name, std::string const& part, ValueId value, LabelledSharding sharding) {
        Value const like = builder_.value(value);
        EinSum identity = identity_einsum(like.shape);
        std::set<std::string> const distinct(sharding.labels.begin(), sharding.labels.end());
        if (distinct.size() == sharding.labels.size()) identity.labels = std::move(sharding.labels);
        ValueId const copy = NodeBuilder(builder_, name).einsum(part, std::move(identity), {value}, like.dtype);
        builder_.shard(copy, std::move(sharding.axes), true);
        return copy;
    }

    /// The value of a node under its constraints. A sharded one is called Z, and what the node computes Z:computed.
    std::optional<ValueId> constrained(NodeDeclaration const& declaration, std::string const& name,
                                       std::optional<ValueId> value) {
        if (!value) return value;
        read_storage(declaration.node, *value, builder_);
        if (auto const parts = constraint("parts", name)) read_parts(*parts, builder_, *value);
        Node const* const node = builder_.producer(*value);
        auto const* einsum = node ? std::get_if<EinSum>(&node->op) : nullptr;
        std::vector<std::string> labels;
        for (std::size_t axis = 0; einsum && declaration.node.has("einsum") && axis < einsum->output.size(); ++axis)
            labels.push_back(cut_name(*node, static_cast<std::size_t>(einsum->output[axis])));
        auto sharding = sharding_of(name, value, labels);
        if (!sharding || !node ||
            !check_agreement(*constraint("sharding", name), builder_.mesh(), sharding->axes, *node, name))
            return value;
        if (einsum && is_copy(*einsum) && builder_.value(*value).name == name) {  // another one would be the same
            builder_.shard(*value, std::move(sharding->axes), true);
            return value;
        }
        builder_.rename(*value, "computed");
        ValueId const copy = sharded(name, "", *value, std::move(*sharding));
        read_storage(declaration.node, copy, builder_);
        return copy;
    }
    /// The same for what a loop carries: it is a copy already, and keeps its parts and ranks from iteration to
    /// iteration.
    void keep_constrained(std::string const& name, ValueId inside) {
        if (auto const parts = constraint("parts", name)) read_parts(*parts, builder_, inside);
        auto sharding = sharding_of(name, inside, {});
        if (sharding && check_agreement(*constraint("sharding", name), builder_.mesh(), sharding->axes,
                                        *builder_.producer(inside), name))
            builder_.shard(inside, std::move(sharding->axes), false);  // an iteration hands over one block of each
    }

    Cursor top_;
    HeaderReader const& headers_;
    std::vector<Completed> completed_;
    std::vector<NodeDeclaration> nodes_;
    std::vector<std::size_t> output_numbers_;  // of names
    std::vector<std::string> notes_;
    std::string graph_name_;
    DType default_dtype_ = DType::f32;
    scalar::Params params_;
    std::vector<std::string> param_names_;
    GraphBuilder builder_;
    std::int64_t most_values_ = most(Limit::nodes);
    bool has_too_many_ = false;
    bool has_mesh_ = true;  // or none is given; a faulty one says nothing about shardings
    Names names_;
    std::size_t tensors_ = 0;                     // names of tensors come first
    std::vector<std::optional<ValueId>> values_;  // by the number of a name; nothing: it has a fault
    std::vector<std::optional<ValueId>>
        leaves_;  // of tensors, by the number of a name, where `values_` has their sharded copies
    std::vector<std::string> inner_names_;  // of nodes of loops: "train/loss"
};

}  // namespace

EinGraph read_graph(std::string_view json, std::string const& file) { return read_graph(json, file, {}).graph; }

CompleteGraph read_graph(std::string_view json, std::string const& file, HeaderReader const& headers) {
    Json document = parse_json_of(FileUse::graph, "a graph", json, file);
    Faults faults(file);
    Cursor const top(document, faults);
    if (!top.expect_object(R"({"eingraph": 1, "tensors": {...}, "nodes": [...], "outputs": [...]})"))
        faults.throw_if_any();
    GraphReader reader(top, headers);
    EinGraph graph = reader.read();
    return {std::move(graph), completed_text(json, std::move(document), reader.completed()), std::move(reader.notes())};
}

}  // namespace ein::graph
