#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "apps/command_line.hpp"
#include "apps/eintool/commands.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/compare.hpp"
#include "lib/tensor/read.hpp"

namespace ein::apps::tool {
namespace {

namespace fs = std::filesystem;

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

/// "12 elements, 0 differ by more than 1e-05; ..."
struct Compared {
    std::string text;
    bool alike = false;
};

Compared compare_files(fs::path const& a_file, fs::path const& b_file, double given_tolerance) {
    tensor::HostTensor const a = tensor::read_npy(a_file), b = tensor::read_npy(b_file);
    if (a.shape() != b.shape())
        return {a_file.string() + " has shape " + to_string(a.shape()) + ", " + b_file.string() + " has " +
                to_string(b.shape())};
    DType const narrower = size_of(a.dtype()) < size_of(b.dtype()) ? a.dtype() : b.dtype();
    double const tolerance = given_tolerance >= 0 ? given_tolerance : tensor::tolerance(narrower, 1);
    tensor::Difference const d = tensor::compare(a, b, tolerance);
    char text[200];
    std::snprintf(text, sizeof text,
                  "%lld elements, %lld differ by more than %.3g; largest difference %.6g absolute, %.6g relative",
                  static_cast<long long>(a.elements()), static_cast<long long>(d.count), tolerance, d.max_abs,
                  d.max_rel);
    return {text + (d.worst >= 0 ? " at " + index_text(a.shape(), d.worst) : ""), d.count == 0};
}

/// Names of the .npy files in it.
std::set<std::string> tensors_in(fs::path const& folder) {
    std::set<std::string> out;
    for (auto const& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".npy") out.insert(entry.path().filename().string());
    return out;
}

int diff_folders(DiffOptions const& options) {
    std::set<std::string> const a = tensors_in(options.a), b = tensors_in(options.b);
    std::set<std::string> all = a;
    all.insert(b.begin(), b.end());
    if (all.empty())
        throw InputError(Fault{options.a, "", "folders with .npy files", "none in either", "give folders of results"});
    std::size_t unlike = 0;
    for (std::string const& name : all) {
        Compared compared;
        if (!a.contains(name) || !b.contains(name))
            compared.text = "only in " + (a.contains(name) ? options.a : options.b);
        else
            compared = compare_files(fs::path(options.a) / name, fs::path(options.b) / name, options.tolerance);
        unlike += compared.alike ? 0 : 1;
        std::printf("%-9s %s: %s\n", compared.alike ? "alike" : "DIFFERENT", name.c_str(), compared.text.c_str());
    }
    std::printf("%zu tensors, %zu different\n", all.size(), unlike);
    return static_cast<int>(unlike == 0 ? ExitCode::done : ExitCode::mismatch);
}

int diff(DiffOptions const& options) {
    bool const folders = fs::is_directory(options.a);
    if (folders != fs::is_directory(options.b))
        throw UsageError("diff: expected two files or two folders, found " + options.a + " and " + options.b);
    if (folders) return diff_folders(options);
    Compared const compared = compare_files(options.a, options.b, options.tolerance);
    std::printf("%s\n", compared.text.c_str());
    return static_cast<int>(compared.alike ? ExitCode::done : ExitCode::mismatch);
}

}  // namespace

void add_diff(CLI::App& app, Action& chosen) {
    CLI::App* command =
        app.add_subcommand("diff", "Compare two .npy files, or two folders of them; exit code 5 when they differ");
    auto const options = std::make_shared<DiffOptions>();
    command->add_option("A", options->a, ".npy file or folder")->required();
    command->add_option("B", options->b, ".npy file or folder, the reference")->required();
    command
        ->add_option("--tolerance", options->tolerance,
                     "relative to max(|a|, |b|, rms of B) (default: a few units in the last place)")
        ->check(number_from(0));
    command->callback([options, &chosen] { chosen = [options] { return diff(*options); }; });
}

}  // namespace ein::apps::tool
