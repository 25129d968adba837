#include "scheduler/simulate/task_costs.hpp"

#include <algorithm>
#include <cmath>

#include "lib/graph/join_step.hpp"
#include "lib/graph/labels.hpp"
#include "lib/schedule/fusion/members.hpp"
#include "lib/schedule/memory/take_over.hpp"
#include "scheduler/simulate/sparse_cost.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

using schedule::Section;
using schedule::Task;

namespace {

/// Tiles are computed whole: how many times the elements of the result they have. Of long sides it hardly counts. Tiles
/// of a vector read as much for each of its elements as those of several for all of theirs.
double whole_tiles(TileSides const& sides, std::span<Extent const> lengths) {
    double const along = graph::points_of(sides.right_is_innermost ? sides.right : sides.left, lengths);
    if (along >= tuning::long_side_of_a_product) return 1;
    double const vectors = std::ceil(along / sides.width);
    return vectors * sides.width / std::max(1.0, along) *
           (vectors == 1 && sides.width > 1 ? tuning::time_of_a_narrow_tile : 1);
}

/// Rows of an operand that end in a sum each, where vectors become one number.
double summed_rows(graph::EinSum const& einsum, std::span<Extent const> lengths) {
    for (auto const& labels : einsum.inputs)
        if (!labels.empty() && !graph::has_label(einsum.output, labels.back()))
            return graph::points_of(einsum.output, lengths);
    return 0;
}

/// What a product reads and writes.
struct ProductBytes {
    double left, right, result;
};

/// Bytes that tiles of a product move beyond those of a product with long sides, whose rate is measured: one operand is
/// packed, which is read and written, for all rows of the other, that one read for all columns, and the result written
/// after all terms. Where these are few, tiles wait for the bytes; where they are half as few, for all. The better
/// packing counts. Rows are packed too where their terms lie apart.
double moved_for_tiles(TileSides const& sides, std::span<Extent const> lengths, ProductBytes const& bytes) {
    auto const waited = [&](std::vector<int> const& served) {
        return std::clamp(2 - 2 * graph::points_of(served, lengths) / tuning::long_side_of_a_product, 0.0, 1.0);
    };
    double const for_left = waited(sides.right), for_right = waited(sides.left);
    double const rows = sides.right_is_innermost ? bytes.left * (1 - for_left) : bytes.right * (1 - for_right);
    return std::min(2 * bytes.left * for_left + bytes.right * for_right,
                    bytes.left * for_left + 2 * bytes.right * for_right) +
           bytes.result * waited(sides.terms) + (sides.rows_are_packed ? 2 * rows : 0);
}

}  // namespace

TaskCosts::TaskCosts(schedule::Header const& header, Cluster const& cluster) : header_(header), cluster_(cluster) {
    for (schedule::Kernel const& kernel : header.kernels)
        kernels_.add({kernel_cost(kernel.einsum, kernel.compute, cluster), &kernel.einsum,
                      static_cast<double>(size_of(kernel.compute))});
}

namespace {

bool is_converted(DType stored, DType compute) { return stored != compute && is_exact(stored); }

}  // namespace

/// Seconds for bytes of the blocks of one task, by where they are.
struct TaskCosts::Moving {
    Cluster const& cluster;
    Section const& section;
    Task const& task;
    BlockReuse const* reuse;  // none: all are in the cache that cores share

    Nearness of(BlockId block) const { return reuse == nullptr ? Nearness{} : reuse->of(block); }
    double seconds(double bytes, Nearness const& at, double in_memory) const {
        return bytes * (at.in_core / cluster.cached + (1 - at.in_core - at.in_memory) / cluster.bytes +
                        at.in_memory * in_memory / cluster.memory_rate);
    }
    double read(BlockId block, double bytes) const { return seconds(bytes, of(block), 1); }
    /// In memory, lines of a result are read before they are written, unless it goes past the caches.
    double written(BlockId result, double bytes) const {
        if (section.bytes_of(result) >= tuning::written_past_caches) return bytes / cluster.bytes;
        auto const over = section.taken_over(task);
        return seconds(bytes, of(over ? *over : result), 2);
    }
    /// Of elements that only move.
    double copied(BlockId from, BlockId to, double bytes) const {
        if (cluster.shared_cache <= 0) return bytes / cluster.copied;
        return bytes / cluster.copied * (read(from, 1) + written(to, 1)) * cluster.bytes / 2;
    }
};

/// Beside reading and computing: sums of rows are put together, and rows that are scattered are begun.
double TaskCosts::of_rows(Kernel const& kernel, std::span<Extent const> lengths) const {
    if (kernel.lookup || kernel.makes_tiles()) return 0;
    if (kernel.scattered >= 0) {
        double rows = graph::points_of(kernel.einsum->inputs[0], lengths);  // of the operand that says where
        for (auto const& labels : kernel.einsum->inputs) rows = std::min(rows, graph::points_of(labels, lengths));
        return rows * kernel.a_row;
    }
    return summed_rows(*kernel.einsum, lengths) * kernel.a_row;
}

double TaskCosts::of_kernel(Moving const& moving, schedule::Apply const& call) const {
    Section const& section = moving.section;
    Kernel const& kernel = kernels_[call.kernel];
    bool const moves = kernel.lookup || kernel.scattered >= 0;
    if (!moves && is_on_listed(section, call))
        return sparse_seconds(section, call, header_.kernels[call.kernel], kernel.operations, cluster_);
    std::span<Extent const> const lengths = call.region.length;
    auto const elements = [&](std::vector<int> const& labels) { return graph::points_of(labels, lengths); };
    auto const size = [&](BlockId block) { return static_cast<double>(size_of(section.blocks[block].dtype)); };
    auto const of_listed = [&](std::size_t operand) {  // of a sparse block what lies in the call's region
        schedule::Block const& block = section.blocks[call.operands[operand]];
        double const looked_at = section.listed_in(kernel.einsum->inputs[operand], call, operand);
        return static_cast<double>(section.bytes_of(block)) * looked_at /
               std::max(1.0, static_cast<double>(section.elements_of(block)));
    };
    double const share = schedule::written_share(header_, section, moving.task);  // of what an update takes over
    double points = section.listed_share(header_.kernels[call.kernel], call) * share;
    for (Extent length : lengths) points *= static_cast<double>(length);
    schedule::Block const& result = section.blocks[call.result];  // of a sparse one what it may list
    double const written =
        (result.is_listed() ? static_cast<double>(section.elements_of(result)) : elements(kernel.einsum->output)) *
        share;
    double const to_result = written * size(call.result) * (call.accumulates ? 2 : 1);
    auto const read = [&](std::size_t operand) {
        if (section.blocks[call.operands[operand]].is_listed()) return of_listed(operand);
        bool const as_written = kernel.lookup || moving.task.over() == operand;
        return (as_written ? written : elements(kernel.einsum->inputs[operand])) * size(call.operands[operand]);
    };
    if (kernel.scattered >= 0)
        points /= static_cast<double>(std::max<Extent>(1, lengths[static_cast<std::size_t>(kernel.scattered)]));
    double const operations = (kernel.lookup ? written : points) * kernel.operations + (call.accumulates ? written : 0);
    double computing = operations / kernel.rate, converted = 0;
    double bytes_seconds =
        call.accumulates ? moving.read(call.result, to_result) : moving.written(call.result, to_result);
    for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
        bytes_seconds += moving.read(call.operands[operand], read(operand));
        DType const stored = section.blocks[call.operands[operand]].dtype;
        if (!moves && is_converted(stored, header_.kernels[call.kernel].compute))
            converted += read(operand) / size(call.operands[operand]);
    }
    computing += converted * tuning::operations_of_a_conversion / cluster_.operations;
    if (kernel.makes_tiles()) {
        computing *= whole_tiles(kernel.tiles, lengths);
        computing += moved_for_tiles(kernel.tiles, lengths, {read(0), read(1), to_result}) / cluster_.bytes;
    }
    return std::max(computing, bytes_seconds) + of_rows(kernel, lengths);
}

namespace {

/// The longest that a member of a fused task does at a time, and how many of these make the whole.
struct Piece {
    std::vector<Extent> lengths;  // of its labels
    double count = 1;
};

Piece piece_of(schedule::FusionSpec const& spec, std::size_t member, BoxView region) {
    Piece piece{{region.length.begin(), region.length.end()}};
    for (schedule::FusionSpec::Axis const& axis : spec.axes) {
        if (axis.labels[member] < 0) continue;  // it is made once, or when all pieces are done
        Extent& length = piece.lengths[static_cast<std::size_t>(axis.labels[member])];
        Extent const whole = length;
        if (whole == 0) continue;
        length = (whole + axis.parts - 1) / std::max<std::int64_t>(1, axis.parts);
        piece.count *= static_cast<double>(whole) / static_cast<double>(length);
    }
    return piece;
}

}  // namespace

/// What is inside is in the cache. A member waits for what comes from memory or goes there while it computes, as it
/// does alone: the first one that reads an operand for that, the last for the result.
double TaskCosts::of_fused(Moving const& moving, schedule::Fused const& task) const {
    Section const& section = moving.section;
    auto const size = [&](BlockId block) { return static_cast<double>(section.bytes_of(block)); };
    schedule::FusionSpec const& spec = header_.fusions[task.fusion];
    std::vector<bool> is_read(task.operands.size());
    double seconds = 0;
    std::size_t number = 0;
    schedule::for_each_member(header_, task, [&](schedule::FusionSpec::Member const& member, BoxView region) {
        Piece const piece = piece_of(spec, number++, region);
        double outside = number == spec.members.size() ? moving.written(task.result, size(task.result)) : 0;
        for (schedule::FusionSpec::Operand const& from : member.operands) {
            if (from.is_inside || is_read[at(from.place)]) continue;
            is_read[at(from.place)] = true;
            BlockId const operand = task.operands[at(from.place)];
            outside += moving.read(operand, size(operand));
        }
        seconds += std::max(outside, piece.count * of_piece(section, task, member, piece.lengths));
    });
    return seconds;
}

/// Of a member and one piece, whose blocks are all in the cache.
double TaskCosts::of_piece(Section const& section, schedule::Fused const& task,
                           schedule::FusionSpec::Member const& member, std::span<Extent const> lengths) const {
    Kernel const& kernel = kernels_[member.kernel];
    double const written = graph::points_of(kernel.einsum->output, lengths);
    double points = 1;
    for (Extent length : lengths) points *= static_cast<double>(length);
    if (kernel.lookup) points = written;
    if (kernel.scattered >= 0) points /= static_cast<double>(std::max<Extent>(1, lengths[at(kernel.scattered)]));
    auto const& inputs = kernel.einsum->inputs;
    auto const read = [&](std::vector<int> const& labels) {
        return (kernel.lookup ? written : graph::points_of(labels, lengths)) * kernel.element;
    };
    double const made = written * kernel.element;
    double seconds = points * kernel.operations / kernel.rate, moved = made;
    for (auto const& labels : inputs) moved += read(labels);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        schedule::FusionSpec::Operand const& from = member.operands[k];
        DType const stored = from.is_inside ? header_.fusions[task.fusion].members[at(from.place)].dtype
                                            : section.blocks[task.operands[at(from.place)]].dtype;
        if (!kernel.lookup && kernel.scattered < 0 && is_converted(stored, header_.kernels[member.kernel].compute))
            seconds += read(inputs[k]) / kernel.element * tuning::operations_of_a_conversion / cluster_.operations;
    }
    if (kernel.makes_tiles()) {
        seconds *= whole_tiles(kernel.tiles, lengths);
        seconds += moved_for_tiles(kernel.tiles, lengths, {read(inputs[0]), read(inputs[1]), made}) / cluster_.cached;
    }
    return std::max(seconds, moved / cluster_.cached) + of_rows(kernel, lengths);
}

/// Seconds of each kind of task on a worker; transfers and disks take their own time.
struct TaskCosts::OfKind {
    TaskCosts const& costs;
    Moving const& moving;
    Section const& section;
    Task const& task;

    double operator()(schedule::Apply const& call) const { return costs.of_kernel(moving, call); }
    double operator()(schedule::Reduce const& call) const { return costs.of_kernel(moving, call_of(call)); }
    double operator()(schedule::Fused const& fused) const { return costs.of_fused(moving, fused); }
    double operator()(schedule::Fill const& fill) const { return moving.written(fill.result, bytes(fill.result)); }
    double operator()(schedule::Pack const& pack) const { return copied(bytes(pack.result)); }
    double operator()(schedule::Unpack const& unpack) const { return copied(bytes(unpack.from)); }
    double operator()(schedule::Reshape const& reshape) const {
        return task.over() ? 0 : copied(std::min(bytes(reshape.from), bytes(reshape.result)));
    }
    double operator()(schedule::Copy const& copy) const {
        if (task.over()) return 0;
        double moved = static_cast<double>(size_of(section.blocks[copy.result].dtype));
        for (Extent length : copy.region.length) moved *= static_cast<double>(length);
        return copied(moved);
    }
    double operator()(schedule::Load const&) const { return 0; }
    double operator()(schedule::Store const&) const { return 0; }
    double operator()(schedule::Send const&) const { return 0; }
    double operator()(schedule::Receive const&) const { return 0; }
    double operator()(schedule::Spill const&) const { return 0; }
    double operator()(schedule::Fetch const&) const { return 0; }
    double operator()(schedule::Iterate const&) const { return 0; }
    double operator()(schedule::Assemble const& made) const { return copied(bytes(made.result)) + turned(made); }
    double operator()(schedule::Relocate const& made) const { return copied(bytes(made.result)); }
    double operator()(schedule::Refold const& made) const { return copied(bytes(made.result)); }

    double bytes(BlockId block) const { return static_cast<double>(section.bytes_of(block)); }
    double copied(double bytes) const { return moving.copied(section.reads(task)[0], *task.result(), bytes); }
    /// Of parts whose elements lie in another order, by one thread.
    double turned(schedule::Assemble const& made) const {
        auto const order = [&](BlockId block) { return section.sparse(section.blocks[block]).layout().axes; };
        double elements = 0;
        for (BlockId part : made.parts)
            if (order(part) != order(made.result))
                elements += static_cast<double>(section.elements_of(section.blocks[part]));
        double const each = bytes(made.result) > tuning::bytes_of_a_cache ? tuning::elements_of_a_large_turn
                                                                          : tuning::elements_of_a_turn;
        return elements * each * costs.cluster_.threads / costs.cluster_.listed;
    }
};

double TaskCosts::seconds(Section const& section, Task const& task, BlockReuse const* reuse) const {
    Moving const moving{cluster_, section, task, reuse};
    return section.visit(task, OfKind{*this, moving, section, task});
}

double TaskCosts::disk_seconds(Section const& section, Task const& task) const {
    if (task.traits().runs_on != schedule::Site::disk) return 0;
    BlockId const block = task.result() ? *task.result() : section.reads(task)[0];
    return static_cast<double>(section.bytes_of(block)) / cluster_.disk;
}

}  // namespace ein::scheduler
