#include "executor/device/cpu/gemm/gate_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "executor/device/cpu/gemm/gate_plan.hpp"
#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr Extent most_numbers_of_gate = 1024, most_in_matrix = 256;
// of those whose boxes are in the second-level cache: measured, with more tiles are faster
constexpr Extent most_numbers_of_large = 16 << 10, most_terms_of_large = 256, most_columns_of_large = 96,
                 most_columns_turned = 64, most_complex_columns = 32;
constexpr double most_cost_of_a_side = 1;
constexpr Extent bytes_of_large_box = 768 << 10, least_boxes = 64;
constexpr std::size_t most_bytes_that_wait = 96 << 10;  // of results that leave beside the next box: two are there
constexpr Extent run_of_large = 1024;  // bytes of the large operand that are read one after the other, where they fit
constexpr Extent least_rows = 256;     // each of which meets the whole gate
constexpr double most_cost = 2.4;      // of an element that comes and goes: single ones are moved as fast by others
constexpr Extent fetched_from = 1 << 20;  // bytes of the large operand: less stays in the caches

GateLoops best_loops(DType type) { return EIN_OF_BEST_SET(gate_loops(type)); }

/// A box with how many lanes, and other rows, it has: whole ones, and the last of a label that is cut.
struct GateBox {
    GateMoves in, out;
    Extent lanes = 0, inside = 0;
    std::vector<GateIndex> lines;  // of the large operand, where each begins
};

class GateKernel final : public PreparedKernel {
public:
    GateKernel(GateKinds kinds, GatePlan plan, GateLoops loops, std::size_t large, std::size_t small, DType type,
               double factor, Nest const& nest)
        : kinds_(std::move(kinds)),
          plan_(std::move(plan)),
          loops_(loops),
          large_(large),
          small_(small),
          number_(size_of(type) / (is_complex(type) ? 2 : 1)),
          parts_(is_complex(type) ? 2 : 1),
          factor_(factor),
          accumulate_(nest.accumulate),
          past_cache_(!nest.accumulate &&
                      std::max(nest.output_bytes, nest.output_elements() * static_cast<Extent>(size_of(type))) >=
                          machine::product_past_cache) {
        whole_ = box_of(plan_.inside);
        if (plan_.cut_inside >= 0) {
            GateLabels last = plan_.inside;
            last.front().length = plan_.last_inside;
            last_ = box_of(last);
        }
    }

    /// What only the kernel that is taken needs.
    void complete() {
        find_matrices();
        find_lines();
        crowded_ = whole_.in.direct() && is_crowded();
    }

    bool in_parts_of_lines() const { return plan_.in_parts_of_lines; }
    double cost_of_an_element() const { return whole_.in.cost() + whole_.out.cost(); }
    /// Of all that comes and goes.
    double cost() const {
        return whole_.in.cost() * static_cast<double>(terms()) + whole_.out.cost() * static_cast<double>(columns());
    }
    /// Of boxes in the second-level cache.
    bool is_better_than_tiles() const {
        bool const turns = !whole_.in.direct() || !whole_.out.direct();
        return !(turns && columns() > most_columns_turned) && !in_parts_of_lines() &&
               std::max(whole_.in.cost(), whole_.out.cost()) <= most_cost_of_a_side;
    }
    /// Whether no set of the second-level cache gets so many lines of a box that they leave it before they are used.
    bool stays_in_cache() const {
        std::vector<Extent> of_set(machine::second_level_sets);
        GateIndex const line = numbers_of_a_line();
        for (GateIndex const at : whole_.in.lines(line))
            ++of_set[static_cast<std::size_t>(at / line) % machine::second_level_sets];
        return std::ranges::max(of_set) <= machine::lines_of_a_large_set;
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Extent const boxes = count_of(plan_.around);
        Extent const bytes =
            boxes * static_cast<Extent>((whole_.in.elements() + whole_.out.elements()) * number_) * whole_.lanes;
        std::int64_t const pieces =
            bytes < machine::bytes_of_a_vector_piece
                ? 1
                : std::min<std::int64_t>({boxes, 8 * team.width(), bytes / machine::bytes_of_a_vector_piece});
        Scratch const matrix(matrix_at_.size() * static_cast<std::size_t>(parts_) * number_);
        pack(static_cast<std::byte const*>(call.operands[small_]), matrix.data());
        if (pieces < 2) return run(call, matrix.data(), 0, boxes, team);
        team.run(pieces, [&](std::int64_t piece) {
            run(call, matrix.data(), part_begin(boxes, pieces, piece), part_begin(boxes, pieces, piece + 1), team);
        });
    }

private:
    Extent rows() const { return count_of(kinds_.rows); }
    Extent terms() const { return count_of(kinds_.terms); }
    Extent columns() const { return count_of(kinds_.columns); }
    Extent matrices() const { return count_of(kinds_.batch); }
    Extent lanes_in_box() const { return (whole_.lanes + loops_.lanes - 1) / loops_.lanes * loops_.lanes; }

    GateBox box_of(GateLabels const& inside) const {
        auto const with = [&](GateLabels const& last) {
            GateLabels all = inside;
            all.insert(all.end(), kinds_.batch.begin(), kinds_.batch.end());
            all.insert(all.end(), last.begin(), last.end());
            if (parts_ == 2) all.push_back({2, 1, 1, 1});
            return all;
        };
        GateBox box;
        box.in = {places_of(with(kinds_.terms), &GateLabel::large), places_of(plan_.lanes, &GateLabel::large),
                  loops_.lanes};
        box.out = {places_of(with(kinds_.columns), &GateLabel::output), places_of(plan_.lanes, &GateLabel::output),
                   loops_.lanes};
        box.lanes = count_of(plan_.lanes);
        box.inside = count_of(inside);
        return box;
    }

    /// Of what is fetched while the box before is computed.
    void find_lines() {
        if (rows() * static_cast<Extent>(whole_.in.elements() * number_) / whole_.inside < fetched_from) return;
        whole_.lines = whole_.in.lines(numbers_of_a_line());
        last_.lines = last_.in.lines(numbers_of_a_line());
    }

    /// Whether some lines of a group's vectors would share few sets of the first-level cache.
    bool is_crowded() const {
        std::vector<Extent> of_set(machine::first_level_sets);
        GateIndex const line = numbers_of_a_line(),
                        wide = std::min<GateIndex>(whole_.lanes, most_gate_vectors * loops_.lanes) / line;
        for (GateIndex const at : places_of(kinds_.terms, &GateLabel::large))
            for (GateIndex k = 0; k <= wide; ++k)
                ++of_set[static_cast<std::size_t>(at / line + k) % machine::first_level_sets];
        return std::ranges::max(of_set) > machine::lines_of_a_set;
    }
    GateIndex numbers_of_a_line() const { return static_cast<GateIndex>(machine::cache_line / number_); }

    /// Where the numbers of the small operand lie, in the order of GateCall::matrix.
    void find_matrices() {
        auto const batch_at = places_of(kinds_.batch, &GateLabel::small),
                   term_at = places_of(kinds_.terms, &GateLabel::small),
                   column_at = places_of(kinds_.columns, &GateLabel::small);
        Extent const blocks = gate_blocks(columns(), loops_.columns);
        for (GateIndex const matrix : batch_at)
            for (Extent block = 0; block < blocks; ++block)
                for (GateIndex const term : term_at)
                    for (Extent c = gate_block(columns(), blocks, block); c < gate_block(columns(), blocks, block + 1);
                         ++c)
                        matrix_at_.push_back(matrix + term + column_at[static_cast<std::size_t>(c)]);
    }
    void pack(std::byte const* from, std::byte* to) const {
        std::size_t const size = number_ * static_cast<std::size_t>(parts_);
        for (std::size_t k = 0; k < matrix_at_.size(); ++k)
            std::memcpy(to + k * size, from + matrix_at_[k] * static_cast<GateIndex>(number_), size);
    }

    void run(KernelCall const& call, std::byte const* matrix, Extent first, Extent last, WorkerTeam& team) const {
        auto const room = [&](GateMoves const& moves) {
            return moves.direct() ? 0 : lines(moves.elements() * static_cast<std::size_t>(lanes_in_box()) * number_);
        };
        std::size_t const near =
            crowded_ ? static_cast<std::size_t>(terms() * parts_ * most_gate_vectors * loops_.lanes) * number_ : 0;
        bool const later = room(whole_.out) <= most_bytes_that_wait;
        Scratch const in(std::max(room(whole_.in), near)), out((later ? 2 : 1) * room(whole_.out));
        GateCall calls[2];  // of this box and the one before
        GateCall& of_all = calls[0];
        of_all.lanes_in_box = lanes_in_box();
        of_all.matrices = matrices();
        of_all.terms = terms();
        of_all.columns = columns();
        of_all.matrix = matrix;
        of_all.scale = factor_;
        of_all.combine = accumulate_;
        of_all.past_cache = past_cache_;
        of_all.in_is_crowded = crowded_;
        of_all.fetch_at_once = terms() * columns() <= most_in_matrix;
        of_all.in_room = in.data();
        of_all.out_room = out.data();
        calls[1] = of_all;
        if (later) calls[1].out_room = out.data() + room(whole_.out);
        auto const* const from = static_cast<std::byte const*>(call.operands[large_]);
        auto* const to = static_cast<std::byte*>(call.output);
        Extent const between = std::max<Extent>(
            1, machine::bytes_between_pauses / static_cast<Extent>(whole_.in.elements() * number_) / whole_.lanes);
        Walk walk(plan_.around, first);
        GateCall const* before = nullptr;
        for (Extent box = first; box < last; ++box) {
            GateCall& one = calls[(box - first) % 2];
            one.before = before;
            one.leave_at_once = !later && !whole_.out.direct();
            bool const is_last_inside = plan_.cut_inside >= 0 && walk.is_last(plan_.cut_inside);
            bool const is_last_lanes = plan_.cut_lanes >= 0 && walk.is_last(plan_.cut_lanes);
            GateBox const& shape = is_last_inside ? last_ : whole_;
            one.in = shape.in.side();
            one.out = shape.out.side();
            one.groups = shape.inside * matrices();
            one.lanes = is_last_lanes ? shape.lanes / plan_.lanes.front().length * plan_.last_lanes : shape.lanes;
            one.from = from + walk.large * static_cast<Extent>(number_);
            one.to = to + walk.output * static_cast<Extent>(number_);
            walk.advance();
            one.next = from + walk.large * static_cast<Extent>(number_);
            one.lines = shape.lines.data();
            one.lines_count = box + 1 < last ? static_cast<GateIndex>(shape.lines.size()) : 0;
            loops_.run(one);
            before = one.out.direct || !later ? nullptr : &one;
            if ((box - first + 1) % between == 0) team.pause();
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
    GateLoops loops_;
    std::size_t large_, small_, number_;
    int parts_;
    double factor_;
    bool accumulate_, past_cache_, crowded_ = false;
    GateBox whole_, last_;
    std::vector<GateIndex> matrix_at_;  // see find_matrices
};

/// Whether terms are innermost in the large operand and whole vectors of columns in the output: tiles read rows where
/// they lie, and write columns where they belong. @param vector  lanes of one
bool suits_tiles(GateKinds const& kinds, int parts, int vector) {
    auto const holds = [&](GateLabels const& labels, Extent GateLabel::*step, Extent least) {
        Extent run = 1;
        for (auto label = labels.rbegin(); label != labels.rend() && (*label).*step == run * parts; ++label)
            run *= label->length;
        return run >= least;
    };
    return holds(kinds.terms, &GateLabel::large, 2) &&
           holds(kinds.columns, &GateLabel::output, vector / (parts * parts));
}

/// Sizes of its boxes, in the first-level cache or in the second; nothing where tiles are better.
std::optional<GateSizes> sizes_of(GateKinds const& kinds, int parts, int vector, Extent number) {
    Extent const terms = count_of(kinds.terms), columns = count_of(kinds.columns), rows = count_of(kinds.rows);
    Extent const numbers = count_of(kinds.batch) * terms * columns * parts;
    if (kinds.terms.empty() || suits_tiles(kinds, parts, vector) || rows < least_rows) return std::nullopt;
    if (terms * columns <= most_in_matrix && numbers <= most_numbers_of_gate) return GateSizes{};
    if (numbers > most_numbers_of_large || terms > most_terms_of_large || columns > most_columns_of_large ||
        (parts == 2 && columns > most_complex_columns))
        return std::nullopt;
    Extent const line = static_cast<Extent>(machine::cache_line) / number;
    Extent const of_all = rows * count_of(kinds.batch) * (terms + columns) * parts;
    GateSizes large;
    large.in_second_level = true;
    large.least_lanes = most_gate_vectors * vector;
    large.most_lanes = 2 * large.least_lanes;
    large.run = large.grain = line;
    large.long_run = 6 * line;
    large.run_of_large = run_of_large / number;
    large.numbers = std::clamp(of_all / least_boxes, large.numbers, bytes_of_large_box / number);
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
    std::optional<ScaledProduct> const product = scaled_product(einsum.join, types, params);
    if (!product) return nullptr;
    int const parts = is_complex(type) ? 2 : 1;
    Extent const number = static_cast<Extent>(size_of(type)) / parts;
    for (auto const& [large, small] :
         {std::pair{product->left, product->right}, std::pair{product->right, product->left}}) {
        std::optional<GateKinds> const kinds = kinds_of(nest, large, small, number);
        if (!kinds) continue;
        std::optional<GateSizes> const sizes = sizes_of(*kinds, parts, loops.lanes, number);
        if (!sizes) continue;
        auto const kernel_by = [&, large = large, small = small](Extent GateLabel::*lanes, Extent GateLabel::*other) {
            GateSizes fitting = *sizes;
            if (sizes->in_second_level && lanes == &GateLabel::large) {  // longer runs
                fitting.least_lanes *= 2;
                fitting.most_lanes *= 2;
            }
            for (;; fitting.numbers /= 2) {
                auto kernel = std::make_unique<GateKernel>(*kinds, plan_gate(*kinds, lanes, other, parts, fitting),
                                                           loops, large, small, type, product->factor, nest);
                bool const least = !sizes->in_second_level || fitting.numbers < sizes->numbers / 4;
                if (least || kernel->stays_in_cache()) return kernel;
            }
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
