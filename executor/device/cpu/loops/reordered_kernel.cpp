#include "executor/device/cpu/loops/reordered_kernel.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "executor/device/cpu/loops/ordered_box.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

Extent bytes(DType type) { return static_cast<Extent>(size_of(type)); }

/// Which labels a box has: all inside of `rows`, some of `rows`, and some of `near`, along which an operand's elements
/// are so near that a cache line has several. All others are loops around boxes.
struct BoxLabels {
    std::size_t rows = none, near = none;
    Extent columns = 1;  // elements of a row
};

/// A label that is cut into blocks, the last one shorter.
struct Blocks {
    Extent length = 1, block = 1;

    static Blocks of(Extent length, Extent wanted) {
        Extent const count = (length + wanted - 1) / wanted;
        return {length, (length + count - 1) / count};
    }
    Extent count() const { return (length + block - 1) / block; }
    bool has_rest() const { return length % block != 0; }
    Extent length_of(Extent number) const { return std::min(block, length - number * block); }
};

class Planner {
public:
    Planner(Nest const& nest, LoopBody const& body) : nest_(nest), body_(body) {}

    std::optional<BoxLabels> plan() {
        if (!may_be_cut() || !choose_rows()) return std::nullopt;
        bool found = false;
        for (std::size_t k : body_.used) {
            if (lies_along(k)) continue;
            found = true;
            choose_near(k);
        }
        if (!found || rows_are_loops()) return std::nullopt;
        return labels_;
    }

    /// Whether a box of an operand is one run, or one element.
    bool lies_along(std::size_t operand) const {
        Extent const step = nest_.labels.back().strides[operand];
        if (step != 0 && step != bytes(nest_.operand_dtypes[operand])) return false;
        for (std::size_t l = labels_.rows; l + 1 < nest_.labels.size(); ++l)
            if (nest_.labels[l].strides[operand] != nest_.labels[l + 1].strides[operand] * nest_.labels[l + 1].length)
                return false;
        return true;
    }

private:
    bool may_be_cut() const {
        bool const plain = !nest_.labels.empty() && !nest_.aggregates() && body_.finds < 0 && !body_.best;
        return plain && nest_.elements() >= machine::least_reordered &&
               nest_.labels.back().length < machine::shortest_turned_tile &&
               std::ranges::all_of(nest_.labels, [](NestLabel const& label) { return label.index < 0; });
    }

    /// The output's labels from the innermost on that are one run in it.
    bool choose_rows() {
        Extent step = bytes(nest_.output_dtype);
        for (std::size_t l = nest_.labels.size(); l-- > 0;) {
            NestLabel const& label = nest_.labels[l];
            if (label.output_stride != step) return false;
            labels_.rows = l;
            if (labels_.columns * label.length > machine::reordered_box) return true;
            if (l == 0) return true;
            labels_.columns *= label.length;
            step *= label.length;
        }
        return false;
    }

    void choose_near(std::size_t operand) {
        if (labels_.near != none) return;
        Extent nearest = static_cast<Extent>(machine::cache_line);
        for (std::size_t l = 0; l < labels_.rows; ++l) {
            Extent const step = nest_.labels[l].strides[operand];
            if (step <= 0 || step >= nearest) continue;
            nearest = step;
            labels_.near = l;
        }
    }

    /// Loops take each row where it lies.
    bool rows_are_loops() const {
        NestLabel const& row = nest_.labels.back();
        if (row.length < machine::shortest_row_with_tail || body_.program == nullptr) return false;
        return std::ranges::all_of(body_.used, [&](std::size_t k) {
            return row.strides[k] == 0 || row.strides[k] == bytes(nest_.operand_dtypes[k]);
        });
    }

    Nest const& nest_;
    LoopBody const& body_;
    BoxLabels labels_;
};

class ReorderedKernel final : public PreparedKernel {
public:
    ReorderedKernel(Nest const& nest, LoopBody const& body, BoxLabels const& labels, Planner const& planner)
        : nest_(nest), labels_(labels) {
        if (labels.near != none) {
            Extent nearest = static_cast<Extent>(machine::cache_line);
            for (Extent step : label(labels.near).strides)
                if (step > 0) nearest = std::min(nearest, step);
            Extent const most = std::max<Extent>(8, 4 * machine::reordered_box / labels.columns);  // stays in the cache
            near_ = Blocks::of(label(labels.near).length, std::min(most, machine::turned_run / nearest));
        }
        Extent const rows = (machine::reordered_box - 1) / (labels.columns * near_.block) + 1;
        rows_ = Blocks::of(label(labels.rows).length, rows);
        for (std::size_t l = 0; l < nest.labels.size(); ++l)
            if (l != labels.near && l < labels.rows) others_.push_back(l);
        for (std::size_t l : others_) boxes_ *= label(l).length;
        boxes_ *= rows_.count() * near_.count();
        pieces_ = std::min<std::int64_t>({machine::most_pieces, boxes_, nest.elements() / machine::points_of_a_piece});
        for (std::size_t k : body.used)
            if (!planner.lies_along(k)) bring(k);
        DType const type = nest.output_dtype;
        is_direct_ = body.program == nullptr && !nest.accumulate && body.accumulate == body.compute &&
                     nest.operand_dtypes[0] == type && passes_through(type, body.compute, type) &&
                     labels.near == none && output_bytes() < machine::output_past_cache;
        if (is_direct_) return;
        LoopBody of_box = body;
        of_box.points = std::max(body.points, nest.elements());
        for (bool const last_rows : {false, true})
            for (bool const last_near : {false, true})
                if ((!last_rows || rows_.has_rest()) && (!last_near || near_.has_rest()))
                    loops_[which(last_rows, last_near)] = make_loops(of_box, last_rows, last_near);
    }

    bool is_complete() const { return is_direct_ || loops_[0] != nullptr; }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        if (pieces_ < 2) return run(call, 0, boxes_, team);
        team.run(pieces_, [&](std::int64_t piece) {
            run(call, part_begin(boxes_, pieces_, piece), part_begin(boxes_, pieces_, piece + 1), team);
        });
    }

private:
    struct Brought {
        std::size_t operand;
        OrderedBox box;
        std::size_t at;  // in working memory
    };

    static std::size_t which(bool last_rows, bool last_near) { return (last_rows ? 2 : 0) + (last_near ? 1 : 0); }
    NestLabel const& label(std::size_t l) const { return nest_.labels[l]; }
    Extent step(std::size_t l, std::size_t operand) const { return l == none ? 0 : label(l).strides[operand]; }
    /// Of all calls that write one output.
    Extent output_bytes() const {
        return std::max(nest_.output_bytes, nest_.output_elements() * bytes(nest_.output_dtype));
    }
    Extent box_elements() const { return near_.block * rows_.block * labels_.columns; }

    void bring(std::size_t k) {
        std::vector<OrderedBox::Label> labels{{near_.block, step(labels_.near, k)},
                                              {rows_.block, step(labels_.rows, k)}};
        for (std::size_t l = labels_.rows + 1; l < nest_.labels.size(); ++l)
            labels.push_back({label(l).length, step(l, k)});
        std::size_t const size = size_of(nest_.operand_dtypes[k]);
        brought_.push_back({k, OrderedBox(size, std::move(labels)), scratch_bytes_});
        scratch_bytes_ += lines(static_cast<std::size_t>(box_elements()) * size);
    }

    /// Loops over boxes; over the last, shorter ones.
    std::unique_ptr<LoopKernel const> make_loops(LoopBody const& body, bool last_rows, bool last_near) const {
        Extent const rows = rows_.length_of(last_rows ? rows_.count() - 1 : 0),
                     near = near_.length_of(last_near ? near_.count() - 1 : 0);
        Nest nest{{}, nest_.operand_dtypes, nest_.output_dtype, nest_.accumulate};
        nest.output_bytes = output_bytes();
        std::size_t const operands = nest_.operand_dtypes.size();
        NestLabel across{near, std::vector<Extent>(operands),
                         labels_.near == none ? 0 : label(labels_.near).output_stride};
        NestLabel along{rows * labels_.columns, std::vector<Extent>(operands), bytes(nest_.output_dtype)};
        for (std::size_t k : body.used) {
            across.strides[k] = step(labels_.near, k);
            along.strides[k] = nest_.labels.back().strides[k];
        }
        for (Brought const& each : brought_) {
            along.strides[each.operand] = bytes(nest_.operand_dtypes[each.operand]);
            across.strides[each.operand] = along.length * along.strides[each.operand];
        }
        nest.labels = {std::move(across), std::move(along)};
        simplify(nest);
        return LoopKernel::make(std::move(nest), body);
    }

    void run(KernelCall const& call, Extent first, Extent last, WorkerTeam& team) const {
        Scratch const scratch(scratch_bytes_);
        std::vector<void const*> operands(call.operands.size());
        std::vector<std::byte const*> from(call.operands.size()), held(call.operands.size(), nullptr);
        Extent held_rows = 0, held_near = 0;
        for (Extent box = first; box < last; ++box) {
            for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<std::byte const*>(call.operands[k]);
            auto* output = static_cast<std::byte*>(call.output);
            Extent rest = box;
            auto const go = [&](std::size_t l, Extent index) {
                for (std::size_t k = 0; k < from.size(); ++k) from[k] += index * label(l).strides[k];
                output += index * label(l).output_stride;
            };
            auto const take = [&rest](Extent count) {
                Extent const index = rest % count;
                rest /= count;
                return index;
            };
            Extent const near_number = take(near_.count()), row_number = take(rows_.count());
            if (labels_.near != none) go(labels_.near, near_number * near_.block);
            go(labels_.rows, row_number * rows_.block);
            for (auto l = others_.rbegin(); l != others_.rend(); ++l) go(*l, take(label(*l).length));
            Extent const near = near_.length_of(near_number), rows = rows_.length_of(row_number);
            if (is_direct_) {
                brought_[0].box.bring(from[0], 1, rows, output);
                continue;
            }
            bool const same_sides = near == held_near && rows == held_rows;
            std::copy(from.begin(), from.end(), operands.begin());
            for (Brought const& each : brought_) {
                std::byte* const to = scratch.data() + each.at;
                std::byte const* const source = from[each.operand];
                if (!same_sides || held[each.operand] != source) each.box.bring(source, near, rows, to);
                held[each.operand] = source;
                operands[each.operand] = to;
            }
            held_near = near;
            held_rows = rows;
            loops_[which(rows < rows_.block, near < near_.block)]->launch(operands, output, {}, team);
        }
        finish_past_cache();
    }

    Nest nest_;
    BoxLabels labels_;
    Blocks rows_, near_;
    std::vector<std::size_t> others_;  // outermost first
    Extent boxes_ = 1;
    std::int64_t pieces_ = 1;
    bool is_direct_ = false;  // nothing to compute, and the output stays in the cache: brought to where it belongs
    std::vector<Brought> brought_;
    std::size_t scratch_bytes_ = 0;
    std::array<std::unique_ptr<LoopKernel const>, 4> loops_;  // of whole boxes and of those at ends: which()
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_reordered_kernel(Nest const& nest, LoopBody const& body) {
    Planner planner(nest, body);
    std::optional<BoxLabels> const labels = planner.plan();
    if (!labels) return nullptr;
    auto made = std::make_unique<ReorderedKernel>(nest, body, *labels, planner);
    return made->is_complete() ? std::move(made) : nullptr;
}

}  // namespace ein::executor
