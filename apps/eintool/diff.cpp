#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "apps/command_line.hpp"
#include "apps/eintool/commands.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/files/missing_path.hpp"
#include "lib/tensor/compare.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/sparse/compare_lists.hpp"

namespace ein::apps::tool {
namespace {

namespace fs = std::filesystem;

struct DiffOptions {
    std::string a, b;
    double tolerance = -1;
};

/// How often what elements may be apart by default differences of two plans are taken for rounding, and what is too
/// large for that in any dtype. Chosen.
constexpr double rounding_factor = 100, most_rounding = 1e-3;

/// "12 elements, 0 differ by more than 1e-05; ..."
struct Compared {
    std::string text;
    bool alike = false;
    std::optional<double> rounding = {};  // the largest relative difference, where it may be no more than that
};

/// The next number of one digit that is no smaller.
std::string one_digit_above(double number) {
    double const unit = std::pow(10.0, std::floor(std::log10(number)));
    char text[32];
    std::snprintf(text, sizeof text, "%.0e", std::ceil(number / unit * (1 + 1e-9)) * unit);
    return text;
}

void suggest_tolerance(std::optional<double> rounding) {
    if (rounding)
        std::printf("sums in another order (other ranks, another plan) differ so; --tolerance %s allows it\n",
                    one_digit_above(*rounding).c_str());
}

/// A file of a tensor: dense (.npy), or sparse (.npz).
struct TensorFile {
    explicit TensorFile(fs::path const& path) {
        if (path.extension() == ".npz")
            sparse = tensor::sparse_file(path);
        else
            dense = tensor::read_npy(path);
    }
    DType dtype() const { return dense ? dense->dtype() : sparse->contents.dtype; }
    Shape const& shape() const { return dense ? dense->shape() : sparse->contents.shape; }
    tensor::HostTensor all() const { return dense ? *dense : tensor::read_dense(*sparse); }

    std::optional<tensor::HostTensor> dense;
    std::optional<tensor::SparseFile> sparse;
};

Compared compare_files(fs::path const& a_file, fs::path const& b_file, double given_tolerance) {
    TensorFile const a(a_file), b(b_file);
    if (a.shape() != b.shape())
        return {a_file.string() + " has shape " + to_string(a.shape()) + ", " + b_file.string() + " has " +
                to_string(b.shape())};
    DType const narrower = size_of(a.dtype()) < size_of(b.dtype()) ? a.dtype() : b.dtype();
    double const tolerance = given_tolerance >= 0 ? given_tolerance : tensor::tolerance(narrower, 1);
    tensor::ListDifference lists;
    if (a.sparse && b.sparse)
        lists = tensor::compare_lists(*a.sparse, *b.sparse, tolerance);
    else
        lists.difference = tensor::compare(a.all(), b.all(), tolerance);
    tensor::Difference const& d = lists.difference;
    char text[200];
    std::snprintf(text, sizeof text,
                  "%lld elements, %lld differ by more than %.3g; largest difference %.6g absolute, %.6g relative",
                  static_cast<long long>(element_count(a.shape())), static_cast<long long>(d.count), tolerance,
                  d.max_abs, d.max_rel);
    std::string out = text + (d.worst >= 0 ? " at " + index_text(index_at(a.shape(), d.worst)) : "");
    if (lists.fills_differ) out += "; what they do not list differs";
    bool const is_small = given_tolerance < 0 && tolerance > 0 && !lists.fills_differ &&
                          d.max_rel <= std::min(rounding_factor * tolerance, most_rounding);
    return {out, d.count == 0, is_small ? std::optional(d.max_rel) : std::nullopt};
}

/// Files of tensors in a folder, by the tensor's name: .npy, and archives of sparse ones.
std::map<std::string, std::vector<fs::path>> tensors_in(fs::path const& folder) {
    std::map<std::string, std::vector<fs::path>> out;
    for (auto const& entry : fs::directory_iterator(folder)) {
        fs::path const& path = entry.path();
        if (path.extension() == ".npy" || path.extension() == ".npz") out[path.stem().string()].push_back(path);
    }
    for (auto& [name, files] : out) std::sort(files.begin(), files.end());
    return out;
}

/// What a line calls a tensor: its file, where both have one of that name.
std::string shown_name(std::string const& name, std::vector<fs::path> const& a, std::vector<fs::path> const& b) {
    std::set<std::string> files;
    for (fs::path const& path : a) files.insert(path.filename().string());
    for (fs::path const& path : b) files.insert(path.filename().string());
    return files.size() == 1 ? *files.begin() : name;
}

Compared compare_tensors(std::vector<fs::path> const& a, std::vector<fs::path> const& b, DiffOptions const& options) {
    for (auto const& [files, folder] : {std::pair(&a, &options.a), std::pair(&b, &options.b)}) {
        if (files->empty()) return {"only in " + (folder == &options.a ? options.b : options.a)};
        if (files->size() > 1)
            return {*folder + " has it twice, " + (*files)[0].filename().string() + " and " +
                    (*files)[1].filename().string()};
    }
    return compare_files(a[0], b[0], options.tolerance);
}

int diff_folders(DiffOptions const& options) {
    auto a = tensors_in(options.a), b = tensors_in(options.b);
    std::set<std::string> all;
    for (auto const& [name, files] : a) all.insert(name);
    for (auto const& [name, files] : b) all.insert(name);
    if (all.empty())
        throw InputError(Fault{options.a, "", "folders with .npy files or .npz files of sparse tensors",
                               "none in either", "give folders of results"});
    std::size_t unlike = 0;
    std::optional<double> rounding = 0.0;
    for (std::string const& name : all) {
        Compared const compared = compare_tensors(a[name], b[name], options);
        unlike += compared.alike ? 0 : 1;
        if (!compared.alike)
            rounding =
                rounding && compared.rounding ? std::optional(std::max(*rounding, *compared.rounding)) : std::nullopt;
        std::printf("%-9s %s: %s\n", compared.alike ? "alike" : "DIFFERENT", shown_name(name, a[name], b[name]).c_str(),
                    compared.text.c_str());
    }
    std::printf("%zu tensors, %zu different\n", all.size(), unlike);
    if (unlike > 0) suggest_tolerance(rounding);
    return static_cast<int>(unlike == 0 ? ExitCode::done : ExitCode::mismatch);
}

void require_there(fs::path const& path) {
    if (!fs::exists(path))
        throw InputError(Fault{path.string(), "", "a file or folder", "none", mend_missing(path, PathIs::either)});
}

/// What compares two files that are no results; "" where that is left to the reader of tensors.
std::string mend_no_results(FileUse use, std::string const& a, std::string const& b) {
    std::string const runs = " --out one, the other --out two, then eintool diff one two";
    switch (use) {
        case FileUse::graph:
            return "plan and run both: eintool run " + a + " -n 4" + runs + "; diff -u " + a + " " + b +
                   " compares their text";
        case FileUse::schedule:
            return "run both: einrun " + a + runs + "; eintool show " + a + " and eintool show " + b +
                   " say what each does";
        case FileUse::report: return "eintool report " + a + " " + b + " sets them side by side";
        case FileUse::trace: return "eintool trace " + a + " and eintool trace " + b + " sum each up";
        case FileUse::checkpoint:
            return "name what lies in them: eintool diff " + (fs::path(a) / "000001").string() + " " +
                   (fs::path(b) / "000001").string() + "; eintool show " + a + " says what there is";
        case FileUse::plan:
        case FileUse::cluster:
        case FileUse::explanation:
        case FileUse::opt_einsum:
        case FileUse::cotengra:
        case FileUse::omeinsum:
        case FileUse::circuit: return "diff -u " + a + " " + b + " compares their text";
        case FileUse::model:
        case FileUse::other: return "";
    }
    return "";
}

/// Graphs, schedules, reports: what compares them is something else.
void refuse_no_results(DiffOptions const& options) {
    auto const a = kind_of_file(options.a), b = kind_of_file(options.b);
    for (auto const& [file, kind] : {std::pair(options.a, a), {options.b, b}}) {
        std::string const mend = kind ? mend_no_results(kind->use, options.a, options.b) : "";
        bool const has_tensors = fs::is_directory(file) && !tensors_in(file).empty();  // as a checkpoint's own has
        if (!mend.empty() && !has_tensors)
            throw InputError(Fault{file, "", "results, which diff compares: .npy or .npz files, or folders of them",
                                   found_text(*kind), a && b && a->use == b->use ? mend : kind->mend});
    }
}

int diff(DiffOptions const& options) {
    require_there(options.a);
    require_there(options.b);
    refuse_no_results(options);
    bool const folders = fs::is_directory(options.a);
    if (folders != fs::is_directory(options.b))
        throw UsageError("diff: expected two files or two folders, found the " +
                         std::string(folders ? "folder " : "file ") + options.a + " and the " +
                         (folders ? "file " : "folder ") + options.b + "; name a file of the folder, as " +
                         (fs::path(folders ? options.a : options.b) / "NAME.npy").string());
    if (folders) return diff_folders(options);
    Compared const compared = compare_files(options.a, options.b, options.tolerance);
    std::printf("%s\n", compared.text.c_str());
    if (!compared.alike) suggest_tolerance(compared.rounding);
    return static_cast<int>(compared.alike ? ExitCode::done : ExitCode::mismatch);
}

}  // namespace

void add_diff(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "diff", "Compare two tensors in files, or two folders of them; exit code 5 when they differ");
    auto const options = std::make_shared<DiffOptions>();
    command->add_option("A", options->a, ".npy or .npz file, or folder")->required();
    command->add_option("B", options->b, ".npy or .npz file, or folder: the reference")->required();
    command
        ->add_option("--tolerance", options->tolerance,
                     "relative to max(|a|, |b|, rms of B) (default: a few units in the last place)")
        ->check(number_from(0));
    command->callback([options, &chosen] { chosen = [options] { return diff(*options); }; });
}

}  // namespace ein::apps::tool
