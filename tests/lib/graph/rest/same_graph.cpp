#include "tests/lib/graph/rest/same_graph.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace ein::test {
namespace {

using namespace graph;

class Comparison {
public:
    Comparison(EinGraph const& a, EinGraph const& b, int& moves_split)
        : a_(a), b_(b), moves_split_(moves_split), producer_a_(a.producers()), producer_b_(b.producers()) {}

    std::string run() {
        if (a_.outputs.size() != b_.outputs.size()) return "the number of outputs";
        if (a_.params != b_.params) return "params";
        if (a_.mesh.size() != b_.mesh.size()) return "mesh";
        for (std::size_t k = 0; k < a_.outputs.size(); ++k) {
            if (a_.value(a_.outputs[k]).name != b_.value(b_.outputs[k]).name)
                return "the output '" + a_.value(a_.outputs[k]).name + "' is '" + b_.value(b_.outputs[k]).name + "'";
            meet(a_.outputs[k], b_.outputs[k]);
        }
        while (problem_.empty() && !open_.empty()) {
            auto const [a, b] = open_.back();
            open_.pop_back();
            compare(a, b);
        }
        return problem_;
    }

private:
    void meet(ValueId a, ValueId b) {
        auto const [at, fresh] = partner_.try_emplace(a, b);
        if (fresh)
            open_.emplace_back(a, b);
        else
            require(at->second == b, "stands for two", a);
    }
    void require(bool holds, std::string const& what, ValueId a) {
        if (!holds && problem_.empty()) problem_ = "'" + a_.value(a).name + "': " + what;
    }

    void compare(ValueId a, ValueId b) {
        require(a_.value(a).dtype == b_.value(b).dtype, "dtype", a);
        require(a_.value(a).shape == b_.value(b).shape, "shape", a);
        require(a_.value(a).listing.has_value() == b_.value(b).listing.has_value(), "sparse or dense", a);
        auto const node_a = producer_a_[at(a)], node_b = producer_b_[at(b)];
        require(node_a.has_value() == node_b.has_value(), "a leaf or a node", a);
        if (!problem_.empty()) return;
        carried(a, b);
        if (node_a) return compare(a_.node(*node_a), b_.node(*node_b));
        auto const source = [](EinGraph const& graph, ValueId value) {
            return std::find_if(graph.leaves.begin(), graph.leaves.end(),
                                [&](Leaf const& l) { return l.value == value; })
                ->source;
        };
        require(source(a_, a) == source(b_, b), "source", a);
    }

    void compare(Node const& a, Node const& b) {
        require((a.loop < 0) == (b.loop < 0), "in a loop", a.output);
        if (a.loop >= 0 && b.loop >= 0) loops(a.loop, b.loop, a.output);
        bool const moves = std::holds_alternative<Move>(a.op);
        if (moves && !same_move(a, b)) {
            ++moves_split_;
            return;
        }
        require(a.op.index() == b.op.index() && a.inputs.size() == b.inputs.size(), "kind", a.output);
        require(a.fixed == b.fixed, "parts", a.output);
        require(a.sharding == b.sharding && a.replicated == b.replicated, "sharding", a.output);
        require(a.storage == b.storage, "storage", a.output);
        require(a.path.has_value() == b.path.has_value(), "path", a.output);
        if (auto const* einsum = std::get_if<EinSum>(&a.op); einsum && problem_.empty()) {
            EinSum other = std::get<EinSum>(b.op);
            other.labels = einsum->labels;
            require(other == *einsum, "EinSum", a.output);
            if (problem_.empty()) {
                EinSumTypes const x = types_of(a_, a), y = types_of(b_, b);
                require(x.compute == y.compute && x.accumulate == y.accumulate, "types", a.output);
            }
        }
        for (std::size_t k = 0; problem_.empty() && k < a.inputs.size(); ++k) meet(a.inputs[k], b.inputs[k]);
    }

    static bool same_move(Node const& a, Node const& b) {
        auto const* x = std::get_if<Move>(&a.op);
        auto const* y = std::get_if<Move>(&b.op);
        if (!x || !y || x->regions != y->regions || x->fill.has_value() != y->fill.has_value()) return false;
        auto const is_nan = [](scalar::Scalar const& value) { return value.number != value.number; };
        return !x->fill || (x->fill->integer == y->fill->integer &&
                            (x->fill->number == y->fill->number || (is_nan(*x->fill) && is_nan(*y->fill))));
    }

    void loops(std::int32_t a, std::int32_t b, ValueId in) {
        auto const [at, fresh] = loop_partner_.try_emplace(a, b);
        if (!fresh) return require(at->second == b, "a loop stands for two", in);
        Loop const& x = a_.loops[static_cast<std::size_t>(a)];
        Loop const& y = b_.loops[static_cast<std::size_t>(b)];
        require(x.iterations == y.iterations, "iterations", in);
        require(x.condition.has_value() == y.condition.has_value(), "condition", in);
        require(x.carries.size() == y.carries.size(), "carries", in);
        require((x.outer < 0) == (y.outer < 0), "the loop around", in);
        if (!problem_.empty()) return;
        if (x.condition) meet(*x.condition, *y.condition);
        if (x.outer >= 0) loops(x.outer, y.outer, in);
    }

    void carried(ValueId a, ValueId b) {
        for (Loop const& x : a_.loops)
            for (Loop::Carry const& carry : x.carries) {
                if (carry.inside != a && carry.result != a) continue;
                bool found = false;
                for (Loop const& y : b_.loops)
                    for (Loop::Carry const& other : y.carries) {
                        if ((carry.inside == a ? other.inside : other.result) != b) continue;
                        found = true;
                        meet(carry.inside, other.inside);
                        meet(carry.result, other.result);
                    }
                require(found, "carried", a);
            }
    }

    EinGraph const& a_;
    EinGraph const& b_;
    int& moves_split_;
    std::vector<std::optional<NodeId>> producer_a_, producer_b_;
    std::map<ValueId, ValueId> partner_;
    std::map<std::int32_t, std::int32_t> loop_partner_;
    std::vector<std::pair<ValueId, ValueId>> open_;
    std::string problem_;
};

}  // namespace

std::string graph_difference(EinGraph const& a, EinGraph const& b, int& moves_split) {
    return Comparison(a, b, moves_split).run();
}

}  // namespace ein::test
