#include "scheduler/simulate/sparse_cost.hpp"

#include <algorithm>
#include <set>

#include "lib/graph/labels.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

/// What one call looks at.
class SparseCall {
public:
    SparseCall(schedule::Section const& section, schedule::Apply const& call, schedule::Kernel const& kernel)
        : section_(section), call_(call), kernel_(kernel), einsum_(kernel.einsum) {
        for (std::size_t k = 0; k < call.operands.size(); ++k) {
            listed_.push_back(is_listed(k) ? section.listed_in(einsum_.inputs[k], call, k) : 0);
            if (decides(k) && (!driver_ || listed_[k] < listed_[*driver_])) driver_ = k;
        }
        for (std::size_t label = 0; label < call.region.length.size(); ++label) all_.push_back(static_cast<int>(label));
        points_ = places_at(all_);
        for (std::size_t k = 0; k < call.operands.size(); ++k) {
            if (!decides(k) || !reaches_out(k)) continue;
            points_ *= std::min(1.0, listed_[k] / std::max(1.0, elements(einsum_.inputs[k])));
            meets_another_ = true;
        }
    }

    double points() const { return points_; }

    /// Elements, or of two operands pairs of them, that are gone through one by one.
    double visited() const {
        double out = driver_ ? points_ : 0;
        for (int label : all_)
            if (!is_label_of_listed(label)) out /= std::max(1.0, length(label));
        return out + rows_begun() * tuning::elements_of_a_row;
    }

    double bytes() const {
        double out = written();
        for (std::size_t k = 0; k < call_.operands.size(); ++k) out += read(k);
        return out;
    }

    /// Elements that could be gone through in the time in which places in a sparse result are looked for.
    double searching() const {
        if (!block(call_.result).is_listed()) return 0;
        if (meets_another_) return points_ * tuning::elements_of_a_sum;
        double sum = 0;
        int operands = 0;
        for (std::size_t k = 0; k < listed_.size(); ++k) sum += listed_[k], operands += is_listed(k);
        return operands > 1 ? sum * tuning::elements_of_a_merge : 0;
    }

private:
    schedule::Block const& block(BlockId id) const { return section_.blocks[id]; }
    bool is_listed(std::size_t k) const { return block(call_.operands[k]).is_listed(); }
    bool decides(std::size_t k) const { return is_listed(k) && !kernel_.is_looked_up(k); }
    double length(int label) const { return static_cast<double>(call_.region.length[static_cast<std::size_t>(label)]); }
    double elements(std::vector<int> const& labels) const {
        double count = 1;
        for (int label : std::set<int>(labels.begin(), labels.end())) count *= length(label);
        return count;
    }
    /// Of the operand that is gone through: no more than it lists.
    double rows_begun() const {
        if (!driver_) return 0;
        auto const axes = section_.sparse(block(call_.operands[*driver_])).layout().axes;
        if (axes.empty()) return listed_[*driver_];
        return std::min(listed_[*driver_], length(einsum_.inputs[*driver_][static_cast<std::size_t>(axes[0])]));
    }
    bool is_label_of_listed(int label) const {
        for (std::size_t k = 0; k < call_.operands.size(); ++k)
            if (is_listed(k) && graph::has_label(einsum_.inputs[k], label)) return true;
        return false;
    }
    /// A sparse operand with a label that the driver lacks is looked at anew for each of its elements.
    bool reaches_out(std::size_t k) const {
        return k != driver_ && std::ranges::any_of(einsum_.inputs[k], [&](int label) {
                   return !graph::has_label(einsum_.inputs[*driver_], label);
               });
    }
    /// Places at these labels for each element that the driver lists; all of them without one.
    double places_at(std::vector<int> const& labels) const {
        if (!driver_) return elements(labels);
        std::vector<int> others = labels;
        std::erase_if(others, [&](int label) { return graph::has_label(einsum_.inputs[*driver_], label); });
        return listed_[*driver_] * elements(others);
    }
    double read(std::size_t k) const {
        schedule::Block const& from = block(call_.operands[k]);
        if (is_listed(k)) {
            double const one = static_cast<double>(section_.bytes_of(from)) /
                               std::max(1.0, static_cast<double>(section_.elements_of(from)));
            return one * (decides(k) && reaches_out(k) ? std::max(points_, listed_[k]) : listed_[k]);
        }
        double const whole = elements(einsum_.inputs[k]), taken = places_at(einsum_.inputs[k]);
        double const size = static_cast<double>(size_of(from.dtype)), again = std::max(0.0, taken - whole);
        if (whole * size <= tuning::bytes_of_a_cache)
            return (std::min(whole, taken) + again * tuning::taken_from_caches) * size;
        double const beside = again > 0 ? std::min(taken * size, listed_[*driver_] * tuning::bytes_beside_a_row) : 0;
        return std::min(whole, taken) * size + (again * size + beside) * tuning::taken_from_memory;
    }
    double written() const {
        schedule::Block const& to = block(call_.result);
        double const dense = elements(einsum_.output) * static_cast<double>(size_of(to.dtype));
        if (to.is_listed()) return std::min(dense, static_cast<double>(section_.bytes_of(to)));
        return dense * (call_.accumulates ? 2 : 1);
    }

    schedule::Section const& section_;
    schedule::Apply const& call_;
    schedule::Kernel const& kernel_;
    graph::EinSum const& einsum_;
    std::vector<double> listed_;         // by operand
    std::optional<std::size_t> driver_;  // the operand that lists least
    std::vector<int> all_;
    double points_ = 0;
    bool meets_another_ = false;
};

}  // namespace

bool is_on_listed(schedule::Section const& section, schedule::Apply const& call) {
    return section.blocks[call.result].is_listed() ||
           std::ranges::any_of(call.operands, [&](BlockId block) { return section.blocks[block].is_listed(); });
}

double sparse_seconds(schedule::Section const& section, schedule::Apply const& call, schedule::Kernel const& kernel,
                      double operations, Cluster const& cluster) {
    SparseCall const looked_at(section, call, kernel);
    return std::max({looked_at.points() * operations / cluster.operations, looked_at.bytes() / cluster.bytes,
                     looked_at.visited() / cluster.listed}) +
           looked_at.searching() / cluster.listed;
}

}  // namespace ein::scheduler
