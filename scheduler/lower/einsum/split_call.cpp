#include "scheduler/lower/einsum/split_call.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "lib/base/error.hpp"
#include "lib/graph/indicator.hpp"
#include "lib/graph/labels.hpp"
#include "scheduler/move/cell_grid.hpp"
#include "scheduler/simulate/kernel_cost.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

std::size_t at(int label) { return static_cast<std::size_t>(label); }

/// Whether `outer` holds what `region` has of these labels.
bool holds(Box const& outer, Box const& region, std::vector<int> const& labels) {
    for (std::size_t axis = 0; axis < labels.size(); ++axis)
        if (region.begin[at(labels[axis])] < outer.begin[axis] || region.end(at(labels[axis])) > outer.end(axis))
            return false;
    return true;
}

/// Where the labels of a call are cut.
class Cutting {
public:
    Cutting(graph::EinSum const& einsum, Box const& region, SplitRule const& rule)
        : einsum_(&einsum), rule_(&rule), edges_(einsum.labels.size()) {
        for (std::size_t label = 0; label < edges_.size(); ++label)
            edges_[label] = {region.begin[label], region.end(label)};
    }

    /// Cuts where the boxes end. @return false where they are no grid
    bool cut(std::vector<Box> const& boxes, std::vector<int> const& labels) {
        auto const grid = grid_of(boxes);
        if (!grid) return false;
        for (std::size_t axis = 0; axis < labels.size(); ++axis) {
            std::vector<Extent>& edges = edges_[at(labels[axis])];
            Extent const begin = edges.front(), end = edges.back();
            for (Extent edge : grid->edges[axis])
                if (edge > begin && edge < end) edges.push_back(edge);
            std::sort(edges.begin(), edges.end());
            edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        }
        return true;
    }

    bool cuts(int label) const { return edges_[at(label)].size() > 2; }
    friend bool operator==(Cutting const& a, Cutting const& b) { return a.edges_ == b.edges_; }

    /// All subcalls are large enough, and few, and reading again what they share takes less time than they hide.
    /// @param moved  bytes that come or leave meanwhile  @param element_size  bytes
    bool pays(double moved, double element_size) const {
        if (!large_enough()) return false;
        if (!rule_->weighs_time) return true;
        double const again = seconds_again(element_size), computing = seconds_computing(element_size);
        double const hidden = std::min(computing, moved / rule_->link) * (1 - 1 / subcalls_beside({}));
        return again < std::max(hidden, rule_->little * computing);
    }

    /// Copying so many bytes takes little time beside the computing.
    bool hides_a_copy(double bytes, double element_size) const {
        return rule_->weighs_time && 2 * bytes / rule_->bytes <= rule_->little * seconds_computing(element_size);
    }

    double seconds_computing(double element_size) const {
        double const points = elements({}, false);
        return is_matrix_product(*einsum_) ? 2 * points / rule_->flops : points * element_size / rule_->bytes;
    }

    std::vector<Box> regions() const {
        Parts counts;
        for (auto const& edges : edges_) counts.push_back(static_cast<std::int64_t>(edges.size()) - 1);
        std::vector<Box> out;
        for_each_index(counts, [&](std::vector<Extent> const& index) {
            Box region{std::vector<Extent>(index.size()), Shape(index.size())};
            for (std::size_t label = 0; label < index.size(); ++label) {
                auto const k = static_cast<std::size_t>(index[label]);
                region.begin[label] = edges_[label][k];
                region.length[label] = edges_[label][k + 1] - edges_[label][k];
            }
            out.push_back(std::move(region));
        });
        return out;
    }

private:
    bool large_enough() const {
        bool const product = is_matrix_product(*einsum_);
        std::vector<Extent> shortest;
        double least = 1, count = 1;
        for (auto const& edges : edges_) {
            shortest.push_back(edges.back() - edges.front());
            for (std::size_t k = 1; k < edges.size(); ++k)
                shortest.back() = std::min(shortest.back(), edges[k] - edges[k - 1]);
            least *= static_cast<double>(shortest.back());
            count *= static_cast<double>(edges.size() - 1);
        }
        for (int label = 0; product && label < static_cast<int>(edges_.size()); ++label)
            if (cuts(label) && side_of(label, shortest) < static_cast<double>(rule_->product_length)) return false;
        double const enough = product ? rule_->product_points : rule_->other_points;
        bool const few = count <= static_cast<double>(rule_->calls);
        bool const long_ones = count <= static_cast<double>(rule_->long_calls) && least >= rule_->long_call_points;
        return (few || long_ones) && least >= enough;
    }

    /// Elements of the whole call's region along these labels, or along all but these.
    double elements(std::vector<int> const& labels, bool along) const {
        double count = 1;
        for (int label = 0; label < static_cast<int>(edges_.size()); ++label)
            if (graph::has_label(labels, label) == along)
                count *= static_cast<double>(edges_[at(label)].back() - edges_[at(label)].front());
        return count;
    }
    /// Subcalls that read the same elements of a tensor with these labels.
    double subcalls_beside(std::vector<int> const& labels) const {
        double count = 1;
        for (int label = 0; label < static_cast<int>(edges_.size()); ++label)
            if (!graph::has_label(labels, label)) count *= static_cast<double>(edges_[at(label)].size() - 1);
        return count;
    }

    /// Operands are read once for each part of the labels that they lack; results are read and written for each part of
    /// a sum, as kernels of products do anyway every few hundred terms.
    double seconds_again(double element_size) const {
        double again = 0;
        for (auto const& operand : einsum_->inputs) again += elements(operand, true) * (subcalls_beside(operand) - 1);
        double const usual =
            is_matrix_product(*einsum_) ? std::max(1.0, elements(einsum_->output, false) / tuning::usual_terms) : 1;
        again += 2 * elements(einsum_->output, true) * std::max(0.0, subcalls_beside(einsum_->output) - usual);
        return again * element_size / rule_->bytes;
    }

    /// How long the side of a product is that has this label: all labels that the same tensors have.
    double side_of(int label, std::vector<Extent> const& lengths) const {
        double side = 1;
        for (int other = 0; other < static_cast<int>(lengths.size()); ++other) {
            auto const treats_alike = [&](std::vector<int> const& labels) {
                return graph::has_label(labels, other) == graph::has_label(labels, label);
            };
            if (treats_alike(einsum_->output) &&
                std::all_of(einsum_->inputs.begin(), einsum_->inputs.end(), treats_alike))
                side *= static_cast<double>(lengths[at(other)]);
        }
        return side;
    }

    graph::EinSum const* einsum_;
    SplitRule const* rule_;
    std::vector<std::vector<Extent>> edges_;  // of each label's intervals, increasing
};

/// Kernels that read what they look up, and aggregations that would take functions of partial results.
bool may_be_cut(graph::EinSum const& einsum) { return !graph::looks_up(einsum).has_value(); }

std::vector<Box> boxes_of(std::vector<OperandSource> const& sources) {
    std::vector<Box> out;
    for (OperandSource const& source : sources) out.push_back(source.box);
    return out;
}

double elements_elsewhere(std::vector<OperandSource> const& sources, Rank self) {
    double elements = 0;
    for (OperandSource const& source : sources)
        if (source.rank != self) elements += static_cast<double>(source.box.elements());
    return elements;
}

double elements_of(std::vector<OperandSource> const& sources) {
    double elements = 0;
    for (OperandSource const& source : sources) elements += static_cast<double>(source.box.elements());
    return elements;
}

/// Cuts the call where blocks of its operands end, those that bring most first. @return the operands that are so taken
std::vector<bool> cut_by_sources(Cutting& cutting, graph::EinSum const& einsum, CallParts const& parts, Rank self) {
    std::vector<bool> taken(einsum.operands(), false);
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < einsum.operands(); ++k)
        if (parts.operands[k].size() > 1) order.push_back(k);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return elements_elsewhere(parts.operands[a], self) > elements_elsewhere(parts.operands[b], self);
    });
    double moved = 0;  // of subblocks and of operands taken so far, bytes
    for (std::size_t s = 0; s < parts.subblocks.size(); ++s)
        if (parts.turns[s] != 0) moved += static_cast<double>(parts.subblocks[s].elements()) * parts.element_size;
    bool const accumulates = parts.may_accumulate && einsum.agg != scalar::Agg::logsumexp;
    for (std::size_t k : order) {
        std::vector<int> const& labels = einsum.inputs[k];
        Cutting finer = cutting;
        if (!finer.cut(boxes_of(parts.operands[k]), labels)) continue;
        bool const sound = std::all_of(labels.begin(), labels.end(), [&](int label) {
            return !finer.cuts(label) ||
                   (std::count(labels.begin(), labels.end(), label) == 1 && (accumulates || !einsum.aggregates(label)));
        });
        double const comes = elements_elsewhere(parts.operands[k], self) * parts.element_size;
        double const held = elements_of(parts.operands[k]) * parts.element_size;
        bool const cut_already = finer == cutting;
        if (!sound) continue;
        if (!cut_already && comes == 0 && cutting.hides_a_copy(held, parts.element_size))
            continue;  // one call may then run in a fused group
        if (!cut_already && !finer.pays(moved + comes, parts.element_size)) continue;
        cutting = std::move(finer);
        moved += comes;
        taken[k] = true;
    }
    return taken;
}

std::size_t source_of(std::vector<OperandSource> const& sources, Box const& region, std::vector<int> const& labels) {
    for (std::size_t s = 0; s < sources.size(); ++s)
        if (holds(sources[s].box, region, labels)) return s;
    throw InternalError("a part of a kernel call crosses blocks of its operand");
}

Parts finer_subblocks(Box const& part, Parts subblocks, std::size_t element_size, SplitRule const& rule) {
    std::size_t axis = subblocks.size();
    while (axis > 0 && subblocks[axis - 1] == 1) --axis;
    if (axis == 0) return subblocks;
    double const bytes = static_cast<double>(part.elements()) * static_cast<double>(element_size) /
                         static_cast<double>(element_count(subblocks));
    auto const wanted = static_cast<std::int64_t>(std::ceil(bytes / static_cast<double>(rule.block_bytes)));
    Extent const length = part.length[axis - 1];
    for (std::int64_t times = std::min(wanted, rule.blocks); times > 1; --times)
        if (length % (subblocks[axis - 1] * times) == 0) {
            subblocks[axis - 1] *= times;
            break;
        }
    return subblocks;
}

}  // namespace

Parts shared_subblocks(Cut const& cut, std::size_t part, std::size_t sharers, std::size_t element_size,
                       Parts const& wanted, std::int64_t least_bytes, SplitRule const& rule) {
    Box const box = cut.part_box(part);
    std::int64_t const bytes = box.elements() * static_cast<std::int64_t>(element_size);
    auto const count = static_cast<std::int64_t>(std::max<std::size_t>(sharers, 1));
    std::int64_t const most = least_bytes > 0 ? bytes / least_bytes : bytes;
    std::int64_t every = 1;
    while (every < count && (count % every != 0 || count / every > most)) ++every;
    // A count without such divisors, a prime, would leave all to one rank.
    std::int64_t const any = std::max<std::int64_t>(1, std::min(count, most));
    bool const collapses = any > 2 * (count / every);
    Parts subblocks = subblocks_for(cut.shape(), box, collapses ? any : count / every, wanted);
    return every > 1 ? subblocks : finer_subblocks(box, std::move(subblocks), element_size, rule);
}

bool subblocks_pay(graph::EinSum const& einsum, Box const& region, std::vector<Box> const& subblocks, double moved,
                   double element_size, SplitRule const& rule) {
    if (subblocks.size() < 2 || !may_be_cut(einsum)) return false;
    Cutting cutting(einsum, region, rule);
    return cutting.cut(subblocks, einsum.output) && cutting.pays(moved, element_size);
}

double seconds_of_call(graph::EinSum const& einsum, Box const& region, double element_size, SplitRule const& rule) {
    return Cutting(einsum, region, rule).seconds_computing(element_size);
}

SplitRule suited_to(Cluster const& cluster, int ranks, SplitRule rule) {
    rule.flops = cluster.flops_f64;
    rule.bytes = cluster.bytes;
    rule.link = cluster.inside.bandwidth;
    if (ranks <= cluster.ranks_per_node) return rule;
    double const shared = cluster.uplink.value_or(cluster.between.bandwidth * cluster.ranks_per_node);
    rule.link = std::min({rule.link, cluster.between.bandwidth, shared / cluster.ranks_per_node});
    return rule;
}

SplitCall split_call(graph::EinSum const& einsum, Box const& region, CallParts const& parts, Rank self, int ranks,
                     SplitRule const& rule) {
    Cutting cutting(einsum, region, rule);
    if (!parts.subblocks.empty())
        promise(cutting.cut(parts.subblocks, einsum.output), "the subblocks of a partial result are no grid");
    SplitCall out;
    out.by_source =
        may_be_cut(einsum) ? cut_by_sources(cutting, einsum, parts, self) : std::vector<bool>(einsum.operands(), false);
    using Precedence =
        std::tuple<bool, int, bool, int>;  // own subblock, its turn; what comes, from which of the ranks after this one
    std::vector<std::pair<Precedence, SubCall>> subcalls;
    auto const after = [&](Rank rank) { return (rank.value() - self.value() + ranks) % ranks; };
    for (Box& part : cutting.regions()) {
        SubCall next{std::move(part), 0, std::vector<std::size_t>(einsum.operands(), 0), false};
        int turn = 0, farthest = 0;
        for (std::size_t s = 0; s < parts.subblocks.size(); ++s)
            if (holds(parts.subblocks[s], next.region, einsum.output)) next.subblock = s, turn = parts.turns[s];
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            if (!out.by_source[k]) continue;
            next.sources[k] = source_of(parts.operands[k], next.region, einsum.inputs[k]);
            farthest = std::max(farthest, after(parts.operands[k][next.sources[k]].home));
        }
        subcalls.push_back({{turn == 0, turn, farthest != 0, farthest}, std::move(next)});
    }
    std::stable_sort(subcalls.begin(), subcalls.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    // Something to do until the first operand comes, even where others wait for none of it.
    double const enough = tuning::begun_at_hand * static_cast<double>(region.elements());
    double begun = 0;
    auto next = subcalls.begin();
    for (auto here = subcalls.begin(); here != subcalls.end() && begun < enough; ++here) {
        if (std::get<2>(here->first)) continue;
        begun += static_cast<double>(here->second.region.elements());
        std::rotate(next++, here, here + 1);
    }
    std::map<Box, bool> written;  // boxes of the output
    for (auto& [precedence, subcall] : subcalls) {
        subcall.accumulate = !written.try_emplace(projected(subcall.region, einsum.output), true).second;
        out.list.push_back(std::move(subcall));
    }
    return out;
}

}  // namespace ein::scheduler
