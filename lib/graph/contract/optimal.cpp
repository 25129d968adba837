#include <bit>
#include <limits>
#include <map>

#include "lib/base/error.hpp"
#include "lib/graph/contract/network.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

using Subset = std::uint32_t;   // of the operands
using Classes = std::uint64_t;  // of the labels

/// Labels that the same operands have and that are kept alike behave alike: one class, its extents multiplied.
struct LabelClass {
    Subset holders = 0;
    bool kept = false;
    double extent = 1;
};

std::vector<LabelClass> classes_of(Network const& network) {
    std::vector<Subset> holders(network.extents.size(), 0);
    for (std::size_t k = 0; k < network.operands.size(); ++k)
        for (int label : network.operands[k]) holders[static_cast<std::size_t>(label)] |= Subset{1} << k;
    std::map<std::pair<Subset, bool>, double> extents;
    for (std::size_t label = 0; label < holders.size(); ++label) {
        if (holders[label] == 0) continue;
        extents.try_emplace({holders[label], network.kept[label]}, 1).first->second *= network.extents[label];
    }
    std::vector<LabelClass> classes;
    for (auto const& [key, extent] : extents) classes.push_back({key.first, key.second, extent});
    return classes;
}

class SubsetProgram {
public:
    SubsetProgram(std::vector<LabelClass> classes, std::size_t operands)
        : classes_(std::move(classes)),
          operands_(operands),
          everything_((Subset{1} << operands) - 1),
          best_(std::size_t{1} << operands) {}

    SsaPath run() {
        for (Subset subset = 1; subset <= everything_; ++subset) {
            best_[subset].labels = labels_of(subset);
            best_[subset].size = size(best_[subset].labels);
            if (std::popcount(subset) > 1) find_best(subset);
        }
        return path();
    }

private:
    struct Best {
        double cost = 0;  // as path_cost counts
        double size = 1;  // of the result
        Subset left = 0;
        Classes labels = 0;  // of the result
    };

    Classes labels_of(Subset subset) const {
        Classes labels = 0;
        for (std::size_t k = 0; k < classes_.size(); ++k) {
            bool const inside = (classes_[k].holders & subset) != 0;
            bool const needed = classes_[k].kept || (classes_[k].holders & ~subset) != 0;
            if (inside && needed) labels |= Classes{1} << k;
        }
        return labels;
    }

    double size(Classes labels) const {
        double size = 1;
        for (; labels != 0; labels &= labels - 1)
            size *= classes_[static_cast<std::size_t>(std::countr_zero(labels))].extent;
        return size;
    }

    void find_best(Subset subset) {
        Best& best = best_[subset];
        best.cost = std::numeric_limits<double>::infinity();
        Subset const lowest = subset & (~subset + 1);
        Subset const rest = subset ^ lowest;
        // Every split once: the lowest operand is always on the left.
        for (Subset part = rest;; part = (part - 1) & rest) {
            Subset const left = part | lowest;
            if (left != subset) try_split(best, subset, left);
            if (part == 0) break;
        }
    }

    void try_split(Best& best, Subset subset, Subset left) const {
        Best const& a = best_[left];
        Best const& b = best_[subset ^ left];
        double const before = a.cost + b.cost + tuning::word_cost * (a.size + b.size + best.size);
        if (best.left != 0 && before >= best.cost) return;
        Classes const all = a.labels | b.labels;
        double const cost = before + size(all) * (all != best.labels ? 2 : 1);
        if (best.left != 0 && cost >= best.cost) return;
        best.cost = cost;
        best.left = left;
    }

    /// The tree as steps, results before their readers.
    SsaPath path() const {
        std::vector<Subset> order;
        std::vector<Subset> open{everything_};
        while (!open.empty()) {
            Subset const subset = open.back();
            open.pop_back();
            if (std::popcount(subset) < 2) continue;
            order.push_back(subset);
            open.push_back(best_[subset].left);
            open.push_back(subset ^ best_[subset].left);
        }
        std::map<Subset, int> number;
        for (std::size_t k = 0; k < operands_; ++k) number[Subset{1} << k] = static_cast<int>(k);
        SsaPath path;
        for (auto subset = order.rbegin(); subset != order.rend(); ++subset) {
            path.emplace_back(number.at(best_[*subset].left), number.at(*subset ^ best_[*subset].left));
            number[*subset] = static_cast<int>(operands_ + path.size() - 1);
        }
        return path;
    }

    std::vector<LabelClass> classes_;
    std::size_t operands_;
    Subset everything_;
    std::vector<Best> best_;  // by subset
};

}  // namespace

std::optional<SsaPath> optimal_path(Network const& network, std::size_t most_operands) {
    if (network.operands.size() > most_operands) return std::nullopt;
    std::vector<LabelClass> classes = classes_of(network);
    if (classes.size() > 64) return std::nullopt;
    return SubsetProgram(std::move(classes), network.operands.size()).run();
}

}  // namespace ein::graph
