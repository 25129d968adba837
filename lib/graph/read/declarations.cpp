#include "lib/graph/read/declarations.hpp"

#include <algorithm>

#include "lib/base/limits.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/gradient_form.hpp"
#include "lib/graph/read/name_mends.hpp"

namespace ein::graph {
namespace {

void tell_taken(Cursor const& at, std::string const& name) {
    at.fail(
        "a name that no other tensor or node has", quote(name) + " again",
        "rename one of them; where the value that is now called otherwise is meant, as in \"outputs\", write the new "
        "name");
}

/// "g/W1", "g/W2", ... of a gradient; what is wrong with "wrt" is reported when it is resolved.
void define_gradients(NodeDeclaration& declaration, Names& names) {
    Cursor const grad = declaration.node.at("grad");
    Faults ignored("");  // again, when it is resolved
    auto const wrt = grad.has("wrt") ? one_or_more(Cursor(grad.at("wrt").value(), ignored)) : std::nullopt;
    if (!wrt) return names.lacks_some();
    for (std::size_t k = 0; k < wrt->size(); ++k) {
        Cursor const at = entry_at(grad.at("wrt"), k);
        declaration.defines.emplace_back();
        if (!at.value().is_string()) {
            names.lacks_some();
            continue;
        }
        std::string const of = at.value().get<std::string>(), name = declaration.name + "/" + of;
        declaration.defines.back() = names.add(name);
        bool const again = std::any_of(wrt->begin(), wrt->begin() + static_cast<std::ptrdiff_t>(k),
                                       [&](Cursor const& other) { return other.value() == at.value(); });
        if (again)
            at.fail("each tensor once", quote(of) + " again", "remove one of them");
        else if (!declaration.defines.back())
            tell_taken(at, name);
    }
}

/// "train/W" of a node that is the next value of W in the carry of the loop "train"; "" of one that is not carried.
std::string left_as(Json const& carry, std::string const& node, std::string const& loop) {
    for (auto const& [key, entry] : carry.items()) {
        Json const& next = entry.is_object() && entry.contains("next") ? entry["next"] : entry;
        if (next == Json(node)) return loop + "/" + key;
    }
    return "";
}

/// "train/W", ... of a loop; what is wrong with "carry" is reported when it is resolved.
void define_carried(NodeDeclaration& declaration, Names& names) {
    Cursor const loop = declaration.node.at("loop");
    if (!loop.value().is_object() || !loop.has("carry") || !loop.at("carry").value().is_object())
        return names.lacks_some();
    for (auto const& [key, unused] : loop.at("carry").value().items()) {
        std::string const name = declaration.name + "/" + key;
        declaration.defines.push_back(names.add(name));
        if (!declaration.defines.back()) tell_taken(loop.at("carry").at(key), name);
    }
    if (!loop.has("body") || !loop.at("body").value().is_array()) return;
    for (Json const& node : loop.at("body").value())
        if (node.is_object() && node.contains("name") && node["name"].is_string())
            names.note_inner(node["name"], declaration.name,
                             left_as(loop.at("carry").value(), node["name"], declaration.name));
}

void declare_name(NodeDeclaration& declaration, Names& names) {
    auto const at = required(declaration.node, "name", "give every node a name of its own: \"name\": \"C\"");
    auto const name = at ? read_name(*at) : std::nullopt;
    if (!name) return names.lacks_some();
    bool const several = declaration.is_gradient() || declaration.is_loop();
    auto const number = several ? std::nullopt : names.add(*name);
    if (!number && !(several && names.keep(*name))) return tell_taken(*at, *name);
    declaration.name = *name;
    if (number)
        declaration.defines.push_back(number);
    else if (declaration.is_gradient())
        define_gradients(declaration, names);
    else
        define_carried(declaration, names);
}

/// Which of the keys that say what a node is it has: exactly one.
bool check_kind(Cursor const& node) {
    int const kinds = node.has("einsum") + node.has("op") + node.has("tra") + node.has("grad") + node.has("loop");
    if (kinds == 1) return true;
    node.fail("one of \"einsum\", \"op\", \"tra\", \"grad\" and \"loop\"",
              kinds > 1 ? std::to_string(kinds) + " of them" : "none",
              kinds > 1 ? "remove all but one" : "write for example \"einsum\": \"ij,jk->ik\" or \"op\": \"softmax\"");
    return false;
}

/// @param own  see Names::suggestion
std::optional<std::size_t> resolve(Cursor const& at, Names& names, std::string const& own = {}) {
    if (at.value().is_number()) {
        std::string const number = brief(at.value());
        at.fail("the name of a tensor or node", number,
                "write numbers in a \"join\", as x + " + number +
                    ", or make a tensor: {\"shape\": [], \"data\": {\"fill\": " + number + "}}");
        return std::nullopt;
    }
    if (at.value().is_object()) {
        at.fail("the name of a tensor or node", brief(at.value()),
                "make it a node of its own, with a \"name\", and write that name here");
        return std::nullopt;
    }
    auto const name = at.string();
    auto const number = name ? names.find(*name) : std::nullopt;
    if (name && !number && names.complete())
        at.fail("the name of a tensor or node", quote(*name), names.suggestion(*name, own));
    return number;
}

/// {"of": "loss", "wrt": ["W1", "W2"]}
/// @param nodes  the list that it stands in
void resolve_gradient(NodeDeclaration& declaration, Cursor const& nodes, Names& names) {
    Cursor const grad = declaration.node.at("grad");
    declaration.usable = grad.value().is_object();
    if (!declaration.usable)
        return grad.fail("an object", brief(grad.value()), "write it as " + gradient_form(declaration.node));
    check_gradient_keys(declaration.node);
    auto const of = required(grad, "of", "name the scalar to differentiate: \"of\": \"loss\"");
    auto const wrt = required(grad, "wrt", "name the tensors to differentiate by: \"wrt\": [\"W\"]");
    auto const list = wrt ? one_or_more(*wrt) : std::nullopt;
    if (list && list->empty()) wrt->fail("one tensor or more", "none", "name the tensors to differentiate by");
    declaration.usable = of && list && !list->empty();
    if (of) declaration.inputs.push_back(resolve(*of, names, declaration.name));
    if (!list) return;
    for (Cursor const& each : *list) {
        if (each.value().is_number())
            each.fail("the name of a tensor", brief(each.value()), "name what to differentiate by: \"wrt\": [\"W\"]");
        std::string const name = each.value().is_string() ? each.value().get<std::string>() : "";
        std::string const tensor = names.find(name) || !names.complete() ? "" : names.as_tensor(name);
        if (!tensor.empty() && of)
            each.fail(
                "the name of a tensor or node", quote(name),
                mend_gradient_by_param(nodes.value(), of->value().is_string() ? of->value().get<std::string>() : "",
                                       name, names.depth() > 0, tensor));
        bool const told = each.value().is_number() || (!tensor.empty() && of);
        declaration.inputs.push_back(told ? std::nullopt : resolve(each, names, declaration.name));
    }
}

/// The name of a scalar of the body. Who writes the condition itself is shown the node that computes it.
std::optional<std::size_t> resolve_condition(Cursor const& at, Names& names) {
    bool const text = at.value().is_string();
    std::string const written = text ? at.value().get<std::string>() : brief(at.value());
    bool const computes = text && written.find_first_of("<>=!&|") != std::string::npos && !names.find(written);
    if (!computes) return resolve(at, names);
    std::string const operand = written.substr(0, written.find_first_of(" <>=!&|"));
    std::string const name = names.find(operand) ? operand : "loss";
    std::string join = written;
    if (join.starts_with(name)) join.replace(0, name.size(), "x");
    at.fail("the name of a scalar of the body", quote(written),
            "compute it in the body: {\"name\": \"more\", \"einsum\": \"->\", \"inputs\": [\"" + name +
                "\"], \"join\": \"" + join + "\"}, then write \"while\": \"more\"");
    return std::nullopt;
}

/// "times": 100, or "while": "not_done" and "max": 1000.
void resolve_iterations(Cursor const& loop, LoopDeclaration& to) {
    bool const times = loop.has("times"), conditional = loop.has("while");
    if (times == conditional) {
        loop.fail("one of \"times\" and \"while\"", times ? "both of them" : "none of them",
                  times ? "remove one; \"max\" limits the iterations of \"while\""
                        : "write how many iterations there are: \"times\": 100");
        return;
    }
    std::string const key = times ? "times" : "max";
    auto const at = required(loop, key, "write how many iterations there may be: \"max\": 1000");
    auto const iterations = at ? at->integer() : std::nullopt;
    if (iterations && (*iterations < 1 || *iterations > Loop::most_iterations))
        at->fail("1 to " + std::to_string(Loop::most_iterations) + " iterations", std::to_string(*iterations),
                 *iterations < 1 ? "write a larger number, or remove the loop" : "write a smaller number");
    else if (iterations)
        to.iterations = *iterations;
    if (times && loop.has("max"))
        loop.at("max").fail("no \"max\" beside \"times\"", "it",
                            "remove it; \"max\" limits the iterations of \"while\"");
    if (conditional) to.condition = resolve_condition(loop.at("while"), to.names);
}

/// What `key` begins with outside the loop: the tensor of that name, or that of {"begin": "W0", "next": "W_next"}.
/// @return where it says what it becomes
std::optional<Cursor> resolve_begin(NodeDeclaration& declaration, Cursor const& entry, std::string const& key,
                                    Names& names) {
    if (entry.value().is_object()) {
        entry.only_keys({"begin", "next"});
        auto const begin = required(entry, "begin", "name what it begins with outside the loop: \"begin\": \"W0\"");
        auto const next = required(entry, "next", "name what the next iteration begins with: \"next\": \"W_next\"");
        if (begin) declaration.inputs.push_back(resolve(*begin, names, declaration.name));
        return begin ? next : std::nullopt;
    }
    auto const begin = names.find(key);
    bool const turned = !begin && entry.value().is_string() && names.is_inner(key) &&
                        names.find(entry.value().get<std::string>()).has_value();
    if (turned) {
        entry.fail("what the body reads, then its next value", "\"" + key + "\": " + brief(entry.value()),
                   "exchange the two: {" + brief(entry.value()) + ": \"" + key + "\"}");
        names.lacks_some();  // "fit/W", which is meant
        return std::nullopt;
    }
    if (!begin && names.complete())
        entry.fail("a carried tensor that begins as one outside the loop", quote(key),
                   names.suggestion(key, declaration.name));
    declaration.inputs.push_back(begin);
    return entry;
}

/// Those who list what is carried are shown what each becomes.
bool check_carry(Cursor const& carry) {
    if (!carry.value().is_array()) return carry.expect_object(R"({"W": "W_next"})");
    bool const named = carry.size() > 0 && carry.at(std::size_t{0}).value().is_string();
    std::string const name = named ? carry.at(std::size_t{0}).value().get<std::string>() : "W";
    carry.fail("an object: what the body reads, and its next value", brief(carry.value()),
               "write {\"" + name + "\": \"" + name + "_next\"}, where the body makes \"" + name + "_next\"");
    return false;
}

/// {"times": 10, "carry": {"W": "W_next"}, "body": [nodes]}
void resolve_loop(NodeDeclaration& declaration, Names& names) {
    Cursor const loop = declaration.node.at("loop");
    declaration.usable = loop.expect_object(R"({"times": 10, "carry": {"W": "W_next"}, "body": [...]})");
    if (!declaration.usable) return;
    if (names.depth() == tuning::deepest_loop) {
        loop.fail("loops nested at most " + std::to_string(tuning::deepest_loop) + " deep", "one more",
                  "join loops into one");
        declaration.usable = false;
        return;
    }
    declaration.node.only_keys({"name", "loop"});
    loop.only_keys({"times", "while", "max", "carry", "body"});
    auto inside = std::make_shared<LoopDeclaration>(names);
    auto const carry =
        required(loop, "carry", "say what each iteration hands to the next: \"carry\": {\"W\": \"W_next\"}");
    auto const body = required(loop, "body", "list the nodes of an iteration: \"body\": [...]");
    declaration.usable = carry && body && check_carry(*carry) && body->expect_list();
    if (!declaration.usable) return;
    if (carry->size() == 0)
        carry->fail("one carried tensor or more", "none", "name what each iteration hands to the next");
    for (auto const& [key, unused] : carry->value().items()) {
        auto const next = resolve_begin(declaration, carry->at(key), key, names);
        if (next) inside->carried.push_back({*inside->names.add(key), *next, {}});
        declaration.usable = declaration.usable && next;
    }
    if (!declaration.usable) return;
    inside->body = declare_nodes(*body, inside->names);
    for (LoopDeclaration::Carried& carried : inside->carried) carried.next = resolve(carried.at, inside->names);
    resolve_iterations(loop, *inside);
    for (auto const& [local, outside] : inside->names.brought()) declaration.inputs.emplace_back(outside);
    declaration.loop = std::move(inside);
}

void resolve_inputs(NodeDeclaration& declaration, Names& names) {
    std::string mend = "name the tensors that it reads: \"inputs\": [\"A\", \"B\"]";
    for (std::string const key : {"input", "operands", "args", "arguments", "tensors", "of"})
        if (declaration.node.has(key)) mend = "write \"inputs\" for \"" + key + "\"";
    auto const inputs = required(declaration.node, "inputs", mend);
    auto const list = inputs ? one_or_more(*inputs) : std::nullopt;
    if (list && list->empty()) inputs->fail("one input or more", "none", "name the tensors that it reads");
    declaration.usable = list && !list->empty();
    if (!declaration.usable) return;
    for (Cursor const& each : *list) declaration.inputs.push_back(resolve(each, names));
}

}  // namespace

std::optional<std::size_t> Names::add(std::string const& name) {
    std::size_t const number = names_.size();
    if (!number_.try_emplace(name, number).second) return std::nullopt;
    names_.push_back(name);
    return number;
}

bool Names::keep(std::string const& name) { return number_.try_emplace(name, std::nullopt).second; }

std::optional<std::size_t> Names::find(std::string const& name) {
    if (auto const found = number_.find(name); found != number_.end()) return found->second;
    auto const outside = around_ != nullptr ? around_->find(name) : std::nullopt;
    if (!outside) return std::nullopt;
    brought_.emplace_back(names_.size(), *outside);
    return add(name);
}

std::string Names::suggestion(std::string const& name, std::string const& own) {
    std::string define = "define it, or correct the name";
    if (searches_left_-- <= 0) return define;
    if (std::string mend = inner_mend(name); !mend.empty()) return mend;
    std::vector<std::string> known = names_;
    for (Names const* outer = around_; outer != nullptr; outer = outer->around_)
        known.insert(known.end(), outer->names_.begin(), outer->names_.end());
    if (!own.empty()) std::erase_if(known, [&](std::string const& other) { return other.starts_with(own + "/"); });
    if (number_.contains(name)) {  // kept for what has several values
        std::vector<std::string> own_values;
        for (std::string const& other : names_)
            if (other.starts_with(name + "/") && own_values.size() < 4) own_values.push_back("\"" + other + "\"");
        if (!own_values.empty()) return "its values have names of their own: write " + one_of(own_values);
    }
    if (std::string mend = param_mend(name); !mend.empty()) return mend;
    if (std::string mend = derived_mend(name, known); !mend.empty()) return mend;
    if (std::string const meant = gradient_meant(name, known); !meant.empty()) return did_you_mean(meant);
    return mend_name(name, known, define);
}

/// For a param, the tensor that it may be in its place.
std::string Names::param_mend(std::string const& name) const {
    auto const param = params_.find(name);
    if (param == params_.end()) return around_ != nullptr ? around_->param_mend(name) : "";
    return "it is a param, which joins read by name; to read it as a tensor, write it as one: " +
           tensor_for_param(name, param->second) +
           "; a node whose join reads it then has it among its inputs too, with a term of no labels: \"j,->j\"";
}

std::string Names::as_tensor(std::string const& name) const {
    auto const param = params_.find(name);
    if (param != params_.end()) return tensor_for_param(name, param->second);
    return around_ != nullptr ? around_->as_tensor(name) : "";
}

/// For a name, or LOOP/NAME, that a loop's body has for itself.
std::string Names::inner_mend(std::string const& name) const {
    auto found = inner_.find(name);
    for (auto slash = name.find('/'); found == inner_.end() && slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
        found = inner_.find(name.substr(slash + 1));
        if (found != inner_.end() && found->second.loop != name.substr(0, slash)) found = inner_.end();
    }
    if (found == inner_.end()) return "";
    auto const& [node, inner] = *found;
    auto const& [loop, left] = inner;
    if (!left.empty()) return "the loop " + quote(loop) + " carries it, and leaves it as \"" + left + "\": write that";
    return quote(node) + " is seen in the body of " + quote(loop) + " alone: carry it out, with a tensor \"last_" +
           node + "\": {\"shape\": [], \"data\": {\"fill\": 0}} of its shape, \"carry\": {\"last_" + node + "\": \"" +
           node + "\"}, then write \"" + loop + "/last_" + node + "\"";
}

std::vector<NodeDeclaration> declare_nodes(Cursor const& nodes, Names& names) {
    std::vector<NodeDeclaration> declarations;
    if (!nodes.expect_list(R"([{"name": "C", "op": "relu", "inputs": ["A"]}])")) {
        names.lacks_some();
        return declarations;
    }
    if (nodes.size() > static_cast<std::size_t>(most(Limit::nodes))) {
        nodes.fail(at_most(Limit::nodes) + " nodes", std::to_string(nodes.size()),
                   "split the graph, or " + how_to_allow(Limit::nodes, nodes.size()));
        nodes.faults().throw_if_any();
    }
    declarations.reserve(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        NodeDeclaration declaration{nodes.at(k), "", {}, {}, true, {}};
        declaration.usable = declaration.node.expect_object(R"({"name": "C", "op": "relu", "inputs": ["A"]})");
        if (!declaration.usable) names.lacks_some();
        if (declaration.usable) {
            declare_name(declaration, names);
            declaration.usable = check_kind(declaration.node);
        }
        declarations.push_back(std::move(declaration));
    }
    for (NodeDeclaration& declaration : declarations)
        if (declaration.usable)
            declaration.is_gradient() ? resolve_gradient(declaration, nodes, names)
            : declaration.is_loop()   ? resolve_loop(declaration, names)
                                      : resolve_inputs(declaration, names);
    return declarations;
}

std::optional<std::vector<Cursor>> output_entries(Cursor const& outputs, Names& names) {
    Json const& written = outputs.value();
    if (!written.is_object() || written.empty() || !names.complete()) return one_or_more(outputs);
    Json list = Json::array();
    bool renames = false;
    for (auto const& [key, value] : written.items()) {
        bool const is_value = !names.find(key) && value.is_string() && names.find(value.get<std::string>());
        renames = renames || is_value;
        list.push_back(is_value ? value.get<std::string>() : key);
    }
    outputs.fail("a list", brief(written),
                 "write a list of names: " + brief(list) +
                     (renames ? "; to call an output otherwise, rename its node"
                              : "; einrun writes NAME.npy of each, in the folder --out"));
    return std::nullopt;
}

}  // namespace ein::graph
