#include "executor/device/cpu/sparse/sparse_plan.hpp"

#include <algorithm>

#include "executor/device/cpu/sparse/merged_rows.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/sparse/layout.hpp"

namespace ein::executor {
namespace {

using graph::has_label;

constexpr std::size_t most_terms = 64;

class SparsePlanner {
public:
    explicit SparsePlanner(KernelShape const& shape)
        : shape_(shape), einsum_(shape.kernel->einsum), used_(scalar::operands_of(einsum_.join)) {}

    std::optional<SparsePlan> plan() {
        choose_order_of_sets();
        std::size_t terms = 1;
        for (std::vector<int> const& set : plan_.idle_sets)
            if (set.empty() || (terms *= set.size()) > most_terms) return std::nullopt;
        choose_inner();
        std::vector<int> witnesses;
        add_terms(witnesses);
        return std::move(plan_);
    }

private:
    std::vector<int> const& labels(int operand) const { return einsum_.inputs[static_cast<std::size_t>(operand)]; }

    /// Labels of the output that all operands of a set have; the best first.
    int row_of(std::vector<int> const& set, int& score) const {
        int best = SparsePlan::none;
        score = 0;
        for (int label : einsum_.output) {
            if (!std::all_of(set.begin(), set.end(), [&](int k) { return has_label(labels(k), label); })) continue;
            int points = 4;
            for (int k : set)
                if (walked_labels(shape_, static_cast<std::size_t>(k)).front() == label) points += 2;
            std::optional<SparseOperand> const& output = shape_.sparse->output;
            if (output && !shape_.keeps_order &&
                einsum_.output[static_cast<std::size_t>(output->layout.axes.front())] == label)
                points += 3;
            if (points <= score) continue;
            score = points;
            best = label;
        }
        return best;
    }

    /// The set that is walked first, then those that share most with what is bound.
    void choose_order_of_sets() {
        std::vector<std::vector<int>> left = shape_.sparse->idle_sets;
        std::size_t first = 0;
        int best = -1;
        for (std::size_t s = 0; s < left.size(); ++s) {
            int score = 0;
            int const row = row_of(left[s], score);
            score = score * 2 + (left[s].size() == 1 ? 3 : 0);
            if (score <= best) continue;
            best = score;
            first = s;
            plan_.row = row;
        }
        std::vector<int> bound;
        for (std::size_t next = first; !left.empty();) {
            for (int k : left[next]) bound.insert(bound.end(), labels(k).begin(), labels(k).end());
            plan_.idle_sets.push_back(left[next]);
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
            auto const unbound = [&](std::vector<int> const& set) {
                std::ptrdiff_t count = static_cast<std::ptrdiff_t>(set.size()) - 1;
                for (int k : set)
                    count += std::count_if(labels(k).begin(), labels(k).end(),
                                           [&](int label) { return !has_label(bound, label); });
                return count;
            };
            next = static_cast<std::size_t>(
                std::min_element(left.begin(), left.end(),
                                 [&](auto const& a, auto const& b) { return unbound(a) < unbound(b); }) -
                left.begin());
        }
    }

    bool matters(std::size_t k) const {
        if (has_label(used_, static_cast<int>(k))) return true;
        for (std::vector<int> const& set : plan_.idle_sets)
            if (has_label(set, static_cast<int>(k))) return true;
        return false;
    }

    /// Of the labels that no sparse operand has, that which runs through memory. Terms are added along it, so where
    /// their order is kept it follows from the whole node.
    void choose_inner() {
        KernelShape const shape = shape_.keeps_order ? whole_call(shape_) : shape_;
        int best = -1;
        for (int label = 0; label < static_cast<int>(shape.lengths.size()); ++label) {
            bool sparse = false;
            int score = shape.lengths[static_cast<std::size_t>(label)] >= 8 ? 3 : 0;
            for (std::size_t k = 0; k < einsum_.operands(); ++k) {
                if (is_sparse(shape, k)) {
                    sparse = sparse || (matters(k) && has_label(einsum_.inputs[k], label));
                } else if (has_label(used_, static_cast<int>(k))) {
                    Extent const stride = label_strides(einsum_.inputs[k], shape.operand_strides[k],
                                                        shape.lengths.size())[static_cast<std::size_t>(label)];
                    score += stride == 1 ? 4 : 0;
                }
            }
            if (!shape.sparse->output)
                for (std::size_t axis = 0; axis < einsum_.output.size(); ++axis)
                    if (einsum_.output[axis] == label && shape.output_strides[axis] == 1) score += 4;
            if (sparse || score <= best) continue;
            best = score;
            plan_.inner = label;
        }
    }

    void add_terms(std::vector<int>& witnesses) {
        if (witnesses.size() == plan_.idle_sets.size()) return add_term(witnesses);
        std::vector<int> const& set = plan_.idle_sets[witnesses.size()];
        for (int k : set) {
            witnesses.push_back(k);
            if (is_possible(witnesses)) add_terms(witnesses);
            witnesses.pop_back();
        }
    }

    /// A witness lists its element, so that none of another set's comes after it in that set.
    bool is_possible(std::vector<int> const& witnesses) const {
        for (std::size_t s = 0; s < witnesses.size(); ++s)
            for (int k : plan_.idle_sets[s]) {
                if (k == witnesses[s]) break;
                if (has_label(witnesses, k)) return false;
            }
        return true;
    }

    void add_term(std::vector<int> const& witnesses) {
        SparsePlan::Term term;
        term.witnesses = witnesses;
        std::vector<int> bound, walked;
        if (plan_.row != SparsePlan::none) bound.push_back(plan_.row);
        for (int k : witnesses) {
            if (has_label(walked, k)) continue;
            auto const operand = static_cast<std::size_t>(k);
            SparsePlan::Source source = source_of(operand, bound);
            auto const at = static_cast<std::size_t>(
                std::count_if(source.labels.begin(), source.labels.end(), [&](int l) { return has_label(bound, l); }));
            for (int label : source.labels)
                if (!has_label(bound, label)) bound.push_back(label);
            term.steps.push_back({number_of(std::move(source)), at});
            walked.push_back(k);
        }
        std::vector<int> const by_steps = bound;
        for (std::size_t k = 0; k < einsum_.operands(); ++k) {
            if (!is_sparse(shape_, k) || has_label(walked, static_cast<int>(k)) || !is_asked(k, witnesses)) continue;
            bool const early = std::all_of(einsum_.inputs[k].begin(), einsum_.inputs[k].end(),
                                           [&](int label) { return has_label(by_steps, label); });
            term.lookups.push_back({number_of(source_of(k, bound)), early});
        }
        for (int label = 0; label < static_cast<int>(shape_.lengths.size()); ++label)
            if (label != plan_.inner && !has_label(by_steps, label)) term.counted.push_back(label);
        plan_.terms.push_back(std::move(term));
    }

    /// Whether the join has it, or a witness is one only if this is none.
    bool is_asked(std::size_t k, std::vector<int> const& witnesses) const {
        if (has_label(used_, static_cast<int>(k))) return true;
        for (std::size_t s = 0; s < witnesses.size(); ++s)
            for (int other : plan_.idle_sets[s]) {
                if (other == witnesses[s]) break;
                if (other == static_cast<int>(k)) return true;
            }
        return false;
    }

    /// Its labels that are bound come first: those of the row, and then as the block has them.
    SparsePlan::Source source_of(std::size_t k, std::vector<int> const& bound) const {
        std::vector<int> const own = walked_labels(shape_, k);
        SparsePlan::Source source{k, {}};
        auto const take = [&](auto const& takes) {
            for (int label : own)
                if (takes(label) && !has_label(source.labels, label)) source.labels.push_back(label);
        };
        take([&](int label) { return label == plan_.row; });
        take([&](int label) { return has_label(bound, label); });
        take([](int) { return true; });
        return source;
    }

    std::size_t number_of(SparsePlan::Source source) {
        auto const known = std::find(plan_.sources.begin(), plan_.sources.end(), source);
        auto const number = static_cast<std::size_t>(known - plan_.sources.begin());
        if (known == plan_.sources.end()) plan_.sources.push_back(std::move(source));
        return number;
    }

    KernelShape const& shape_;
    graph::EinSum const& einsum_;
    std::vector<int> used_;
    SparsePlan plan_;
};

std::vector<int> labels_of(KernelShape const& shape, std::size_t operand, tensor::SparseLayout const& layout) {
    std::vector<int> labels;
    for (int axis : layout.axes) {
        int const label = shape.kernel->einsum.inputs[operand][static_cast<std::size_t>(axis)];
        if (!has_label(labels, label)) labels.push_back(label);
    }
    return labels;
}

}  // namespace

std::vector<int> labels_in_order(KernelShape const& shape, std::size_t operand) {
    return labels_of(shape, operand, shape.sparse->operands[operand]->layout);
}

std::vector<int> walked_labels(KernelShape const& shape, std::size_t operand) {
    if (!shape.keeps_order) return labels_in_order(shape, operand);
    return labels_of(shape, operand, graph::preferred_layout(shape.kernel->einsum, operand, shape.sparse->idle_sets));
}

std::optional<SparsePlan> plan_sparse(KernelShape const& shape) { return SparsePlanner(shape).plan(); }

std::optional<SparsePlan> merged_plan(KernelShape const& shape, SparsePlan const& plan) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    SparsePlan merged = plan;
    merged.sources.clear();
    for (SparsePlan::Source const& source : plan.sources) {
        auto const same = [&](SparsePlan::Source const& known) { return known.operand == source.operand; };
        if (source.labels.size() != shape.lengths.size()) return std::nullopt;
        if (std::none_of(merged.sources.begin(), merged.sources.end(), same)) merged.sources.push_back(source);
    }
    if (merged.sources.size() < 2 || merged.sources.size() > MergedRows::most_sources) return std::nullopt;
    std::vector<int>& labels = merged.merged;
    labels = merged.sources[0].labels;
    auto const rank = [&](int label) { return label == plan.row ? 0 : has_label(einsum.output, label) ? 1 : 2; };
    std::stable_sort(labels.begin(), labels.end(), [&](int a, int b) { return rank(a) < rank(b); });
    if (!MergedRows::can_merge(einsum.extents, labels)) return std::nullopt;
    merged.terms.clear();
    for (std::size_t source = 0; source < merged.sources.size(); ++source) {
        merged.sources[source].labels = labels;
        merged.terms.push_back({{{source, labels.size()}}, {}, {}, {}});
    }
    return merged;
}

}  // namespace ein::executor
