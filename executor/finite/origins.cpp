#include "executor/finite/origins.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "executor/finite/hazards.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

using schedule::TensorId;

namespace {

struct OfAllRanks {
    SeenTensor seen;
    std::set<int> ranks;
};
using Tensors = std::map<TensorId, OfAllRanks>;

Tensors together(std::vector<SeenNonFinite> const& by_rank) {
    Tensors out;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
        for (SeenTensor const& seen : by_rank[rank].tensors) {
            OfAllRanks& all =
                out.try_emplace(seen.tensor, OfAllRanks{SeenTensor{seen.tensor, {}, {}}, {}}).first->second;
            all.seen.nan.add(seen.nan);
            all.seen.infinite.add(seen.infinite);
            if (seen.kernel && (!all.seen.kernel || *seen.kernel < *all.seen.kernel)) all.seen.kernel = seen.kernel;
            all.seen.inputs.insert(all.seen.inputs.end(), seen.inputs.begin(), seen.inputs.end());
            all.seen.means_nan = all.seen.means_nan || seen.means_nan;
            all.seen.means_infinite = all.seen.means_infinite || seen.means_infinite;
            all.ranks.insert(static_cast<int>(rank));
        }
    return out;
}

/// The same in the next iteration of a loop that it was in.
Sighting one_later(Sighting sighting, schedule::LoopSpecId loop) {
    auto const at = std::find_if(sighting.first.begin(), sighting.first.end(),
                                 [&](AtIteration const& each) { return each.loop == loop; });
    if (at == sighting.first.end()) return {};
    ++at->iteration;
    sighting.first.erase(at + 1, sighting.first.end());
    return sighting;
}

/// @return whether something is seen earlier than was known
bool add_carried(Sighting const& next, schedule::LoopSpecId loop, Sighting& inside) {
    Sighting const later = one_later(next, loop);
    if (!later.any() || (inside.any() && !is_later(inside.first, later.first))) return false;
    inside.add(later);
    return true;
}

/// What is carried is seen in the next iteration, from there maybe as what another one carries.
void carry(std::vector<SeenNonFinite> const& by_rank, Tensors& tensors) {
    std::vector<CarriedTensor> carries;
    for (SeenNonFinite const& seen : by_rank)
        for (CarriedTensor const& each : seen.carries)
            if (std::find(carries.begin(), carries.end(), each) == carries.end()) carries.push_back(each);
    for (bool changed = true; changed;) {
        changed = false;
        for (CarriedTensor const& each : carries) {
            auto const next = tensors.find(each.next);
            if (next == tensors.end()) continue;
            SeenTensor const from = next->second.seen;
            SeenTensor& inside =
                tensors.try_emplace(each.inside, OfAllRanks{SeenTensor{each.inside, {}, {}}, {}}).first->second.seen;
            changed |= add_carried(from.nan, each.loop, inside.nan);
            changed |= add_carried(from.infinite, each.loop, inside.infinite);
        }
    }
}

/// Whether elements of that kind were there when, or before, others were seen.
bool was_there(Sighting const& kind, Sighting const& others) {
    return kind.any() && !is_later(kind.first, others.first);
}

class OriginFinder {
public:
    OriginFinder(schedule::Header const& header, Tensors const& tensors) : header_(header), tensors_(tensors) {}

    void find(OfAllRanks const& made, std::vector<Origin>& out) const {
        SeenTensor const& seen = made.seen;
        if (!seen.kernel) return;
        Origin fault = origin(made), derived = origin(made);
        derived.inputs_are_finite = false;
        if (!seen.means_nan && seen.nan.any() && !any_input(seen, &SeenTensor::nan, seen.nan)) {
            bool const out_of_infinite = any_input(seen, &SeenTensor::infinite, seen.nan);
            Origin& where = out_of_infinite ? derived : fault;
            where.count.nan = seen.nan.elements();
            where.first = seen.nan.first;
        }
        if (!seen.means_infinite && seen.infinite.any() && !any_input(seen, &SeenTensor::nan, seen.infinite) &&
            !any_input(seen, &SeenTensor::infinite, seen.infinite)) {
            if (!fault.count.any() || is_later(fault.first, seen.infinite.first)) fault.first = seen.infinite.first;
            fault.count.infinite = seen.infinite.elements();
        }
        for (Origin const& each : {fault, derived})
            if (each.count.any()) out.push_back(each);
    }

private:
    Origin origin(OfAllRanks const& made) const {
        return {.node = header_.tensors[made.seen.tensor].name,
                .kernel = *made.seen.kernel,
                .count = {},
                .first = {},
                .ranks = {made.ranks.begin(), made.ranks.end()},
                .has_infinity = made.seen.means_infinite};
    }

    bool any_input(SeenTensor const& made, Sighting SeenTensor::*kind, Sighting const& when) const {
        return std::any_of(made.inputs.begin(), made.inputs.end(), [&](TensorId input) {
            auto const seen = tensors_.find(input);
            return seen != tensors_.end() && was_there(seen->second.seen.*kind, when);
        });
    }

    schedule::Header const& header_;
    Tensors const& tensors_;
};

bool comes_before(Origin const& a, Origin const& b) {
    if (is_later(a.first, b.first)) return false;
    return is_later(b.first, a.first) || a.kernel < b.kernel;
}

std::string ranks_text(std::vector<int> const& ranks) {
    constexpr std::size_t most = 8;
    std::string out = ranks.size() == 1 ? " on rank " : " on ranks ";
    for (std::size_t k = 0; k < std::min(ranks.size(), most); ++k)
        out += (k == 0 ? "" : ", ") + std::to_string(ranks[k]);
    return out + (ranks.size() > most ? " and " + std::to_string(ranks.size() - most) + " more" : "");
}

std::string mend_of(Origin const& origin, schedule::Header const& header) {
    for (schedule::Tensor const& tensor : header.tensors)
        if (tensor.name == origin.node && origin.kernel < header.kernels.end_id())
            return mend_of_hazard(header.kernels[origin.kernel], tensor.dtype, origin.count);
    return "look at what it reads";
}

}  // namespace

std::vector<Origin> origins(schedule::Header const& header, std::vector<SeenNonFinite> const& seen) {
    Tensors tensors = together(seen);
    carry(seen, tensors);
    std::vector<Origin> out;
    for (auto const& [tensor, made] : tensors) OriginFinder(header, tensors).find(made, out);
    std::stable_sort(out.begin(), out.end(), [](Origin const& a, Origin const& b) { return a.kernel < b.kernel; });
    return out;
}

Origin const* first_fault(std::vector<Origin> const& origins) {
    Origin const* first = nullptr;
    for (Origin const& each : origins)
        if (each.inputs_are_finite && (first == nullptr || comes_before(each, *first))) first = &each;
    return first;
}

std::string text_of(tensor::NonFinite const& count, std::optional<std::int64_t> of) {
    std::int64_t const elements = count.elements();
    std::string kinds;
    if (count.nan != 0) kinds = std::to_string(count.nan) + " NaN";
    if (count.infinite != 0) kinds += (kinds.empty() ? "" : ", ") + std::to_string(count.infinite) + " infinite";
    return std::to_string(elements) + (of ? " of " + std::to_string(*of) : "") +
           (of.value_or(elements) == 1 ? " element (" : " elements (") + kinds + ")";
}

std::string text_of(Moment const& moment, schedule::Header const& header) {
    std::string out;
    for (std::size_t depth = moment.size(); depth-- > 0;)  // the innermost one is named first
        out += (out.empty() ? " in iteration " : ", iteration ") + std::to_string(moment[depth].iteration) +
               " of loop '" + header.loops[moment[depth].loop].name + "'";
    return out;
}

std::string fault_text(std::vector<Origin> const& origins, schedule::Header const& header) {
    Origin const& first = *first_fault(origins);
    auto const faults =
        std::count_if(origins.begin(), origins.end(), [](Origin const& each) { return each.inputs_are_finite; });
    return "--check-finite: node '" + first.node + "': expected finite elements, since its inputs are finite, found " +
           text_of(first.count) + text_of(first.first, header) + ranks_text(first.ranks) +
           (faults > 1 ? "; they begin in " + std::to_string(faults - 1) + " more " + (faults == 2 ? "node" : "nodes")
                       : "") +
           (first.has_infinity && first.count.nan != 0
                ? "; 0*inf and inf - inf are nan, and its join has inf: write where(MASK, x, -inf) for a mask"
                : "; " + mend_of(first, header) + "; where they are meant, write inf or nan in its join");
}

}  // namespace ein::executor
