#include "lib/graph/contract/steps.hpp"

#include <algorithm>
#include <unordered_map>

#include "lib/graph/labels.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;

void append_distinct(std::vector<int>& list, std::vector<int> const& more) {
    for (int label : more)
        if (!has_label(list, label)) list.push_back(label);
}

class Contraction {
public:
    Contraction(EinSum const& whole, JoinChain const& chain)
        : whole_(whole), chain_(chain), holders_(whole.labels.size(), 0), kept_(whole.labels.size(), false) {
        for (int label : whole.output) kept_[at(label)] = true;
        for (std::size_t k = 0; k < whole.operands(); ++k) {
            parts_.push_back({static_cast<int>(k), whole.inputs[k], chain.factors[k]});
            count(parts_.back().axes, 1);
        }
    }

    std::vector<ContractionStep> run(SsaPath const& path) {
        for (std::size_t k = 0; k < whole_.operands(); ++k) reduce_alone(parts_[k]);
        for (std::size_t k = 0; k < path.size(); ++k) contract(path[k].first, path[k].second, k + 1 == path.size());
        return std::move(steps_);
    }

private:
    /// An operand, or the result of a step.
    struct Part {
        int number = 0;         // as steps refer to it
        std::vector<int> axes;  // labels of the n-ary EinSum
        Expr factor;            // of operand 0
    };

    /// How many parts that are left have each label.
    void count(std::vector<int> const& axes, int change) {
        std::vector<int> distinct;
        append_distinct(distinct, axes);
        for (int label : distinct) holders_[at(label)] += change;
    }

    int add_step(std::vector<Part const*> const& parts, std::vector<int> const& output, Expr join) {
        ContractionStep step;
        std::unordered_map<int, int> local;
        auto add = [&](std::vector<int> const& axes) {
            std::vector<int> labels;
            for (int label : axes) {
                auto const [place, fresh] = local.try_emplace(label, static_cast<int>(local.size()));
                if (fresh) {
                    step.einsum.labels.push_back(whole_.labels[at(label)]);
                    step.einsum.extents.push_back(whole_.extents[at(label)]);
                }
                labels.push_back(place->second);
            }
            return labels;
        };
        for (Part const* part : parts) {
            step.einsum.inputs.push_back(add(part->axes));
            step.operands.push_back(part->number);
        }
        step.einsum.output = add(output);
        step.einsum.join = std::move(join);
        step.einsum.agg = whole_.agg;
        steps_.push_back(std::move(step));
        return static_cast<int>(whole_.operands() + steps_.size() - 1);
    }

    /// Labels of extent 2 or more that only this operand has: aggregating them now makes everything after cheaper.
    void reduce_alone(Part& part) {
        std::vector<int> output;
        bool alone = false;
        for (int label : part.axes) {
            bool const needed = kept_[at(label)] || holders_[at(label)] > 1;
            if (needed && !has_label(output, label)) output.push_back(label);
            alone = alone || (!needed && whole_.extents[at(label)] != 1);
        }
        if (!alone) return;
        count(part.axes, -1);
        part = {add_step({&part}, output, part.factor), output, Expr::operand(0)};
        count(part.axes, 1);
    }

    /// Labels that both have first, then those of a, then those of b: the order of a batched matrix product.
    std::vector<int> result_axes(Part const& a, Part const& b) const {
        auto needed = [&](int label) {
            return kept_[at(label)] || holders_[at(label)] > 0;
        };  // by the parts that are left
        std::vector<int> both, rest;
        append_distinct(both, a.axes);
        std::erase_if(both, [&](int label) { return !has_label(b.axes, label) || !needed(label); });
        append_distinct(rest, a.axes);
        append_distinct(rest, b.axes);
        std::erase_if(rest, [&](int label) { return has_label(both, label) || !needed(label); });
        both.insert(both.end(), rest.begin(), rest.end());
        return both;
    }

    void contract(int first, int second, bool last) {
        Part a = std::move(parts_[at(first)]), b = std::move(parts_[at(second)]);
        count(a.axes, -1);
        count(b.axes, -1);
        std::vector<int> const output = last ? whole_.output : result_axes(a, b);
        Expr const second_operand[] = {Expr::operand(1)};
        Expr join = chain_.combine(a.factor, scalar::substitute(b.factor, second_operand));
        if (last) join = chain_.combine(std::move(join), chain_.constant);
        int const number = add_step({&a, &b}, output, std::move(join));
        parts_.push_back({number, output, Expr::operand(0)});
        count(output, 1);
    }

    EinSum const& whole_;
    JoinChain const& chain_;
    std::vector<int> holders_;
    std::vector<bool> kept_;
    std::vector<Part> parts_;  // by the path's numbers
    std::vector<ContractionStep> steps_;
};

}  // namespace

std::vector<ContractionStep> contraction_steps(EinSum const& einsum, JoinChain const& chain, SsaPath const& path) {
    return Contraction(einsum, chain).run(path);
}

}  // namespace ein::graph
