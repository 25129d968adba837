#include "lib/graph/rest/rest_builder.hpp"

#include <algorithm>
#include <unordered_set>

#include "lib/base/error.hpp"
#include "lib/graph/prune.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

/// The text with another beginning; nothing where it begins otherwise.
std::optional<std::string> renamed(std::string const& text, std::string const& from, std::string const& to) {
    if (!text.starts_with(from)) return std::nullopt;
    return to + text.substr(from.size());
}

/// An index that is looked up is 0 where the last operand is 0: what does not count must not be out of range.
void guard_positions(EinSum& einsum) {
    int const flag = static_cast<int>(einsum.operands());
    std::vector<Expr> positions;
    for (Expr const* const part : scalar::arguments_first(einsum.join))
        if (part->op() == Op::position) positions.push_back(*part);
    for (Expr const& part : positions) {
        Expr const index = Expr::call(Op::where, {Expr::operand(flag), part.args()[0], Expr::integer(0)});
        einsum.join = scalar::replaced(einsum.join, part, Expr::call(Op::position, {index, part.args()[1]}));
    }
    if (!positions.empty()) einsum.inputs.emplace_back();
}

}  // namespace

RestBuilder::RestBuilder(EinGraph const& graph)
    : graph_(graph),
      producers_(graph.producers()),
      consumers_(graph.consumers()),
      changes_(graph.loops_of_values()),
      carried_(graph.values.size()),
      now_(graph.values.size()),
      saved_(graph.values.size()),
      last_(graph.values.size()),
      forgotten_(graph.values.size(), false) {
    out_.name = graph.name;
    out_.mesh = graph.mesh;
    out_.params = graph.params;
    for (Leaf const& leaf : graph.leaves) {
        Value const& value = graph.value(leaf.value);
        now(leaf.value) = add_leaf(value.name, value, leaf.source);
    }
    for (std::size_t l = 0; l < graph.loops.size(); ++l)
        for (Loop::Carry const& carry : graph.loops[l].carries) {
            carried_[at(carry.inside)] = {static_cast<std::int32_t>(l), true};
            carried_[at(carry.result)] = {static_cast<std::int32_t>(l), false};
        }
}

void RestBuilder::add_saved(ValueId value, tensor::Source source) {
    Value const& like = graph_.value(value);
    std::string const name = changes_[at(value)] < 0 ? like.name : like.name + ":saved";
    now(value) = saved_[at(value)] = add_leaf(name, like, std::move(source));
}

void RestBuilder::add_last(ValueId value, tensor::Source source) {
    Value const& like = graph_.value(value);
    last_[at(value)] = add_leaf(like.name + ":last", like, std::move(source));
}

void RestBuilder::forget_begins(std::int32_t number) {
    for (Loop::Carry const& carry : loop(number).carries) forgotten_[at(carry.inside)] = true;
}

void RestBuilder::keep_results(std::int32_t number) { keeps_ = number; }

ValueId RestBuilder::known(ValueId value) {
    promise(now(value).has_value(),
            "what a checkpoint leaves to do needs '" + graph_.value(value).name + "', which is not saved");
    return *now(value);
}

/// What a loop that has ended has left: a run that made no copy of it has it under the name that it had in the loop.
std::optional<ValueId> RestBuilder::saved_result(std::int32_t number, ValueId result) const {
    if (saved_[at(result)]) return saved_[at(result)];
    ValueId const last = producer(result).inputs[0];
    if (last_[at(last)]) return last_[at(last)];
    auto const loops = graph_.loops_around(changes_[at(last)]);
    if (std::find(loops.begin(), loops.end(), number) == loops.end()) return now_[at(last)];  // from outside of it
    return saved_[at(last)];
}

std::string RestBuilder::name_of(ValueId value, Place const& in) const {
    std::string const& name = graph_.value(value).name;
    if (!in.again) return name;
    if (in.loop >= 0) {
        auto const l = static_cast<std::size_t>(in.loop);
        auto const better = renamed(name, loop(from_[l]).name + "/", out_.loops[l].name + "/");
        if (better) return *better;
    }
    return name + ":tail";
}

ValueId RestBuilder::add(Node node, std::string name, Shape shape, DType dtype) {
    ValueId const made{static_cast<std::int32_t>(out_.values.size())};
    out_.values.push_back({std::move(name), std::move(shape), dtype});
    node.output = made;
    out_.nodes.push_back(std::move(node));
    return made;
}

ValueId RestBuilder::add_leaf(std::string name, Value const& like, tensor::Source source) {
    ValueId const made{static_cast<std::int32_t>(out_.values.size())};
    out_.values.push_back({std::move(name), like.shape, like.dtype, like.listing});
    out_.leaves.push_back({made, std::move(source)});
    return made;
}

ValueId RestBuilder::add_einsum(std::string const& name, EinSum einsum, std::vector<ValueId> inputs, DType dtype,
                                std::int32_t in_loop) {
    Node node{name, std::move(inputs), ValueId{}, {}, {}, {}, in_loop};
    Shape shape = einsum.output_shape();
    node.op = std::move(einsum);
    return add(std::move(node), name, std::move(shape), dtype);
}

void RestBuilder::copy(Node const& node, Place const& in) {
    bool const plain = in.loop < 0;
    if (!is_rest_ && plain) {
        if (saved_[at(node.output)]) return;
        if (forgotten_[at(node.output)]) return now(node.output).reset();
    }
    bool const reads_unknown =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) { return !now(input).has_value(); });
    if (!is_rest_ && reads_unknown) return now(node.output).reset();
    Carried const& carried = carried_[at(node.output)];
    bool const is_result = carried.loop >= 0 && !carried.inside;
    bool const keeps = is_result && plain && carried.loop == keeps_;
    bool const alias =
        carried.inside || (is_result && ((plain && !keeps) || (!plain && carried.loop == guarded_ &&
                                                               from_[static_cast<std::size_t>(in.loop)] == guarded_)));
    if (alias) {
        now(node.output) = known(node.inputs[0]);
        return;
    }
    Node copied = node;
    for (ValueId& input : copied.inputs) input = known(input);
    copied.loop = in.loop;
    if (auto* const einsum = std::get_if<EinSum>(&copied.op); einsum && in.goes_on) {
        guard_positions(*einsum);
        if (einsum->operands() > copied.inputs.size()) {
            copied.inputs.push_back(*in.goes_on);
            copied.storage = StorageWish::none;  // what the new operand lets it skip is another question
        }
    }
    Value const& value = graph_.value(node.output);
    now(node.output) = add(std::move(copied), keeps ? value.name : name_of(node.output, in), value.shape, value.dtype);
}

/// The copy that an iteration begins with. What no iteration reads may begin as anything.
ValueId RestBuilder::add_inside(ValueId inside, Place const& in) {
    Value const& value = graph_.value(inside);
    if (!now(inside) && consumers_[at(inside)].empty())
        now(inside) = add_leaf(value.name + ":unread", value, tensor::FillSource{});
    Node node = producer(inside);
    node.inputs = {known(inside)};
    node.loop = in.loop;
    return add(std::move(node), name_of(inside, in), value.shape, value.dtype);
}

std::int32_t RestBuilder::begin_loop(std::int32_t number, std::int64_t iterations, Place const& in) {
    auto const made = static_cast<std::int32_t>(out_.loops.size());
    Loop copied;
    copied.name = loop(number).name;
    if (in.again) {
        std::string const outer = in.loop < 0 ? "" : loop(from_[static_cast<std::size_t>(in.loop)]).name + "/";
        auto const better = in.loop < 0
                                ? std::nullopt
                                : renamed(copied.name, outer, out_.loops[static_cast<std::size_t>(in.loop)].name + "/");
        copied.name = better.value_or(copied.name + ":tail");
    }
    copied.outer = in.loop;
    copied.iterations = iterations;
    for (Loop::Carry const& carry : loop(number).carries) {
        if (is_rest_ || now(carry.inside)) now(carry.inside) = add_inside(carry.inside, in);
    }
    out_.loops.push_back(std::move(copied));
    from_.push_back(number);
    return made;
}

ValueId RestBuilder::is_not_zero(std::string const& name, ValueId value, std::int32_t in_loop) {
    EinSum einsum = identity_einsum({});
    einsum.join = Expr::call(Op::ne, {Expr::operand(0), Expr::integer(0)});
    return add_einsum(name, std::move(einsum), {value}, DType::boolean, in_loop);
}

void RestBuilder::end_loop(std::int32_t number, std::int32_t made, Place const& in) {
    Loop const& from = loop(number);
    Loop& to = out_.loops[static_cast<std::size_t>(made)];
    bool whole = !from.condition || now(*from.condition);
    for (Loop::Carry const& carry : from.carries) whole = whole && now(carry.inside) && now(carry.result);
    for (Loop::Carry const& carry : from.carries) {
        if (whole)
            to.carries.push_back({*now(carry.inside), *now(carry.result)});
        else
            now(carry.result).reset();
        if (is_rest_ || in.loop >= 0) continue;
        if (auto const saved = saved_result(number, carry.result)) now(carry.result) = saved;
    }
    if (!whole) return;  // nothing that is kept reads what this loop makes
    std::string const name = to.name + ":again";
    if (from.condition) to.condition = known(*from.condition);
    if (in.goes_on && !from.condition) to.condition = is_not_zero(name, *in.goes_on, made);
    if (in.goes_on && from.condition) to.condition = both(name, *to.condition, *in.goes_on, made);
}

ValueId RestBuilder::both(std::string const& name, ValueId a, ValueId b, std::int32_t in_loop) {
    EinSum einsum = identity_einsum({});
    einsum.inputs.emplace_back();
    einsum.join = Expr::call(Op::logical_and, {Expr::operand(0), Expr::operand(1)});
    return add_einsum(name, std::move(einsum), {a, b}, DType::boolean, in_loop);
}

void RestBuilder::hand_over(std::int32_t number) {
    std::vector<std::optional<ValueId>> results;
    for (Loop::Carry const& carry : loop(number).carries) results.push_back(known(carry.result));
    for (std::size_t k = 0; k < results.size(); ++k) now(loop(number).carries[k].inside) = results[k];
}

ValueId RestBuilder::begin_guard(std::int32_t number, std::int32_t made) {
    guarded_ = number;
    std::string const& name = out_.loops[static_cast<std::size_t>(made)].name;
    ValueId const flag = is_not_zero(name + ":goes_on_first", known(*loop(number).condition), -1);
    return add_einsum(name + ":goes_on", identity_einsum({}), {flag}, DType::boolean, -1);
}

void RestBuilder::end_guarded(std::int32_t number, Place const& in) {
    Loop const& from = loop(number);
    ValueId const goes_on = *in.goes_on;
    std::vector<Loop::Carry> carries;
    for (Loop::Carry const& carry : from.carries) {
        Value const& value = graph_.value(carry.result);
        std::string const name = name_of(carry.result, in);
        EinSum kept = identity_einsum(value.shape);
        kept.inputs = {{}, kept.output, kept.output};
        kept.join = Expr::call(Op::where, {Expr::operand(0), Expr::operand(1), Expr::operand(2)});
        ValueId const inside = known(carry.inside);
        ValueId const next =
            add_einsum(name + ":kept", std::move(kept), {goes_on, known(carry.result), inside}, value.dtype, in.loop);
        ValueId const result = add_einsum(name, identity_einsum(value.shape), {next}, value.dtype, in.loop);
        carries.push_back({inside, result});
        now(carry.result) = result;
    }
    Loop& to = out_.loops[static_cast<std::size_t>(in.loop)];
    ValueId const next = both(to.name + "/goes_on:next", goes_on, known(*from.condition), in.loop);
    ValueId const result = add_einsum(to.name + "/goes_on", identity_einsum({}), {next}, DType::boolean, in.loop);
    carries.push_back({goes_on, result});
    to.condition = is_not_zero(to.name + ":again", next, in.loop);
    to.carries = std::move(carries);
    guarded_ = -1;
}

EinGraph RestBuilder::finish() {
    for (ValueId output : graph_.outputs) out_.outputs.push_back(known(output));
    EinGraph rest = prune(std::move(out_));
    name_values(rest);
    for (Node& node : rest.nodes) node.name = rest.value(node.output).name;
    verify(rest, "rest_of");
    return rest;
}

/// Outputs have their names, then leaves, and what is left a number where another value has its name.
void RestBuilder::name_values(EinGraph& rest) const {
    std::unordered_set<std::string> taken;
    std::vector<bool> named(rest.values.size(), false);
    auto const take = [&](ValueId value, std::string const& wanted) {
        if (named[at(value)]) return;
        std::string& name = rest.values[at(value)].name = wanted;
        for (int number = 2; !taken.insert(name).second; ++number) name = wanted + ":" + std::to_string(number);
        named[at(value)] = true;
    };
    for (std::size_t k = 0; k < rest.outputs.size(); ++k) take(rest.outputs[k], graph_.value(graph_.outputs[k]).name);
    for (Leaf const& leaf : rest.leaves) take(leaf.value, std::string(rest.value(leaf.value).name));
    for (Node const& node : rest.nodes) take(node.output, std::string(rest.value(node.output).name));
}

}  // namespace ein::graph
