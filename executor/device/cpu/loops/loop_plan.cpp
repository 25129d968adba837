#include "executor/device/cpu/loops/loop_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "executor/device/cpu/loops/loop_pieces.hpp"
#include "executor/device/cpu/machine.hpp"

namespace ein::executor {
namespace {

Extent touched(Extent stride) { return std::min(static_cast<Extent>(machine::cache_line), std::abs(stride)); }

/// Labels that go to another page at each step are not read ahead; in the unit of traffic.
constexpr Extent bytes_of_a_page = 4096;
constexpr double cost_of_a_page = 16;

/// The largest step of a label in any operand: labels with large steps belong outside.
Extent reach(NestLabel const& label) {
    Extent most = 0;
    for (Extent stride : label.strides) most = std::max(most, std::abs(stride));
    return most;
}

/// Bytes of an element.
Extent widest_operand(Nest const& nest) {
    std::size_t widest = 1;
    for (DType type : nest.operand_dtypes) widest = std::max(widest, size_of(type));
    return static_cast<Extent>(widest);
}

class Planner {
public:
    Planner(Nest const& nest, Extent vector_tile, RowForms const& forms)
        : nest_(nest),
          vector_tile_(vector_tile),
          short_row_(forms.short_row),
          longest_middle_(forms.middle),
          any_order_(forms.any_order),
          folds_columns_(forms.columns),
          aggregates_(nest.aggregates()) {
        bool const real =
            std::ranges::all_of(nest_.operand_dtypes, [](DType type) { return kind(type) == Kind::real; });
        if (short_row_ == 0) short_row_ = real ? machine::longest_short_row_of_reals : machine::longest_short_row;
    }

    LoopPlan plan() {
        choose_inner();
        choose_grain();
        choose_outer();
        choose_middle();
        choose_shared();
        if (aggregates_)
            order_aggregation();
        else
            order_elementwise();
        plan_.sums_of_vector_tiles = sums_vector_tiles();
        cut_into_pieces(nest_, plan_);
        return std::move(plan_);
    }

private:
    NestLabel const& label(std::size_t l) const { return nest_.labels[l]; }
    std::size_t labels() const { return nest_.labels.size(); }
    bool in_vector_tile(std::size_t l) const { return l == plan_.inner || l == plan_.outer || l == plan_.middle; }
    Extent elements_of_row() const {
        return label(plan_.inner).length * (plan_.middle == LoopPlan::none ? 1 : label(plan_.middle).length);
    }
    bool shared(std::size_t l) const { return std::find(shared_.begin(), shared_.end(), l) != shared_.end(); }

    /// Bytes that one step along a label touches in memory. Outputs of an aggregation are touched seldom, others are
    /// dear to scatter: only operands are turned.
    double traffic(NestLabel const& along) const {
        double bytes = 0;
        for (Extent stride : along.strides) {
            bytes += static_cast<double>(touched(stride));
            if (aggregates_ && std::abs(stride) >= bytes_of_a_page) bytes += cost_of_a_page;
        }
        if (!along.aggregated) bytes += static_cast<double>(touched(along.output_stride)) * (aggregates_ ? 0.25 : 4.0);
        return bytes;
    }

    /// Whether the rows of `inner` follow one another in the output along a label.
    bool continues(NestLabel const& outer, NestLabel const& inner) const {
        return !aggregates_ && outer.index < 0 && inner.index < 0 && outer.output_stride != 0 &&
               outer.output_stride == inner.output_stride * inner.length;
    }

    /// Whether short rows along `inner`, each aggregated to one output, follow one another in every operand: several
    /// are combined at a time.
    bool are_short_rows(NestLabel const& outer, NestLabel const& inner) const {
        bool follow = aggregates_ && inner.aggregated && inner.length <= short_row_ && !outer.aggregated &&
                      outer.index < 0 && inner.index < 0;
        for (std::size_t k = 0; follow && k < inner.strides.size(); ++k) {
            if (any_order_ && inner.strides[k] == 0 && outer.strides[k] == 0) continue;  // stands still
            follow = inner.strides[k] != 0 && outer.strides[k] == inner.strides[k] * inner.length;
        }
        return follow;
    }

    /// Whether the rows of narrow columns, each with a term of the same outputs, follow one another in every operand.
    bool are_narrow_columns(NestLabel const& outer, NestLabel const& inner) const {
        bool follow = folds_columns_ && outer.aggregated && !inner.aggregated && outer.index < 0 && inner.index < 0 &&
                      inner.length * widest_operand(nest_) <= static_cast<Extent>(machine::folded_columns / 2);
        for (std::size_t k = 0; follow && k < inner.strides.size(); ++k)
            follow = outer.strides[k] == inner.strides[k] * inner.length;
        return follow;
    }

    /// Traffic and the cost of starting a vector tile, shared by its elements.
    double cost_along(NestLabel const& along) const {
        double const start = along.index >= 0 ? 600.0 : 150.0;  // an indexed label has no second label beside it
        Extent elements = along.length;
        for (NestLabel const& outer : nest_.labels)
            if (continues(outer, along) || are_short_rows(outer, along) || are_narrow_columns(outer, along))
                elements *= outer.length;
            else if (std::size_t const middle = any_order_ ? middle_between(outer, along) : LoopPlan::none;
                     middle != LoopPlan::none)
                elements *= outer.length * label(middle).length;
        return traffic(along) + start / static_cast<double>(std::min(elements, vector_tile_));
    }

    void choose_inner() {
        double best = 0;
        for (std::size_t l = 0; l < labels(); ++l) {
            double const cost = cost_along(label(l));
            if (plan_.inner != LoopPlan::none && cost >= best) continue;
            best = cost;
            plan_.inner = l;
        }
    }

    /// A vector tile that crosses an operand would read a cache line for each of its elements. Its neighbours along the
    /// operand's grain need the same lines, so they are computed together.
    void choose_grain() {
        if (plan_.inner == LoopPlan::none || label(plan_.inner).length < machine::shortest_turned_tile) return;
        for (std::size_t k = 0; k < nest_.operand_dtypes.size(); ++k) {
            Extent const size = static_cast<Extent>(size_of(nest_.operand_dtypes[k]));
            if (std::abs(label(plan_.inner).strides[k]) <= 2 * size) continue;
            for (std::size_t l = 0; l < labels() && plan_.grain == LoopPlan::none; ++l) {
                if (label(l).strides[k] != size || label(l).length < machine::least_transposed) continue;
                plan_.grain = l;
                plan_.grain_block = std::clamp<Extent>(machine::turned_run / size, machine::least_transposed, 64);
            }
        }
        if (plan_.grain != LoopPlan::none) vector_tile_ = std::min(vector_tile_, turned_vector_tile(nest_));
    }

    /// Whether the rows along a label are so few that a vector tile of them is hardly worth beginning.
    bool is_short_beside(NestLabel const& outer, NestLabel const& inner) const {
        if (!aggregates_ || !outer.aggregated || inner.aggregated) return false;
        return outer.length * inner.length * widest_operand(nest_) < machine::shortest_vector_tile;
    }

    /// A short inner label leaves room for several of its rows in one vector tile.
    void choose_outer() {
        if (plan_.inner == LoopPlan::none || plan_.grain != LoopPlan::none) return;
        NestLabel const& inner = label(plan_.inner);
        if (inner.index >= 0 || inner.length * 2 > vector_tile_) return;
        double best = 0;
        for (std::size_t l = 0; l < labels(); ++l) {
            if (l == plan_.inner || label(l).index >= 0) continue;
            double cost = traffic(label(l)) + 1e-9 * static_cast<double>(reach(label(l)));
            if (continues(label(l), inner)) cost -= machine::cache_line;  // stores of one run
            if (is_short_beside(label(l), inner)) cost += machine::cost_of_short_tiles;
            if (plan_.outer != LoopPlan::none && cost >= best) continue;
            best = cost;
            plan_.outer = l;
        }
    }

    /// The only aggregated label, if it lies between two of the output in every operand; else none.
    std::size_t middle_between(NestLabel const& outer, NestLabel const& inner) const {
        if (longest_middle_ == 0 || inner.aggregated || outer.aggregated || inner.index >= 0 || outer.index >= 0)
            return LoopPlan::none;
        std::size_t const found = labels() - 1;  // aggregated ones are last
        bool const alone = label(found).aggregated && !(found > 0 && label(found - 1).aggregated);
        if (!alone || label(found).index >= 0) return LoopPlan::none;
        NestLabel const& middle = label(found);
        Extent const elements = inner.length * middle.length;
        bool fits = elements <= std::min(longest_middle_, vector_tile_ / 4);
        for (std::size_t k = 0; fits && k < inner.strides.size(); ++k) {
            fits =
                middle.strides[k] == inner.strides[k] * inner.length && outer.strides[k] == inner.strides[k] * elements;
        }
        return fits ? found : LoopPlan::none;
    }

    void choose_middle() {
        if (plan_.inner != LoopPlan::none && plan_.outer != LoopPlan::none && plan_.grain == LoopPlan::none)
            plan_.middle = middle_between(label(plan_.outer), label(plan_.inner));
    }

    Extent rows() const { return std::min(label(plan_.outer).length, vector_tile_ / elements_of_row()); }

    /// Outputs of a tile that read the same vector tiles: labels that some operand which moves along the vector tile
    /// lacks.
    void choose_shared() {
        if (!aggregates_ || plan_.inner == LoopPlan::none) return;
        for (std::size_t l = 0; l < labels() && shared_.size() < 2; ++l) {
            if (in_vector_tile(l) || l == plan_.grain || label(l).aggregated) continue;
            bool lacking = false, read = false;
            for (std::size_t k = 0; k < label(l).strides.size(); ++k) {
                lacking = lacking || (label(l).strides[k] == 0 && label(plan_.inner).strides[k] != 0);
                read = read || label(l).strides[k] != 0;
            }
            if (lacking && read) shared_.push_back(l);
        }
    }

    std::vector<std::size_t> loops(bool aggregated) const {
        std::vector<std::size_t> found;
        for (std::size_t l = 0; l < labels(); ++l)
            if (!in_vector_tile(l) && l != plan_.grain && !shared(l) && label(l).aggregated == aggregated)
                found.push_back(l);
        std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
            Extent const first = aggregated ? reach(label(a)) : std::abs(label(a).output_stride);
            Extent const second = aggregated ? reach(label(b)) : std::abs(label(b).output_stride);
            return first > second;
        });
        return found;
    }

    void add(std::size_t l, Extent block, Extent tile_stride = 0) {
        if (label(l).length > block || block == 1) plan_.levels.push_back({l, block, tile_stride});
    }

    Extent inner_block() const { return std::min(vector_tile_, label(plan_.inner).length); }

    /// Whether an operand that is turned differs along a label.
    bool turned_along(std::size_t l) const {
        for (std::size_t k = 0; k < nest_.operand_dtypes.size(); ++k)
            if (label(l).strides[k] != 0 && is_turned(nest_, plan_, k)) return true;
        return false;
    }

    /// Output labels, then vector tiles; neighbours along a grain inside them. What is turned once serves all labels
    /// along which it is the same: they are inside of that too.
    void order_elementwise() {
        bool const turns = plan_.grain != LoopPlan::none;
        std::vector<std::size_t> inside;
        for (std::size_t l : loops(false))
            if (turns && !turned_along(l))
                inside.push_back(l);
            else
                add(l, 1);
        if (plan_.outer != LoopPlan::none) add(plan_.outer, rows());
        if (plan_.inner == LoopPlan::none) return;
        add(plan_.inner, inner_block());
        if (!turns) return;
        add(plan_.grain, plan_.grain_block);
        auto const step = [&](std::size_t l) { return std::abs(label(l).output_stride); };
        inside.insert(std::ranges::find_if(inside, [&](std::size_t l) { return step(l) < step(plan_.grain); }),
                      plan_.grain);
        for (std::size_t l : inside) add_turns(l);
    }

    void add_turns(std::size_t l, Extent tile_stride = 0) {
        if (l == plan_.grain) plan_.turned = plan_.levels.size();
        add(l, 1, tile_stride);
    }

    /// Output loops, then tiles | then what is aggregated, then the outputs of a tile, then vector tiles. Neighbours
    /// along a grain are outputs of a tile, or further terms.
    void order_aggregation() {
        for (std::size_t l : loops(false)) add(l, 1);
        bool const grain_out = plan_.grain != LoopPlan::none && !label(plan_.grain).aggregated;
        bool const grain_in = plan_.grain != LoopPlan::none && !grain_out;
        Extent const of_grain = grain_out ? std::min(plan_.grain_block, label(plan_.grain).length) : 1;
        if (grain_out) add(plan_.grain, of_grain);
        Extent const unit = open_output_tile();
        Extent const share = shared_.empty()       ? 1
                             : shared_.size() == 1 ? machine::outputs_a_vector_tile
                                                   : machine::outputs_a_vector_tile / 2;
        std::vector<Extent> blocks;
        Extent tile = unit * of_grain;
        for (std::size_t l : shared_) {
            blocks.push_back(std::min(share, label(l).length));
            add(l, blocks.back());
            tile *= blocks.back();
        }
        plan_.scope = plan_.levels.size();
        plan_.tile = static_cast<std::size_t>(tile);
        for (std::size_t l : loops(true)) add(l, 1);
        if (plan_.outer != LoopPlan::none && label(plan_.outer).aggregated) add(plan_.outer, rows());
        if (label(plan_.inner).aggregated) add(plan_.inner, inner_block());
        if (grain_in) add(plan_.grain, plan_.grain_block);
        Extent stride = unit * of_grain;
        for (std::size_t k = 0; k < shared_.size(); ++k) {
            if (blocks[k] > 1) add(shared_[k], 1, stride);
            stride *= blocks[k];
        }
        if (!label(plan_.inner).aggregated && unit > inner_block())
            plan_.levels.push_back({plan_.inner, inner_block(), 1});
        if (plan_.grain != LoopPlan::none) add_turns(plan_.grain, grain_out ? unit : 0);
    }

    /// The loops over the vector tile's own output labels that lie outside the tile. @return accumulators of one vector
    /// tile's part
    Extent open_output_tile() {
        bool const rows_out = plan_.outer != LoopPlan::none && !label(plan_.outer).aggregated;
        if (rows_out) add(plan_.outer, rows());
        Extent const row_count = rows_out ? rows() : 1;
        if (label(plan_.inner).aggregated) return row_count;
        bool const shares = !shared_.empty() || plan_.grain != LoopPlan::none;
        Extent const vector_tile = !shares ? vector_tile_ : std::min(vector_tile_, machine::shared_vector_tile);
        Extent const most =
            !shares && plan_.outer == LoopPlan::none ? machine::long_tile / vector_tile_ * vector_tile_ : vector_tile;
        Extent const width = std::min(label(plan_.inner).length, most);
        add(plan_.inner, width);
        return row_count * width;
    }

    bool sums_vector_tiles() const {
        bool const several = std::any_of(plan_.levels.begin(), plan_.levels.end(),
                                         [&](LoopPlan::Level const& level) { return label(level.label).aggregated; });
        if (!several) return false;
        bool const rows_in = plan_.outer != LoopPlan::none && label(plan_.outer).aggregated;
        Extent const terms = (rows_in ? rows() : 1) * (label(plan_.inner).aggregated ? inner_block() : 1);
        return terms >= machine::terms_of_a_vector_tile;
    }

    Nest const& nest_;
    Extent vector_tile_, short_row_, longest_middle_;
    bool any_order_, folds_columns_, aggregates_;
    std::vector<std::size_t> shared_;
    LoopPlan plan_;
};

}  // namespace

bool is_turned(Nest const& nest, LoopPlan const& plan, std::size_t operand) {
    if (plan.grain == LoopPlan::none) return false;
    auto const size = static_cast<Extent>(size_of(nest.operand_dtypes[operand]));
    return nest.labels[plan.grain].strides[operand] == size &&
           std::abs(nest.labels[plan.inner].strides[operand]) > 2 * size;
}

Extent turned_vector_tile(Nest const& nest) {
    return std::max(machine::turned_vector_tile, machine::bytes_of_turned_tile / widest_operand(nest));
}

LoopPlan plan_loops(Nest const& nest, std::size_t vector_tile, RowForms const& forms) {
    auto const longest = static_cast<Extent>(vector_tile);
    if (!nest.keeps_order()) return Planner(nest, longest, forms).plan();
    RowForms const of_whole{forms.short_row, 0, forms.any_order, false};  // a block may lie otherwise
    Nest const whole = nest.planned();
    return cut_anew(nest, Planner(whole, longest, of_whole).plan());
}

}  // namespace ein::executor
