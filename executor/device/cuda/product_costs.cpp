#include "executor/device/cuda/product_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "executor/device/cuda/tuning.hpp"

namespace ein::executor::cuda {
namespace {

/// A nest as contract_source.hpp takes it: columns are what the output runs along.
class Product {
public:
    Product(Nest const& nest, std::size_t left, std::size_t right) : nest_(nest), operands_{left, right} {
        NestLabel const* const last = neighbour(C);
        if (last != nullptr && step(*last, A) != 0 && step(*last, B) == 0) std::swap(operands_[A], operands_[B]);
        for (NestLabel const& label : nest.labels) {
            auto const length = static_cast<double>(label.length);
            Role const role = role_of(label);
            (role == terms ? terms_ : role == rows ? rows_ : role == columns ? columns_ : batch_) *= length;
            for (std::size_t side : {A, B, C})
                if (step(label, side) != 0) bytes_[side] *= length;
        }
        for (std::size_t side : {A, B, C}) bytes_[side] *= static_cast<double>(size(side));
    }

    bool in_tiles() const {
        return std::min(rows_, columns_) >= static_cast<double>(tuning::least_product_edge) &&
               terms_ >= static_cast<double>(tuning::least_product_terms);
    }
    /// Terms of all outputs, with those beyond the edges of tiles.
    double tiled_terms() const {
        auto const whole = [](double length) { return std::ceil(length / tuning::tile_edge) * tuning::tile_edge; };
        return batch_ * whole(rows_) * whole(columns_) * terms_;
    }
    double all_terms() const { return batch_ * rows_ * columns_ * terms_; }
    /// Of what is read and written once, those by threads that are no neighbours in memory many times.
    double tiled_bytes() const {
        NestLabel const* const term = fastest(terms, bytes_[A] >= bytes_[B] ? A : B);
        NestLabel const* const column = fastest(columns, C);
        double total = 0;
        for (std::size_t side : {A, B, C}) {
            NestLabel const* const last = neighbour(side);
            bool const in_runs =
                last != nullptr && (last == term || last == column || (side == A && role_of(*last) == rows));
            total += bytes_[side] * (in_runs ? 1 : scattered(side));
        }
        return total;
    }
    /// The same without tiles: threads are neighbours along the larger operand.
    double bytes() const {
        std::size_t const larger = bytes_[A] >= bytes_[B] ? A : B;
        NestLabel const *last = neighbour(C), *along = fastest(larger == A ? rows : columns, larger);
        if (NestLabel const* const shared = fastest(batch, larger);
            shared != nullptr && (along == nullptr || step(*shared, larger) < step(*along, larger)))
            along = shared;
        return bytes_[A] + bytes_[B] + bytes_[C] * (last == along ? 1 : scattered(C));
    }

private:
    static constexpr std::size_t A = GemmPlan::a, B = GemmPlan::b, C = GemmPlan::c;
    enum Role { batch, rows, columns, terms };

    Extent step(NestLabel const& label, std::size_t side) const {
        return side == C ? label.output_stride : label.strides[operands_[side]];
    }
    std::size_t size(std::size_t side) const {
        return size_of(side == C ? nest_.output_dtype : nest_.operand_dtypes[operands_[side]]);
    }
    double scattered(std::size_t side) const { return size(side) <= 4 ? tuning::scattered : tuning::scattered_wide; }
    Role role_of(NestLabel const& label) const {
        if (label.aggregated) return terms;
        bool const left = step(label, A) != 0, right = step(label, B) != 0;
        return left == right ? batch : left ? rows : columns;
    }
    /// The label along which elements are neighbours in memory.
    NestLabel const* neighbour(std::size_t side) const {
        for (NestLabel const& label : nest_.labels)
            if (step(label, side) == static_cast<Extent>(size(side))) return &label;
        return nullptr;
    }
    /// Of a role, the label with the shortest step in a side's memory.
    NestLabel const* fastest(Role role, std::size_t side) const {
        NestLabel const* found = nullptr;
        for (NestLabel const& label : nest_.labels)
            if (role_of(label) == role && step(label, side) != 0 &&
                (found == nullptr || step(label, side) < step(*found, side)))
                found = &label;
        return found;
    }

    Nest const& nest_;
    std::array<std::size_t, 2> operands_;
    double batch_ = 1, rows_ = 1, columns_ = 1, terms_ = 1;
    std::array<double, 3> bytes_{1, 1, 1};
};

}  // namespace

double seconds_from_text(Nest const& nest, std::size_t left, std::size_t right, DType compute) {
    Product const product(nest, left, right);
    double const numbers = is_complex(compute) ? 4 : 1;
    if (!product.in_tiles())
        return tuning::seconds_of_a_launch + product.all_terms() * numbers / tuning::terms_a_second +
               product.bytes() / tuning::bytes_a_second;
    bool const single = compute == DType::f32 || compute == DType::c64;
    double const terms_a_second = single ? tuning::tiled_terms_a_second : tuning::tiled_double_terms_a_second;
    return tuning::seconds_of_a_launch + product.tiled_terms() * numbers / terms_a_second +
           product.tiled_bytes() / tuning::bytes_a_second;
}

GemmCosts product_costs(DType stored, double seconds_from_text, Products products) {
    bool const half = stored == DType::f16 || stored == DType::bf16;
    GemmCosts costs;
    costs.single_flops = half ? tuning::half_flops : tuning::single_flops;
    costs.double_flops = tuning::double_flops;
    costs.bytes_per_second = tuning::bytes_a_second;
    costs.seconds_of_a_call = tuning::seconds_of_a_launch;
    costs.seconds_of_a_product = tuning::seconds_of_a_product;
    costs.batched_vectors = tuning::batched_vectors;
    costs.seconds_of_a_packing = tuning::seconds_of_a_launch;
    costs.seconds_of_loops = products == Products::by_cublas ? 1e9 : seconds_from_text;
    costs.loop_elements_per_second = std::numeric_limits<double>::infinity();
    costs.batched = true;
    return costs;
}

}  // namespace ein::executor::cuda
