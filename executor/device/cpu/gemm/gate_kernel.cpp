#include "executor/device/cpu/gemm/gate_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "executor/device/cpu/gemm/gate_matrix.hpp"
#include "executor/device/cpu/gemm/gate_plan.hpp"
#include "executor/device/cpu/gemm/gemm_operation.hpp"
#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr Extent most_numbers_of_gate = 1024, most_in_matrix = 256;
// of those whose boxes are in the second-level cache: measured, with more tiles are faster
constexpr Extent bytes_of_large_gate = 768 << 10, most_columns_of_large = 256,
                 most_columns_turned = 64,  // of tensors that stay in a cache: tiles pack them as fast
    most_numbers_of_few = 16 << 10,         // where rows are no more than a box for each thread
    most_columns_of_runs = 48;              // where terms lie in runs: many rows are packed together
constexpr Extent bytes_packed_near = 16 << 20;
constexpr double most_cost_of_a_side = 1;
// of a box, or a quarter more; of boxes where nothing is turned, if all terms are no more: both measured
constexpr Extent terms_of_large_box = 64, terms_in_place = 128;
constexpr Extent bytes_of_large_box = 768 << 10, least_boxes = 64;
constexpr std::size_t most_bytes_that_wait = 96 << 10;  // of results that leave beside the next box: two are there
constexpr Extent run_of_large = 1024;  // bytes of the large operand that are read one after the other, where they fit
constexpr Extent least_rows = 256;     // each of which meets the whole gate
constexpr double most_cost = 2.4;      // of an element that comes and goes: single ones are moved as fast by others
// More, of a byte that is brought near because sets are crowded: measured, c128 takes longer so than turned, c64 does
// not.
constexpr double cost_of_crowded_bytes = 0.0165;
constexpr Extent fetched_from = 1 << 20;  // bytes of the large operand: less stays in the caches

GateLoops best_loops(DType type) { return EIN_OF_BEST_SET(gate_loops(type)); }

/// A box with how many lanes, other rows and terms it has: whole ones, and the last of a label that is cut.
struct GateBox {
    GateMoves in, out;
    Extent lanes = 0, inside = 0, terms = 0;
    std::vector<GateIndex> lines;  // of the large operand, where each begins
};

class GateKernel final : public PreparedKernel {
public:
    GateKernel(GateKinds kinds, GatePlan plan, GateLoops loops, std::size_t large, std::size_t small, DType type,
               ScaledProduct const& product, Nest const& nest)
        : kinds_(std::move(kinds)),
          plan_(std::move(plan)),
          loops_(loops),
          large_(large),
          small_(small),
          element_(size_of(type)),
          factor_(product.factor),
          conjugates_large_(product.conjugates(large)),
          conjugates_small_(product.conjugates(small)),
          accumulate_(nest.accumulate),
          past_cache_(!nest.accumulate &&
                      std::max(nest.output_bytes, nest.output_elements() * static_cast<Extent>(size_of(type))) >=
                          machine::product_past_cache) {
        walked_ = plan_.around;
        walked_.insert(walked_.end(), plan_.term_parts.begin(), plan_.term_parts.end());
        for (bool const last_inside : {false, true})
            for (bool const last_terms : {false, true}) {
                if ((last_inside && plan_.cut_inside < 0) || (last_terms && plan_.last_terms == 0)) continue;
                GateLabels inside = plan_.inside;
                if (last_inside) inside.front().length = plan_.last_inside;
                boxes_[last_inside][last_terms] = box_of(inside, plan_.terms_of(last_terms));
            }
    }

    /// What only the kernel that is taken needs.
    void complete() {
        matrix_ = GateMatrix(kinds_, plan_, element_, loops_.columns);
        find_lines();
        crowded_ = is_crowded();
    }

    bool in_parts_of_lines() const { return plan_.in_parts_of_lines; }
    double cost_of_an_element() const { return whole().in.cost() + whole().out.cost(); }
    /// Of all that comes and goes.
    double cost() const {
        double const again = is_crowded() ? cost_of_crowded_bytes * static_cast<double>(element_) : 0;
        return (whole().in.cost() + again) * static_cast<double>(count_of(kinds_.terms)) +
               whole().out.cost() * static_cast<double>(columns());
    }
    bool turns() const { return !whole().in.direct() || !whole().out.direct(); }
    bool in_parts() const { return !plan_.term_parts.empty(); }
    /// Of boxes in the second-level cache.
    bool is_better_than_tiles() const {
        Extent const elements = rows() * matrices() * (count_of(kinds_.terms) + columns());
        bool const packs_near = elements * static_cast<Extent>(element_) < bytes_packed_near;
        return !(turns() && packs_near && columns() > most_columns_turned) && !in_parts_of_lines() &&
               std::max(whole().in.cost(), whole().out.cost()) <= most_cost_of_a_side;
    }
    /// Whether no set of the second-level cache gets so many lines of a box that they leave it before they are used.
    bool stays_in_cache() const {
        std::vector<Extent> of_set(machine::second_level_sets);
        GateIndex const line = elements_of_a_line();
        for (GateIndex const at : whole().in.lines(line))
            ++of_set[static_cast<std::size_t>(at / line) % machine::second_level_sets];
        return std::ranges::max(of_set) <= machine::lines_of_a_large_set;
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Extent const boxes = count_of(plan_.around);  // of all terms
        Extent const bytes = boxes * term_parts() *
                             static_cast<Extent>((whole().in.elements() + whole().out.elements()) * element_) *
                             whole().lanes;
        std::int64_t const pieces =
            bytes < machine::bytes_of_a_vector_piece
                ? 1
                : std::min<std::int64_t>({boxes, 8 * team.width(), bytes / machine::bytes_of_a_vector_piece});
        Scratch const matrix(matrix_.bytes());
        matrix_.pack(static_cast<std::byte const*>(call.operands[small_]), matrix.data());
        if (pieces < 2) return run(call, matrix.data(), 0, boxes, team);
        team.run(pieces, [&](std::int64_t piece) {
            run(call, matrix.data(), part_begin(boxes, pieces, piece), part_begin(boxes, pieces, piece + 1), team);
        });
    }

private:
    Extent rows() const { return count_of(kinds_.rows); }
    Extent terms() const { return count_of(plan_.terms); }  // of a box
    Extent term_parts() const { return count_of(plan_.term_parts); }
    Extent columns() const { return count_of(kinds_.columns); }
    Extent matrices() const { return count_of(kinds_.batch); }
    Extent lanes_in_box() const { return (whole().lanes + loops_.lanes - 1) / loops_.lanes * loops_.lanes; }

    GateBox const& whole() const { return boxes_[0][0]; }

    GateBox box_of(GateLabels const& inside, GateLabels const& terms) const {
        auto const with = [&](GateLabels const& last) {
            GateLabels all = inside;
            all.insert(all.end(), kinds_.batch.begin(), kinds_.batch.end());
            all.insert(all.end(), last.begin(), last.end());
            return all;
        };
        GateBox box;
        box.in = {places_of(with(terms), &GateLabel::large), places_of(plan_.lanes, &GateLabel::large), loops_.lanes};
        box.out = {places_of(with(kinds_.columns), &GateLabel::output), places_of(plan_.lanes, &GateLabel::output),
                   loops_.lanes};
        box.lanes = count_of(plan_.lanes);
        box.terms = count_of(terms);
        box.inside = count_of(inside);
        return box;
    }

    /// Of what is fetched while the box before is computed.
    void find_lines() {
        if (rows() * static_cast<Extent>(whole().in.elements() * element_) / whole().inside < fetched_from) return;
        for (auto& boxes : boxes_)
            for (GateBox& box : boxes) box.lines = box.in.lines(elements_of_a_line());
    }

    /// Whether some lines of a group's vectors, read where they lie, would share few sets of the first-level cache.
    bool is_crowded() const {
        if (!whole().in.direct()) return false;
        std::vector<Extent> of_set(machine::first_level_sets);
        GateIndex const line = elements_of_a_line(),
                        wide = std::min<GateIndex>(whole().lanes, most_gate_vectors * loops_.lanes) / line;
        for (GateIndex const at : places_of(plan_.terms, &GateLabel::large))
            for (GateIndex k = 0; k <= wide; ++k)
                ++of_set[static_cast<std::size_t>(at / line + k) % machine::first_level_sets];
        return std::ranges::max(of_set) > machine::lines_of_a_set;
    }
    GateIndex elements_of_a_line() const { return static_cast<GateIndex>(machine::cache_line / element_); }

    void run(KernelCall const& call, std::byte const* matrix, Extent first, Extent last, WorkerTeam& team) const {
        auto const room = [&](GateMoves const& moves, bool in_place) {
            return in_place ? 0 : lines(moves.elements() * static_cast<std::size_t>(lanes_in_box()) * element_);
        };
        std::size_t const near =
            crowded_ ? static_cast<std::size_t>(terms() * most_gate_vectors * loops_.lanes) * element_ : 0;
        bool const in_place = whole().out.direct() && !in_parts();
        std::size_t const out_bytes = room(whole().out, in_place);
        bool const later = out_bytes <= most_bytes_that_wait;
        Scratch const in(std::max(room(whole().in, whole().in.direct()), near)), out((later ? 2 : 1) * out_bytes);
        Extent const parts = term_parts();
        GateCall calls[2];  // of these rows and those before
        GateCall& of_all = calls[0];
        of_all.lanes_in_box = lanes_in_box();
        of_all.matrices = matrices();
        of_all.columns = columns();
        of_all.scale = factor_;
        of_all.conjugate_matrix = conjugates_small_;
        of_all.conjugate_large = conjugates_large_;
        of_all.combine = accumulate_;
        of_all.past_cache = past_cache_;
        of_all.in_is_crowded = crowded_;
        // what several blocks of columns read where it lies comes with the tiles of the first one
        bool const read_once = !whole().in.direct() || gate_blocks(columns(), loops_.columns) == 1;
        of_all.fetch_at_once = terms() * columns() <= most_in_matrix && read_once;
        of_all.in_room = in.data();
        of_all.out_room = out.data();
        calls[1] = of_all;
        if (later) calls[1].out_room = out.data() + out_bytes;
        auto const* const from = static_cast<std::byte const*>(call.operands[large_]);
        auto* const to = static_cast<std::byte*>(call.output);
        Extent const between = std::max<Extent>(
            1, machine::bytes_between_pauses / static_cast<Extent>(whole().in.elements() * element_) / whole().lanes);
        Walk walk(walked_, first * parts);
        GateCall const* before = nullptr;
        for (Extent number = first * parts; number < last * parts; ++number) {
            Extent const part = number % parts;
            GateCall& one = calls[number / parts % 2];
            one.before = part == 0 ? before : nullptr;
            one.leave_at_once = !later;
            one.goes_on = part > 0;
            one.ends = part + 1 == parts;
            bool const is_last_inside = plan_.cut_inside >= 0 && walk.is_last(plan_.cut_inside);
            bool const is_last_lanes = plan_.cut_lanes >= 0 && walk.is_last(plan_.cut_lanes);
            GateBox const& shape = boxes_[is_last_inside][plan_.is_last_of_terms(part)];
            one.in = shape.in.side();
            one.out = shape.out.side();
            one.out.direct = in_place;
            one.groups = shape.inside * matrices();
            one.terms = shape.terms;
            one.lanes = is_last_lanes ? shape.lanes / plan_.lanes.front().length * plan_.last_lanes : shape.lanes;
            one.matrix = matrix + matrix_.begin(part);
            one.from = from + walk.large * static_cast<Extent>(element_);
            one.to = to + walk.output * static_cast<Extent>(element_);
            walk.advance();
            one.next = from + walk.large * static_cast<Extent>(element_);
            one.lines = shape.lines.data();
            one.lines_count = number + 1 < last * parts ? static_cast<GateIndex>(shape.lines.size()) : 0;
            loops_.run(one);
            if (one.ends) before = in_place || !later ? nullptr : &one;
            if ((number - first * parts + 1) % between == 0) team.pause();
        }
        loops_.finish(before);
    }

    /// The boxes, one after the other.
    struct Walk {
        GateLabels const& labels;
        std::vector<Extent> index;
        Extent large = 0, output = 0;

        Walk(GateLabels const& around, Extent number) : labels(around), index(around.size()) {
            for (std::size_t l = labels.size(); l-- > 0;) {
                index[l] = number % labels[l].length;
                number /= labels[l].length;
                large += index[l] * labels[l].large;
                output += index[l] * labels[l].output;
            }
        }
        bool is_last(int label) const {
            auto const l = static_cast<std::size_t>(label);
            return index[l] + 1 == labels[l].length;
        }
        void advance() {
            for (std::size_t l = labels.size(); l-- > 0;) {
                large += labels[l].large;
                output += labels[l].output;
                if (++index[l] < labels[l].length) return;
                large -= labels[l].length * labels[l].large;
                output -= labels[l].length * labels[l].output;
                index[l] = 0;
            }
        }
    };

    GateKinds kinds_;
    GatePlan plan_;
    GateLabels walked_;  // rows around boxes, and parts of the terms
    GateLoops loops_;
    std::size_t large_, small_, element_;
    double factor_;
    bool conjugates_large_, conjugates_small_, accumulate_, past_cache_, crowded_ = false;
    std::array<std::array<GateBox, 2>, 2> boxes_;  // of rows and terms: whole ones, and the last
    GateMatrix matrix_;
};

/// Whether terms are innermost in the large operand and whole vectors of columns in the output: tiles read rows where
/// they lie, if all terms do, or pack them in runs for many columns, and write columns where they belong.
/// @param parts  numbers of an element: of complex ones three quarters of a vector are enough  @param vector  lanes of
/// one
bool suits_tiles(GateKinds const& kinds, int parts, int vector) {
    auto const run_of = [&](GateLabels const& labels, Extent GateLabel::*step) {
        Extent run = 1;
        for (auto label = labels.rbegin(); label != labels.rend() && (*label).*step == run; ++label)
            run *= label->length;
        return run;
    };
    Extent const terms = run_of(kinds.terms, &GateLabel::large), columns = count_of(kinds.columns);
    return terms > 1 && (terms == count_of(kinds.terms) || columns > most_columns_of_runs) &&
           (parts == 2 ? 4 : 3) * run_of(kinds.columns, &GateLabel::output) >= 3 * vector;
}

/// Sizes of its boxes, in the first-level cache or in the second; nothing where tiles are better.
/// @param parts  numbers of an element  @param element  bytes of one
std::optional<GateSizes> sizes_of(GateKinds const& kinds, int parts, int vector, Extent element) {
    Extent const terms = count_of(kinds.terms), columns = count_of(kinds.columns), rows = count_of(kinds.rows);
    Extent const numbers = count_of(kinds.batch) * terms * columns * parts;
    if (kinds.terms.empty() || suits_tiles(kinds, parts, vector) || rows < least_rows) return std::nullopt;
    GateSizes small;
    small.run /= parts;
    small.long_run /= parts;
    small.elements /= parts;
    if (terms * columns <= most_in_matrix && numbers <= most_numbers_of_gate) return small;
    Extent const least_of_large = numbers > most_numbers_of_few ? least_boxes * most_gate_vectors * vector : least_rows;
    if (rows < least_of_large || numbers / parts * element > bytes_of_large_gate || columns > most_columns_of_large)
        return std::nullopt;
    Extent const line = static_cast<Extent>(machine::cache_line) / element;
    Extent const of_all = rows * count_of(kinds.batch) * (terms + columns);
    GateSizes large;
    large.in_second_level = true;
    large.least_lanes = most_gate_vectors * vector;
    large.most_lanes = 2 * large.least_lanes;
    large.run = large.grain = line;
    large.long_run = 6 * line;
    large.run_of_large = run_of_large / element;
    large.elements = std::clamp(of_all / least_boxes, small.elements, bytes_of_large_box / element);
    return large;
}

}  // namespace

std::unique_ptr<PreparedKernel const> make_gate_kernel(KernelShape const& shape, Nest const& nest,
                                                       KernelTypes const& types, scalar::Params const& params) {
    DType const type = types.compute;
    graph::EinSum const& einsum = shape.kernel->einsum;
    if (nest.keeps_order() || einsum.agg != scalar::Agg::sum || types.join != type || types.accumulate != type ||
        nest.output_dtype != type || nest.operand_dtypes.size() != 2)
        return nullptr;
    for (DType const operand : nest.operand_dtypes)
        if (operand != type) return nullptr;
    GateLoops const loops = best_loops(type);
    if (loops.run == nullptr) return nullptr;
    std::optional<ScaledProduct> const product = product_of_two(einsum.join, types, params, Conjugates::taken);
    if (!product) return nullptr;
    int const parts = is_complex(type) ? 2 : 1;
    auto const element = static_cast<Extent>(size_of(type));
    for (auto const& [large, small] :
         {std::pair{product->left, product->right}, std::pair{product->right, product->left}}) {
        std::optional<GateKinds> const kinds = kinds_of(nest, large, small, element);
        if (!kinds) continue;
        std::optional<GateSizes> const sizes = sizes_of(*kinds, parts, loops.lanes, element);
        if (!sizes) continue;
        auto const fitted = [&, large = large, small = small](Extent GateLabel::*lanes, Extent GateLabel::*other,
                                                              GateSizes fitting) {
            for (;; fitting.elements /= 2) {
                auto kernel = std::make_unique<GateKernel>(*kinds, plan_gate(*kinds, lanes, other, fitting), loops,
                                                           large, small, type, *product, nest);
                bool const least = !sizes->in_second_level || fitting.elements < sizes->elements / 4;
                if (least || kernel->stays_in_cache()) return kernel;
            }
        };
        auto const kernel_by = [&](Extent GateLabel::*lanes, Extent GateLabel::*other) {
            GateSizes fitting = *sizes;
            if (!sizes->in_second_level) return fitted(lanes, other, fitting);
            if (lanes == &GateLabel::large) {  // longer runs
                fitting.least_lanes *= 2;
                fitting.most_lanes *= 2;
            }
            fitting.terms = terms_in_place;
            auto in_place = fitted(lanes, other, fitting);
            if (stay_whole(count_of(kinds->terms), terms_of_large_box)) return in_place;
            if (!in_place->turns() && !in_place->in_parts()) return in_place;
            fitting.terms = terms_of_large_box;
            return fitted(lanes, other, fitting);
        };
        auto by_output = kernel_by(&GateLabel::output, &GateLabel::large);
        auto by_large = kernel_by(&GateLabel::large, &GateLabel::output);
        bool const large_is_cheaper = sizes->in_second_level
                                          ? by_large->cost() < by_output->cost()
                                          : by_large->cost_of_an_element() < by_output->cost_of_an_element();
        auto chosen = large_is_cheaper ? std::move(by_large) : std::move(by_output);
        if (sizes->in_second_level ? !chosen->is_better_than_tiles()
                                   : chosen->cost_of_an_element() > most_cost || chosen->in_parts_of_lines())
            continue;
        chosen->complete();
        return chosen;
    }
    return nullptr;
}

}  // namespace ein::executor
