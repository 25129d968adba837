// One element of a kernel call, computed again by the reference arithmetic: operands as they lie in memory, in double
// precision, never rounded on the way. Shares no code with the kernels that it checks, but the meaning of joins
// (scalar::Evaluator). Leaves which elements to call_samples.hpp, and what is close enough to checked_element.hpp.
// Example: CallAgain(shape of "ij,jk->ik", {}).element(call, {2, 0}, {}, team) is row 2 of A times column 0 of B.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "executor/call_check/sparse_terms.hpp"
#include "executor/device/device.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/evaluate/noise.hpp"

namespace ein::executor {

/// Of an element: one index for each axis of the output, from where the call begins.
using ElementPlace = std::vector<Extent>;

/// |value|
double magnitude_of(scalar::Scalar const& value);

class CallAgain {
public:
    struct Element {
        scalar::Scalar value;  // of the type that the kernel accumulates in
        double magnitude = 0;  // the sum of its terms' absolute values; where nothing is summed, its own
        double terms = 1;
    };

    /// @param shape, params  must outlive this  @throws InputError for a param without a value
    CallAgain(KernelShape const& shape, scalar::Params const& params);

    KernelShape const& shape() const { return shape_; }
    KernelTypes const& types() const { return types_; }
    /// The element as it is, at a call's output: of a sparse output that does not list it, its fill.
    scalar::Scalar found(void const* output, ElementPlace const& place) const;

    /// @param held   what the element was before, of the output's type, where the call accumulates
    /// @param noise  rounding errors to add wherever a kernel rounds
    Element element(KernelCall const& call, ElementPlace const& place, std::optional<scalar::Scalar> const& held,
                    WorkerTeam& team, scalar::Noise* noise = nullptr) const;

private:
    using Bases = std::vector<std::byte const*>;
    using NoisySum = std::optional<scalar::NoisySum<std::complex<double>>>;  // of all terms, where noise is added

    Bases bases_at(KernelCall const& call, ElementPlace const& place) const;
    bool is_plain_sum_of_products() const;
    Element sum_of_products(Bases const& bases, WorkerTeam& team) const;
    Element terms_of_join(KernelCall const& call, ElementPlace const& place, Bases const& bases, WorkerTeam& team,
                          scalar::Noise* noise, NoisySum& sum) const;
    /// Calls visit(labels, operands in the compute type) for each term of an element.
    template <class Visit>
    void for_each_term(KernelCall const& call, ElementPlace const& place, Bases const& bases, Visit const& visit) const;
    void add_held(Element& to, scalar::Scalar const& held, scalar::Noise* noise, NoisySum& sum) const;
    std::ptrdiff_t bytes_to(std::size_t operand, std::vector<Extent> const& inner) const;

    KernelShape const& shape_;
    scalar::Params const& params_;
    graph::EinSum const& einsum_;
    KernelTypes types_;
    std::vector<std::vector<Extent>> strides_;  // of each operand, by label
    std::vector<int> inner_;                    // labels that are aggregated, the longest last
    Shape inner_lengths_;
    bool is_plain_;
    std::optional<SparseTerms> sparse_;  // of a call with sparse operands
};

}  // namespace ein::executor
