#include <cmath>
#include <cstdio>
#include <memory>

#include "apps/command_line.hpp"
#include "apps/eintool/commands.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/compare.hpp"
#include "lib/tensor/read.hpp"

namespace ein::apps::tool {
namespace {

struct DiffOptions {
    std::string a, b;
    double tolerance = -1;
};

std::string index_text(Shape const& shape, Extent linear) {
    std::vector<Extent> index(shape.size());
    for (std::size_t axis = shape.size(); axis > 0; linear /= shape[axis - 1], --axis)
        index[axis - 1] = linear % shape[axis - 1];
    std::string out = "[";
    for (std::size_t axis = 0; axis < index.size(); ++axis) out += (axis ? ", " : "") + std::to_string(index[axis]);
    return out + "]";
}

int diff(DiffOptions const& options) {
    tensor::HostTensor const a = tensor::read_npy(options.a), b = tensor::read_npy(options.b);
    if (a.shape() != b.shape())
        throw MismatchError(options.a + " has shape " + to_string(a.shape()) + ", " + options.b + " has " +
                            to_string(b.shape()));
    DType const narrower = size_of(a.dtype()) < size_of(b.dtype()) ? a.dtype() : b.dtype();
    double const tolerance = options.tolerance >= 0 ? options.tolerance : tensor::tolerance(narrower, 1);
    tensor::Difference const d = tensor::compare(a, b, tolerance);
    std::printf("%lld elements, %lld differ by more than %.3g; largest difference %.6g absolute, %.6g relative%s\n",
                static_cast<long long>(a.elements()), static_cast<long long>(d.count), tolerance, d.max_abs, d.max_rel,
                d.worst >= 0 ? (" at " + index_text(a.shape(), d.worst)).c_str() : "");
    return static_cast<int>(d.count == 0 ? ExitCode::done : ExitCode::mismatch);
}

}  // namespace

void add_diff(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand("diff", "Compare two .npy files; exit code 5 when they differ");
    auto const options = std::make_shared<DiffOptions>();
    command->add_option("A", options->a, ".npy file")->required();
    command->add_option("B", options->b, ".npy file, the reference")->required();
    command
        ->add_option("--tolerance", options->tolerance,
                     "relative to max(|a|, |b|, rms of B) (default: a few units in the last place)")
        ->check(number_from(0));
    command->callback([options, &chosen] { chosen = [options] { return diff(*options); }; });
}

}  // namespace ein::apps::tool
