#include "executor/device/cpu/moves/update_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "executor/device/kernel/kernel_types.hpp"
#include "lib/graph/update.hpp"
#include "lib/scalar/regions/ranges.hpp"

namespace ein::executor {
namespace {

/// Lengths of the label for which there are kernels, each so many times the one before.
constexpr Extent longer_kernel = 16;

template <class T>
scalar::Range range_of_run(std::byte const* from, Extent count, Extent stride) {
    T least = std::numeric_limits<T>::max(), most = std::numeric_limits<T>::lowest();
    bool nan = false;
    for (Extent i = 0; i < count; ++i) {
        T element;
        std::memcpy(&element, from + i * stride, sizeof element);
        if constexpr (std::is_floating_point_v<T>) nan = nan || std::isnan(element);
        least = element < least ? element : least;
        most = element > most ? element : most;
    }
    constexpr double whole = 0x1p53;  // up to which f64 holds integers
    auto const low = static_cast<double>(least), high = static_cast<double>(most);
    if (std::abs(low) > whole || std::abs(high) > whole) return scalar::Range::any();
    return least > most ? scalar::Range::any() : scalar::Range{low, high, nan};
}

scalar::Range range_of_run(DType type, std::byte const* from, Extent count, Extent stride) {
    switch (type) {
        case DType::f32: return range_of_run<float>(from, count, stride);
        case DType::f64: return range_of_run<double>(from, count, stride);
        case DType::i8: return range_of_run<std::int8_t>(from, count, stride);
        case DType::i16: return range_of_run<std::int16_t>(from, count, stride);
        case DType::i32: return range_of_run<std::int32_t>(from, count, stride);
        case DType::i64: return range_of_run<std::int64_t>(from, count, stride);
        case DType::boolean:
        case DType::u8: return range_of_run<std::uint8_t>(from, count, stride);
        case DType::f16:
        case DType::bf16:
        case DType::c64:
        case DType::c128: break;
    }
    return scalar::Range::any();
}

/// Whether elements of a type that go through another come out as they were.
bool passes(DType type, DType compute) {
    if (type == compute) return true;
    return is_exact(type) == is_exact(compute) && promote(type, compute) == compute;
}

class UpdateKernel final : public PreparedKernel {
public:
    UpdateKernel(KernelShape const& shape, scalar::Params const& params, graph::Update update,
                 PrepareKernel const& prepare)
        : shape_(shape), ranges_(shape.kernel->einsum.join, params), update_(std::move(update)) {
        whole_ = prepare(shape_);
        graph::EinSum const& einsum = shape_.kernel->einsum;
        for (std::size_t k = 0; k < einsum.operands(); ++k)
            operand_steps_.push_back(steps(einsum.inputs[k], shape_.operand_strides[k], shape_.operand_dtypes[k]));
        output_steps_ = steps(einsum.output, shape_.output_strides, shape_.output_dtype);
        for (int label : update_.labels) {
            auto& kernels = kernels_.emplace_back();
            KernelShape part = shape_;
            for (Extent length = 1; 2 * length <= shape_.lengths[at(label)]; length *= longer_kernel) {
                part.lengths[at(label)] = length;
                kernels.push_back(prepare(part));
            }
        }
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        std::vector<scalar::IndexRange> box;
        for (std::size_t l = 0; l < shape_.lengths.size(); ++l)
            box.push_back({call.begin[l], call.begin[l] + shape_.lengths[l]});
        std::vector<scalar::Range> ranges(call.operands.size());
        auto const stays = [&](std::vector<scalar::IndexRange> const& part) {
            for (int k : update_.asked) ranges[at(k)] = range_on(call, at(k), part);
            return ranges_.is_operand(shape_.over, part, ranges);
        };
        if (stays(box)) return;
        std::size_t best = 0;
        scalar::IndexRange found;
        double share = 1;
        for (std::size_t n = 0; n < update_.labels.size(); ++n) {
            auto const label = at(update_.labels[n]);
            scalar::IndexRange const live = scalar::least_range(box, label, stays);
            double const left = static_cast<double>(live.length()) / static_cast<double>(shape_.lengths[label]);
            if (left < share) best = n, found = live, share = left;
        }
        if (share > 0.5) return whole_->launch(call, team);
        run(call, best, found, team);
    }

private:
    static std::size_t at(int number) { return static_cast<std::size_t>(number); }

    /// What the elements of an operand are that a box reads.
    scalar::Range range_on(KernelCall const& call, std::size_t k, std::vector<scalar::IndexRange> const& box) const {
        std::vector<int> const& axes = shape_.kernel->einsum.inputs[k];
        DType const type = shape_.operand_dtypes[k];
        auto const size = static_cast<Extent>(size_of(type));
        auto const* from = static_cast<std::byte const*>(call.operands[k]);
        Shape lengths;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            scalar::IndexRange const& range = box[at(axes[a])];
            from += (range.begin - call.begin[at(axes[a])]) * shape_.operand_strides[k][a] * size;
            lengths.push_back(range.length());
        }
        Extent const count = lengths.empty() ? 1 : lengths.back();
        Extent const stride = lengths.empty() ? size : shape_.operand_strides[k].back() * size;
        if (!lengths.empty()) lengths.pop_back();
        std::optional<scalar::Range> out;
        for_each_index(lengths, [&](std::vector<Extent> const& index) {
            std::byte const* run = from;
            for (std::size_t a = 0; a < index.size(); ++a) run += index[a] * shape_.operand_strides[k][a] * size;
            scalar::Range const more = range_of_run(type, run, count, stride);
            out = out ? scalar::Range{std::min(out->least, more.least), std::max(out->most, more.most),
                                      out->nan || more.nan}
                      : more;
        });
        return out.value_or(scalar::Range::any());
    }

    /// @param n  place of the label in update_.labels
    void run(KernelCall call, std::size_t n, scalar::IndexRange found, WorkerTeam& team) const {
        auto const label = at(update_.labels[n]);
        std::vector<void const*> operands(call.operands.begin(), call.operands.end());
        std::vector<Extent> begin(call.begin.begin(), call.begin.end());
        auto const move = [&](Extent by) {
            begin[label] += by;
            for (std::size_t k = 0; k < operands.size(); ++k)
                operands[k] = static_cast<std::byte const*>(operands[k]) + by * operand_steps_[k][label];
            call.output = static_cast<std::byte*>(call.output) + by * output_steps_[label];
        };
        call.operands = operands;
        call.begin = begin;
        move(found.begin - begin[label]);
        std::vector<std::unique_ptr<PreparedKernel const>> const& kernels = kernels_[n];
        while (begin[label] < found.end) {
            Extent length = 1;
            std::size_t longest = 0;
            while (longest + 1 < kernels.size() && length * longer_kernel <= found.end - begin[label])
                length *= longer_kernel, ++longest;
            kernels[longest]->launch(call, team);
            move(length);
        }
    }

    /// Bytes from an index of a label to the next, by label.
    std::vector<Extent> steps(std::vector<int> const& axes, std::vector<Extent> const& strides, DType type) const {
        std::vector<Extent> out = label_strides(axes, strides, shape_.lengths.size());
        for (Extent& step : out) step *= static_cast<Extent>(size_of(type));
        return out;
    }

    KernelShape shape_;
    scalar::ExprRanges ranges_;
    graph::Update update_;
    std::unique_ptr<PreparedKernel const> whole_;
    std::vector<std::vector<Extent>> operand_steps_;
    std::vector<Extent> output_steps_;
    std::vector<std::vector<std::unique_ptr<PreparedKernel const>>> kernels_;  // by label: of ever longer parts
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_update_kernel(KernelShape const& shape, scalar::Params const& params,
                                                         PrepareKernel const& prepare) {
    if (shape.over < 0 || !passes(shape.output_dtype, shape.kernel->compute)) return nullptr;
    auto update = graph::as_update(shape.kernel->einsum, static_cast<std::size_t>(shape.over), shape.lengths,
                                   shape.kernel->compute);
    constexpr Extent exact = 1 << 24;  // indices that f32 holds
    bool const holds = update && std::all_of(update->labels.begin(), update->labels.end(), [&](int label) {
                           return shape.kernel->einsum.extents[static_cast<std::size_t>(label)] <= exact;
                       });
    return holds ? std::make_unique<UpdateKernel>(shape, params, std::move(*update), prepare) : nullptr;
}

}  // namespace ein::executor
