#include "lib/graph/grad/differentiate.hpp"

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "lib/graph/grad/einsum_terms.hpp"
#include "lib/graph/grad/move_terms.hpp"
#include "lib/graph/grad/sum_terms.hpp"
#include "lib/scalar/derivative/pullback.hpp"

namespace ein::graph::grad {
namespace {

class ReverseMode {
public:
    ReverseMode(GraphBuilder& graph, std::string const& name, Upstream const& upstream, std::vector<Wrt> const& wrt)
        : graph_(graph), nodes_(graph, name), upstream_(upstream), wrt_(wrt) {}

    Gradients run(ValueId of) {
        find_active();
        terms_[of].emplace_back(1.0);
        for (auto value = upstream_.order().rbegin(); value != upstream_.order().rend(); ++value) {
            if (!active_.count(*value)) continue;
            if (auto const cotangent = finished(*value)) pass_on(*value, *cotangent);
        }
        Gradients gradients;
        for (std::size_t k = 0; k < wrt_.size(); ++k) {
            gradients.values.push_back(gradient(wrt_[k]));
            if (!cotangents_.contains(wrt_[k].value)) gradients.zeros.push_back(k);
        }
        return gradients;
    }

private:
    /// Values on a smooth way from something of wrt to `of`: only they have cotangents.
    void find_active() {
        for (Wrt const& wrt : wrt_) active_.insert(wrt.value);
        for (ValueId value : upstream_.order()) {
            for (bool const wanted : wanted_inputs(*graph_.producer(value)))
                if (wanted) active_.insert(value);
        }
    }

    /// The inputs that are active and that the node's value depends on smoothly.
    std::vector<bool> wanted_inputs(Node const& node) const {
        std::vector<bool> wanted(node.inputs.size(), false);
        if (graph_.is_held_constant(node.output)) return wanted;
        bool any = false;
        for (std::size_t k = 0; k < wanted.size(); ++k) any |= wanted[k] = active_.count(node.inputs[k]) > 0;
        if (!any) return wanted;
        bool const moves = !std::holds_alternative<EinSum>(node.op);
        std::vector<bool> const smooth =
            moves ? std::vector<bool>(wanted.size(), true) : differentiable_inputs(nodes_, node);
        for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = wanted[k] && smooth[k];
        return wanted;
    }

    /// The cotangent of a value all of whose readers have given their terms; nothing where it is 0.
    std::optional<Cotangent> finished(ValueId value) {
        auto const terms = terms_.find(value);
        if (terms == terms_.end()) return std::nullopt;
        auto sum = sum_of(nodes_, value, std::move(terms->second));
        terms_.erase(terms);
        Cotangent const cotangent = as_cotangent(value, std::move(*sum));
        cotangents_.emplace(value, cotangent);
        return cotangent;
    }

    Cotangent as_cotangent(ValueId value, Term sum) {
        if (auto const* number = std::get_if<double>(&sum)) return *number;
        NodeTerm& term = std::get<NodeTerm>(sum);
        Value const like = nodes_.value(value);
        if (is_copy(term) && nodes_.dtype(term.inputs[0]) == like.dtype) return term.inputs[0];
        return nodes_.add(std::move(term), name_of_cotangent(value), like.shape, like.dtype);
    }

    /// The name that wrt asks for, for the first that does.
    std::string name_of_cotangent(ValueId value) {
        for (Wrt const& wrt : wrt_)
            if (wrt.value == value && named_.insert(wrt.gradient).second) return wrt.gradient;
        return nodes_.part(nodes_.value(value).name);
    }

    void pass_on(ValueId value, Cotangent const& cotangent) {
        Node const node = *graph_.producer(value);
        for (Contribution& part : contributions(node, cotangent)) terms_[part.to].push_back(std::move(part.term));
    }

    std::vector<Contribution> contributions(Node const& node, Cotangent const& cotangent) {
        std::vector<bool> const wanted = wanted_inputs(node);
        if (std::holds_alternative<EinSum>(node.op)) return einsum_terms(nodes_, node, cotangent, wanted);
        if (std::holds_alternative<Move>(node.op)) return move_terms(nodes_, node, cotangent, wanted);
        if (!wanted[0]) return {};
        if (auto const* number = std::get_if<double>(&cotangent)) return {{node.inputs[0], *number}};
        return {{node.inputs[0], NodeTerm{Reshape{}, {std::get<ValueId>(cotangent)}}}};
    }

    ValueId gradient(Wrt const& wrt) {
        finished(wrt.value);  // of a leaf: nodes' values are by now
        auto const known = cotangents_.find(wrt.value);
        Cotangent const cotangent = known == cotangents_.end() ? Cotangent(0.0) : known->second;
        Value const like = nodes_.value(wrt.value);
        if (auto const* number = std::get_if<double>(&cotangent))
            return nodes_.add_filled(*number, wrt.gradient, like.shape, like.dtype);
        ValueId const value = std::get<ValueId>(cotangent);
        if (nodes_.value(value).name == wrt.gradient) return value;
        return nodes_.add({identity_einsum(like.shape), {value}}, wrt.gradient, like.shape, like.dtype);
    }

    GraphBuilder& graph_;
    GradientNodes nodes_;
    Upstream const& upstream_;
    std::vector<Wrt> const& wrt_;
    std::unordered_set<ValueId> active_;
    std::unordered_set<std::string> named_;  // of wrt
    std::unordered_map<ValueId, std::vector<Term>> terms_;
    std::unordered_map<ValueId, Cotangent> cotangents_;
};

}  // namespace

Gradients differentiate(GraphBuilder& graph, std::string const& name, ValueId of, Upstream const& upstream,
                        std::vector<Wrt> const& wrt) {
    return ReverseMode(graph, name, upstream, wrt).run(of);
}

}  // namespace ein::graph::grad
