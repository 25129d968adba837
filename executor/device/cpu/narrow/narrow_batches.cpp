#include "executor/device/cpu/narrow/narrow_batches.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "executor/device/cpu/gemm/gemm_kernel.hpp"
#include "executor/device/cpu/gemm/pair_lanes.hpp"
#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/narrow/narrow_blocks.hpp"
#include "executor/device/cpu/narrow/tuning.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/gemm_match.hpp"

namespace ein::executor {
namespace {

using Operands = std::array<std::size_t, 2>;  // of the kernel, left and right

/// A matrix's strides in f32, in bytes, its labels inside one another as they are now; and how many bytes it takes.
struct Packed {
    std::vector<Extent> strides;
    Extent bytes = sizeof(float);
};
template <class StrideOf>
Packed packed(Nest const& nest, StrideOf const& stride_of) {
    Packed out{std::vector<Extent>(nest.labels.size(), 0)};
    std::vector<std::size_t> order;
    for (std::size_t l = 0; l < nest.labels.size(); ++l)
        if (stride_of(nest.labels[l]) != 0) order.push_back(l);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return std::abs(stride_of(nest.labels[x])) < std::abs(stride_of(nest.labels[y]));
    });
    for (std::size_t const l : order) {
        out.strides[l] = out.bytes;
        out.bytes *= nest.labels[l].length;
    }
    return out;
}

Packed packed_operand(Nest const& nest, std::size_t operand) {
    return packed(nest, [&](NestLabel const& label) { return label.strides[operand]; });
}
Packed packed_result(Nest const& nest) {
    return packed(nest, [](NestLabel const& label) { return label.output_stride; });
}

/// A matrix on its way to f32, or from it.
struct Move {
    std::unique_ptr<LoopKernel const> loops;  // null: it is f32, and stays where it is
    std::size_t bytes = 0;                    // in f32, whole cache lines
};

Move move_of(Nest nest, Extent bytes) {
    simplify(nest);
    return {LoopKernel::make(std::move(nest), LoopBody::identity(DType::f32)), lines(static_cast<std::size_t>(bytes))};
}

/// Brings an operand to f32, where `inner` is to find it.
Move bring(Nest const& part, std::size_t operand, Nest& inner) {
    if (part.operand_dtypes[operand] == DType::f32) return {};
    Packed const to = packed_operand(part, operand);
    Nest nest{{}, {part.operand_dtypes[operand]}, DType::f32, false, 0};
    for (std::size_t l = 0; l < part.labels.size(); ++l) {
        inner.labels[l].strides[operand] = to.strides[l];
        if (to.strides[l] == 0) continue;
        nest.labels.push_back({part.labels[l].length, {part.labels[l].strides[operand]}, to.strides[l], false, -1});
    }
    inner.operand_dtypes[operand] = DType::f32;
    return move_of(std::move(nest), to.bytes);
}

/// Takes the products from where `inner` is to leave them.
Move take(Nest const& part, Nest& inner) {
    if (part.output_dtype == DType::f32) return {};
    Packed const from = packed_result(part);
    Nest nest{{}, {DType::f32}, part.output_dtype, part.accumulate, part.output_bytes};
    for (std::size_t l = 0; l < part.labels.size(); ++l) {
        inner.labels[l].output_stride = from.strides[l];
        if (from.strides[l] == 0) continue;
        nest.labels.push_back({part.labels[l].length, {from.strides[l]}, part.labels[l].output_stride, false, -1});
    }
    inner.output_dtype = DType::f32;
    inner.accumulate = false;
    inner.output_bytes = 0;
    return move_of(std::move(nest), from.bytes);
}

/// The products of a part of the batch.
class Part {
public:
    /// @param nest  of the part  @return nothing where they take no lanes
    static std::unique_ptr<Part const> make(KernelShape const& shape, Nest const& nest, KernelTypes const& types,
                                            scalar::Params const& params, Operands const& operands) {
        Nest inner = nest;
        std::array<Move, 3> moves{bring(nest, operands[0], inner), bring(nest, operands[1], inner), take(nest, inner)};
        simplify(inner);
        auto products = make_lanes_kernel(shape, inner, types, params);
        if (!products) return nullptr;
        return std::unique_ptr<Part const>(
            new Part(operands, nest.operand_dtypes.size(), std::move(moves), std::move(products)));
    }

    void run(std::array<std::byte const*, 2> const& from, std::byte* to, WorkerTeam& team) const {
        Scratch const memory(moves_[0].bytes + moves_[1].bytes + moves_[2].bytes);
        std::byte* place = memory.data();
        std::vector<void const*> operands(operand_count_, nullptr);
        for (std::size_t side = 0; side < 2; ++side) {
            void const*& operand = operands[operands_[side]] = from[side];
            if (!moves_[side].loops) continue;
            moves_[side].loops->launch(std::span(&operand, 1), place, {}, team);
            operand = std::exchange(place, place + moves_[side].bytes);
        }
        if (!moves_[2].loops) return products_->launch({operands, to, {}}, team);
        products_->launch({operands, place, {}}, team);
        void const* const products = place;
        moves_[2].loops->launch(std::span(&products, 1), to, {}, team);
    }

private:
    Part(Operands const& operands, std::size_t count, std::array<Move, 3> moves,
         std::unique_ptr<PreparedKernel const> products)
        : operands_(operands), operand_count_(count), moves_(std::move(moves)), products_(std::move(products)) {}

    Operands operands_;
    std::size_t operand_count_;
    std::array<Move, 3> moves_;  // of the operands, of the result
    std::unique_ptr<PreparedKernel const> products_;
};

bool in_batch(NestLabel const& label, Operands const& operands) {
    return label.output_stride != 0 && label.strides[operands[0]] != 0 && label.strides[operands[1]] != 0;
}

/// The longest label that all three have; none: there is no batch.
std::size_t batch_label(Nest const& nest, Operands const& operands) {
    std::size_t found = nest.labels.size();
    for (std::size_t l = 0; l < nest.labels.size(); ++l)
        if (in_batch(nest.labels[l], operands) &&
            (found == nest.labels.size() || nest.labels[l].length > nest.labels[found].length))
            found = l;
    return found;
}

/// Terms of all results of one product.
Extent terms_of_one(Nest const& nest, Operands const& operands) {
    Extent terms = 1;
    for (NestLabel const& label : nest.labels) terms *= in_batch(label, operands) ? 1 : label.length;
    return terms;
}

/// A batch in parts about as long, each of whole vectors but the last.
struct Parts {
    Extent batch = 0, lanes = 1, count = 1;

    Extent begin(Extent part) const {
        return std::min(batch, part_begin(parts_of_length(batch, lanes), count, part) * lanes);
    }
    Extent length(Extent part) const { return begin(part + 1) - begin(part); }
};

class NarrowBatches final : public PreparedKernel {
public:
    using OfLength = std::map<Extent, std::unique_ptr<Part const>>;

    NarrowBatches(Operands const& operands, NestLabel const& batch, Parts const& parts, OfLength of_length)
        : operands_(operands),
          steps_{batch.strides[operands[0]], batch.strides[operands[1]], batch.output_stride},
          parts_(parts),
          of_length_(std::move(of_length)) {}

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        auto const run = [&](std::int64_t number) {
            SoloWorkerTeam solo;
            Extent const first = parts_.begin(number);
            auto const operand = [&](std::size_t side) {
                return static_cast<std::byte const*>(call.operands[operands_[side]]) + first * steps_[side];
            };
            of_length_.at(parts_.length(number))
                ->run({operand(0), operand(1)}, static_cast<std::byte*>(call.output) + first * steps_[2], solo);
        };
        if (parts_.count > 1) return team.run(parts_.count, run);
        run(0);
    }

private:
    Operands operands_;
    std::array<Extent, 3> steps_;  // an iteration of the batch, in bytes
    Parts parts_;
    OfLength of_length_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_narrow_batches(KernelShape const& shape, Nest const& nest,
                                                          KernelTypes const& types, scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    bool const in_f32 = types.compute == DType::f32 && types.join == DType::f32 && types.accumulate == DType::f32;
    if (!in_f32 || einsum.agg != scalar::Agg::sum || nest.keeps_order()) return nullptr;
    auto const product = scaled_product(einsum.join, types, params);
    if (!product) return nullptr;
    Operands const operands{product->left, product->right};
    std::array const dtypes{nest.operand_dtypes[operands[0]], nest.operand_dtypes[operands[1]], nest.output_dtype};
    if (std::all_of(dtypes.begin(), dtypes.end(), [](DType dtype) { return dtype == DType::f32; })) return nullptr;
    std::size_t const batch = batch_label(nest, operands);
    if (batch == nest.labels.size() || terms_of_one(nest, operands) > narrow_tuning::terms_in_lanes) return nullptr;

    Nest part = nest;
    part.labels[batch].length = 1;
    Extent const bytes =
        packed_operand(part, operands[0]).bytes + packed_operand(part, operands[1]).bytes + packed_result(part).bytes;
    Extent const whole = nest.labels[batch].length, lanes = lanes_product(DType::f32).lanes,
                 fits = narrow_tuning::batch_bytes / bytes / lanes * lanes;
    if (fits < 2 * lanes) return nullptr;
    Parts const parts{whole, lanes, parts_of_length(whole, fits)};
    NarrowBatches::OfLength of_length;
    for (Extent number = 0; number < parts.count; ++number) {
        auto& one = of_length[parts.length(number)];
        if (one) continue;
        part.labels[batch].length = parts.length(number);
        one = Part::make(shape, part, types, params, operands);
        if (!one) return nullptr;
    }
    return std::make_unique<NarrowBatches>(operands, nest.labels[batch], parts, std::move(of_length));
}

}  // namespace ein::executor
