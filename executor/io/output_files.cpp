#include "executor/io/output_files.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "lib/base/error.hpp"
#include "lib/base/files/output_place.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "lib/base/files/written_file.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/formats/other_form.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

std::string file_name(std::string output) {
    std::replace(output.begin(), output.end(), '/', '.');
    return output;
}

bool is_npz(schedule::Header const& header, schedule::Output const& output, bool dense) {
    return !dense && header.tensors[output.tensor].fill.has_value();
}

}  // namespace

std::vector<fs::path> output_paths(schedule::Header const& header, fs::path const& folder, bool dense) {
    std::vector<fs::path> out;
    for (schedule::Output const& output : header.outputs)
        out.push_back(folder / (file_name(output.name) + (is_npz(header, output, dense) ? ".npz" : ".npy")));
    return out;
}

std::vector<std::string> overwritten_inputs(schedule::Header const& header, fs::path const& data_folder,
                                            fs::path const& out, bool dense) {
    std::vector<std::string> texts;
    std::vector<fs::path> const paths = output_paths(header, out, dense);
    for (schedule::Input const& input : header.inputs) {
        std::string const* const file = tensor::file_of(input.source);
        if (file == nullptr) continue;
        for (std::size_t i = 0; i < paths.size(); ++i) {
            schedule::Output const& output = header.outputs[schedule::OutputId{static_cast<std::int32_t>(i)}];
            std::error_code error;  // of one that is not there yet: then nothing is read from it
            if (output.tensor == input.tensor || !fs::equivalent(paths[i], data_folder / *file, error)) continue;
            texts.push_back("output '" + output.name + "' is written to " + paths[i].string() + ", which tensor '" +
                            header.tensors[input.tensor].name + "' is read from");
        }
    }
    return texts;
}

OutputFiles::OutputFiles(schedule::Header const& header, fs::path folder, std::string const& run, bool dense)
    : header_(header), folder_(std::move(folder)), listed_(header) {
    std::set<std::string> names;
    final_ = output_paths(header, folder_, dense);
    for (schedule::Output const& output : header.outputs) {
        std::string const name = file_name(output.name);
        if (!names.insert(name).second)
            throw InputError(Fault{header.graph_file, "/outputs", "outputs whose files differ",
                                   "two that are written to " + name + ".npy", "rename one ('/' becomes '.')"});
        bool const is_listed = is_npz(header, output, dense);
        is_listed_.push_back(is_listed);
        any_listed_ = any_listed_ || is_listed;
    }
    for (fs::path const& path : final_) partial_.push_back(temporary_path(path, run));
    unfinished_.remember(partial_);
}

OutputFiles::~OutputFiles() {
    if (made_) discard();
}

void OutputFiles::create() {
    if (header_.outputs.empty()) return;
    make_folder(folder_, "--out");
    std::error_code error;
    for (fs::path const& path : final_)
        if (fs::is_directory(path, error))
            throw RunError("--out " + folder_.string() + ": expected to write " + path.string() +
                           ", found a folder of that name; choose another --out, or rename the folder");
    in_doubt_ = sweep_leftovers(folder_, final_);
    made_ = true;
    try {
        for (std::size_t i = partial_.size(); i-- > 0;) {  // the first one made holds the lock for all
            if (is_listed_[i]) continue;
            schedule::Tensor const& tensor =
                header_.tensors[header_.outputs[schedule::OutputId{static_cast<std::int32_t>(i)}].tensor];
            do tensor::create_npy(partial_[i], tensor.dtype, tensor.shape);
            while (!locked_ && !lock_.hold(partial_[i]));
            if (!locked_) locked_ = i;
        }
    } catch (...) {
        discard();
        throw;
    }
}

void OutputFiles::write(schedule::OutputId output, DType dtype, Box const& box, std::span<std::byte const> bytes) {
    std::size_t const number = at(output);
    tensor::write_npy_box(partial_[number], dtype, header_.tensors[header_.outputs[output].tensor].shape, box, bytes);
}

void OutputFiles::write_listed(schedule::OutputId output, tensor::SparseBlockView const& block,
                               scalar::Scalar const& fill) {
    if (!is_listed_[at(output)]) return OutputSink::write_listed(output, block, fill);
    listed_.add(output, block);
}

void OutputFiles::make_listed() {
    listed_.make();
    for (std::size_t i = 0; i < partial_.size() && !locked_; ++i)
        if (is_listed_[i] && lock_.hold(partial_[i])) locked_ = i;
}

std::vector<fs::path> OutputFiles::publish(std::span<fs::path const> inputs) {
    std::vector<fs::path> gone;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < partial_.size(); ++i)
        if (i != locked_) order.push_back(i);
    if (locked_) order.push_back(*locked_);
    for (std::size_t const i : order) {
        int const error = rename_complete(partial_[i], final_[i]);
        if (error == 0) {
            if (auto old = tensor::remove_other_form(final_[i], inputs)) gone.push_back(std::move(*old));
            continue;
        }
        discard();
        throw RunError(final_[i].string() +
                       ": expected to rename the finished output to it, found: " + std::strerror(error));
    }
    made_ = false;
    unfinished_.forget();
    lock_.release();
    return gone;
}

void OutputFiles::discard() noexcept {
    for (fs::path const& path : partial_) {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
}

}  // namespace ein::executor
