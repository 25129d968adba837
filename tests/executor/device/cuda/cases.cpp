#include "tests/executor/device/cuda/cases.hpp"

#include <algorithm>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/scalar/expression/type.hpp"
#include "tests/executor/device/random_kernel.hpp"

namespace ein::executor::cuda {
namespace {

template <class List>
auto const& one_of(List const& list, std::mt19937& random) {
    return list[below(random, list.size())];
}

std::string some_labels(std::mt19937& random, std::string all) {
    std::shuffle(all.begin(), all.end(), random);
    return all.substr(0, below(random, all.size() + 1));
}

/// "ab,b->a": each operand and the output take some of the labels, in any order; sometimes a diagonal.
std::string random_subscripts(std::mt19937& random, std::size_t operands, std::string const& all) {
    std::string text = operands == 0 ? "!" : "";
    for (std::size_t k = 0; k < operands; ++k) {
        std::string part = some_labels(random, all);
        if (!part.empty() && random() % 8 == 0) part += part.front();
        text += (k == 0 ? "" : ",") + part;
    }
    return text + "->" + some_labels(random, all);
}

std::string labels_in(std::string const& subscripts) {
    std::string labels;
    for (char c : subscripts)
        if (c >= 'a' && c <= 'z' && labels.find(c) == std::string::npos) labels += c;
    return labels;
}

std::string random_join(std::mt19937& random, std::size_t operands, std::string const& labels) {
    static std::vector<std::string> const none{"1", "eta", "2.5"},
        one{"x", "x*x", "abs(x)", "exp(x)", "2*x+1", "x > 0", "eta*x", "cast_f64(x)", "cast_i8(x)", "x^3"},
        two{"x*y", "x*y", "x*y/eta", "-y*x", "abs(x-y)", "max(x,y)", "min(x,y)", "exp(x-y)", "x+y", "x == y", "y"},
        three{"x*y*z", "x+y*z", "max(x,min(y,z))", "x*y-z"};
    static std::vector<std::string> const joins[] = {none, one, two, three};
    std::string const join = one_of(joins[operands], random);
    if (labels.empty() || random() % 4 != 0) return join;
    return random_indexed(random, join, labels);
}

/// Whether an error in the last bit could change the output by much, or the reference does something of its own.
bool is_fragile(KernelCase& test, std::string const& join, bool long_labels) {
    KernelTypes const types = types_of(test.shape());
    scalar::Agg const agg = test.kernel().einsum.agg;
    DType const output = test.shape().output_dtype;
    bool const rounding = kind(types.accumulate) >= Kind::real && kind(output) < Kind::real;
    bool const ordered = agg == scalar::Agg::min || agg == scalar::Agg::max || agg == scalar::Agg::logsumexp;
    if (ordered && is_complex(types.accumulate)) return true;  // which graphs refuse
    if (rounding && (join.find_first_of("/e+*^.") != std::string::npos || agg >= scalar::Agg::prod)) return true;
    bool const products = agg == scalar::Agg::prod && (long_labels || kind(output) < kind(types.accumulate));
    return products && kind(types.accumulate) >= Kind::real;
}

}  // namespace

KernelCase& Cases::add(std::string const& subscripts, Shape const& extents, std::string const& join, scalar::Agg agg,
                       std::vector<DType> operands, DType output, bool scattered, bool accumulate,
                       std::optional<DType> compute) {
    auto kernel = std::make_unique<KernelCase>(einsum(subscripts, extents, join, agg), operands, output,
                                               compute.value_or(compute_dtype(operands, output)));
    kernel->shape().accumulate = accumulate;
    if (scattered) kernel->scatter_layout(random_);
    kernel->fill(random_);
    return keep(subscripts, join, std::move(kernel), scattered);
}

KernelCase& Cases::keep(std::string const& subscripts, std::string const& join, std::unique_ptr<KernelCase> kernel,
                        bool scattered) {
    KernelShape const& shape = kernel->shape();
    std::string text =
        subscripts + " " + to_string(shape.lengths) + " " + join + " " + std::string(name(shape.kernel->einsum.agg));
    for (DType type : shape.operand_dtypes) text += " " + std::string(name(type));
    text += " to " + std::string(name(shape.output_dtype)) + (scattered ? " scattered" : "") +
            (shape.accumulate ? " accumulate" : "");
    cases_.push_back({text, std::move(kernel), tolerance_of(shape.output_dtype, types_of(shape).accumulate)});
    return *cases_.back().kernel;
}

bool Cases::add_random(bool long_labels) {
    std::size_t const operands = random_() % 10 == 0 ? 0 : 1 + below(random_, 3);
    std::string const subscripts =
        random_subscripts(random_, operands, std::string("abcde").substr(0, below(random_, long_labels ? 4 : 6)));
    std::string const labels = labels_in(subscripts), join = random_join(random_, operands, labels);
    Shape const extents = random_extents(random_, labels.size(), long_labels ? Lengths::many : Lengths::few);
    auto const agg = static_cast<scalar::Agg>(random_() % 2 == 0 ? 0 : below(random_, 7));
    DType const common = random_dtype(random_), output = random_() % 3 == 0 ? random_dtype(random_) : common;
    std::vector<DType> const dtypes = random_dtypes(random_, operands, common);
    DType const compute = compute_dtype(dtypes, output);
    auto kernel = std::make_unique<KernelCase>(einsum(subscripts, extents, join, agg), dtypes, output, compute);
    if (!scalar::type_of(kernel->kernel().einsum.join, compute, compute_dtype({}, output)).problem.empty() ||
        is_fragile(*kernel, join, long_labels))
        return false;
    kernel->shape().accumulate = random_() % 3 == 0;
    if (kernel->shape().accumulate) kernel->shape().output_dtype = types_of(kernel->shape()).accumulate;
    bool const scattered = kernel->shape().accumulate || random_() % 2 == 0;  // the output's type may have changed
    if (scattered) kernel->scatter_layout(random_);
    kernel->fill(random_, random_() % 5 == 0 && !is_complex(compute) && kind(output) >= Kind::real);
    for (Extent& begin : kernel->begin()) begin = static_cast<Extent>(below(random_, 5));
    keep(subscripts, join, std::move(kernel), scattered);
    return true;
}

void Cases::gather(HostCudaDevice& device) const {
    SoloWorkerTeam solo;
    for (Case const& one : cases_) one.kernel->run(device, solo);
}

std::string Cases::differences(Device& device) const {
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (Case const& one : cases_) {
        KernelCase const& kernel = *one.kernel;
        std::string const wrong = difference(kernel.elements(kernel.run(device, solo)),
                                             kernel.elements(kernel.run(reference, solo)), one.tolerance);
        if (!wrong.empty()) return one.text + ": " + wrong;
    }
    return "";
}

}  // namespace ein::executor::cuda
