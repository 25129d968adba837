#include "executor/device/cpu/moves/mark_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/kernel/nest.hpp"
#include "executor/device/kernel/position_labels.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/evaluate/integers.hpp"

namespace ein::executor {
namespace {

using scalar::Expr;
using scalar::Op;

using Element = std::array<std::byte, 16>;

struct Marks {
    std::size_t positions = 0;        // the operand
    int label = 0;                    // what it is compared with
    std::optional<std::size_t> data;  // the operand that is copied; none: `marked` is written
    Element marked{}, elsewhere{};
};

/// A number as the output has it.
Element as_stored(Expr const& number, KernelTypes const& types, DType output) {
    scalar::Node const& node = number.node();
    scalar::Scalar value =
        node.integral ? scalar::Scalar::of(node.integer) : scalar::Scalar::of(std::complex<double>(node.value));
    value = scalar::convert(value, node.integral ? DType::i64 : DType::f64, types.join);
    value = scalar::convert(scalar::convert(value, types.join, types.accumulate), types.accumulate, output);
    Element made{};
    store_element(value, made.data(), output);
    return made;
}

/// Below which integers are told apart by a type, and equal only themselves when they are brought to it.
std::int64_t distinct_in(DType type) {
    switch (type) {
        case DType::u8: return 256;
        case DType::i8: return 128;
        case DType::i16: return std::int64_t{1} << 15;
        case DType::i32: return std::int64_t{1} << 31;
        case DType::i64: return std::numeric_limits<std::int64_t>::max();
        case DType::bf16: return 256;
        case DType::f16: return 2048;
        case DType::f32:
        case DType::c64: return 1 << 24;
        case DType::f64:
        case DType::c128: return std::int64_t{1} << 53;
        case DType::boolean: break;
    }
    return 0;
}

bool is_number(Expr const& expr) { return expr.op() == Op::number; }
bool is_operand(Expr const& expr) { return expr.op() == Op::operand; }

/// @return nothing unless the condition is a label that equals an operand which lacks it
std::optional<Marks> equal_label(Expr const& condition, graph::EinSum const& einsum, KernelShape const& shape,
                                 DType compute) {
    if (condition.op() != Op::eq) return std::nullopt;
    bool const swapped = is_operand(condition.args()[1]);
    Expr const &operand = condition.args()[swapped ? 1 : 0], &index = condition.args()[swapped ? 0 : 1];
    if (!is_operand(operand) || index.op() != Op::index) return std::nullopt;
    Marks made{static_cast<std::size_t>(operand.node().slot), index.node().slot, {}, {}, {}};
    std::vector<int> const& located = einsum.inputs[made.positions];
    bool const lacks = std::find(located.begin(), located.end(), made.label) == located.end();
    DType const type = shape.operand_dtypes[made.positions];
    bool const holds = !is_exact(compute) || promote(type, compute) == compute;  // else its values wrap
    bool const distinct = einsum.extents[static_cast<std::size_t>(made.label)] <= distinct_in(compute);
    if (!is_integer(type) || !lacks || !holds || !distinct) return std::nullopt;
    return made;
}

std::optional<Marks> marks_of(graph::EinSum const& einsum, KernelShape const& shape, KernelTypes const& types) {
    Expr const& join = einsum.join;
    auto const stored = [&](Expr const& number) { return as_stored(number, types, shape.output_dtype); };
    if (join.op() == Op::eq) {
        std::optional<Marks> made = equal_label(join, einsum, shape, types.compute);
        if (made) made->marked = stored(Expr::integer(1)), made->elsewhere = stored(Expr::integer(0));
        return made;
    }
    if (join.op() != Op::where || !is_number(join.args()[2])) return std::nullopt;
    std::optional<Marks> made = equal_label(join.args()[0], einsum, shape, types.compute);
    if (!made) return std::nullopt;
    made->elsewhere = stored(join.args()[2]);
    Expr const& chosen = join.args()[1];
    if (is_number(chosen)) {
        made->marked = stored(chosen);
        return made;
    }
    if (!is_operand(chosen)) return std::nullopt;
    made->data = static_cast<std::size_t>(chosen.node().slot);
    bool const same = types.join == types.compute && types.accumulate == types.join &&
                      shape.operand_dtypes[*made->data] == shape.output_dtype &&
                      passes_through(shape.output_dtype, types.compute, shape.output_dtype);
    return same ? made : std::nullopt;
}

template <std::size_t Size>
void copy_marks(std::int64_t const* places, std::size_t count, std::int64_t length, std::byte const* from,
                Extent from_step, Extent from_place, std::byte* to, Extent to_step, Extent to_place) {
    for (std::size_t i = 0; i < count; ++i, from += from_step, to += to_step)
        if (static_cast<std::uint64_t>(places[i]) < static_cast<std::uint64_t>(length))
            std::memcpy(to + places[i] * to_place, from + places[i] * from_place, Size);
}

class MarkKernel final : public PreparedKernel {
public:
    MarkKernel(KernelShape const& shape, Marks const& marks)
        : marks_(marks), size_(size_of(shape.output_dtype)), type_(shape.operand_dtypes[marks_.positions]) {
        Nest nest = make_nest(shape);
        std::vector<int> const& output = shape.kernel->einsum.output;
        for (std::size_t l = 0; l < output.size(); ++l) {
            NestLabel const& label = nest.labels[l];
            Extent const data = marks_.data ? label.strides[*marks_.data] : 0;
            if (output[l] == marks_.label)
                along_ = {label.length, 0, data, label.output_stride};
            else
                batch_.push_back({label.length, label.strides[marks_.positions], data, label.output_stride});
        }
        by_rows_ = lies_in_rows();
        if (by_rows_) return;
        nest.operand_dtypes = {shape.output_dtype};
        nest.whole.clear();
        for (NestLabel& label : nest.labels) label.strides = {0}, label.index = -1;
        simplify(nest);
        fill_ = LoopKernel::make(std::move(nest), LoopBody::identity(shape.output_dtype));
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        void const* const elsewhere = marks_.elsewhere.data();
        if (!by_rows_) fill_->launch(std::span(&elsewhere, 1), call.output, {}, team);
        Extent const rows = count_of(batch_), row_bytes = along_.length * static_cast<Extent>(size_);
        std::int64_t const pieces = pieces_of(rows, by_rows_ ? row_bytes : static_cast<Extent>(size_));
        team.run(pieces, [&](std::int64_t piece) {
            Extent const end = part_begin(rows, pieces, piece + 1);
            for (Extent row = part_begin(rows, pieces, piece), n = 0; row < end; row += n) {
                n = std::min(end - row, std::clamp<Extent>(bytes_together / row_bytes, 1, run));
                if (by_rows_)
                    fill(static_cast<std::byte*>(call.output) + row * row_bytes,
                         static_cast<std::size_t>(n * along_.length));
                mark(call, row, n);
            }
        });
    }

private:
    static constexpr Extent run = 1024;                // rows
    static constexpr Extent bytes_together = 1 << 16;  // written, then marked

    /// Whether the output is one run, in which what belongs to an element of the operand is adjacent.
    bool lies_in_rows() const {
        Extent step = static_cast<Extent>(size_);
        auto const continues = [&](PositionLabel const& label) {
            bool const here = label.length == 1 || label.output == step;
            step *= label.length;
            return here;
        };
        return continues(along_) && std::all_of(batch_.rbegin(), batch_.rend(), continues);
    }

    void fill(std::byte* to, std::size_t count) const {
        std::byte const first = marks_.elsewhere[0];
        bool const alike = std::all_of(marks_.elsewhere.begin(), marks_.elsewhere.begin() + static_cast<int>(size_),
                                       [&](std::byte byte) { return byte == first; });
        if (alike)
            std::memset(to, static_cast<int>(first), count * size_);
        else
            repeat_element(to, marks_.elsewhere.data(), size_, count);
    }

    void mark(KernelCall const& call, Extent row, Extent count) const {
        auto const* const positions = static_cast<std::byte const*>(call.operands[marks_.positions]);
        auto const* const data =
            marks_.data ? static_cast<std::byte const*>(call.operands[*marks_.data]) : marks_.marked.data();
        auto* const output = static_cast<std::byte*>(call.output);
        PositionLabel const inner = batch_.empty() ? PositionLabel{1, 0, 0, 0} : batch_.back();
        auto const position_size = static_cast<Extent>(size_of(type_));
        std::int64_t const first = call.begin[static_cast<std::size_t>(marks_.label)];
        for (Extent n = 0; count > 0; row += n, count -= n) {
            n = std::min(count, inner.length - row % inner.length);
            PositionOffsets const at = offsets_of(batch_, row);
            std::int64_t places[run];
            tile_convert(type_, positions + at.positions, inner.positions / position_size, DType::i64, places,
                         static_cast<std::size_t>(n));
            for (Extent i = 0; i < n; ++i) places[i] = scalar::wrapping_sub(places[i], first);
            copy(places, static_cast<std::size_t>(n), data + at.data, inner.data, output + at.output, inner.output);
        }
    }

    void copy(std::int64_t const* places, std::size_t count, std::byte const* from, Extent from_step, std::byte* to,
              Extent to_step) const {
        auto const go = [&](auto const& loop) {
            loop(places, count, along_.length, from, from_step, along_.data, to, to_step, along_.output);
        };
        switch (size_) {
            case 1: return go(copy_marks<1>);
            case 2: return go(copy_marks<2>);
            case 4: return go(copy_marks<4>);
            case 8: return go(copy_marks<8>);
            default: return go(copy_marks<16>);
        }
    }

    Marks marks_;
    std::size_t size_;
    DType type_;
    PositionLabel along_{1, 0, 0, 0};
    std::vector<PositionLabel> batch_;
    bool by_rows_ = false;
    std::unique_ptr<LoopKernel const> fill_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_mark_kernel(KernelShape const& shape, KernelTypes const& types) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    if (shape.accumulate || shape.over >= 0 || !einsum.aggregated().empty()) return nullptr;
    std::optional<Marks> const marks = marks_of(einsum, shape, types);
    return marks ? std::make_unique<MarkKernel>(shape, *marks) : nullptr;
}

}  // namespace ein::executor
