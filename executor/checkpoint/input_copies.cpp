#include "executor/checkpoint/input_copies.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "executor/checkpoint/folder/checkpoint_number.hpp"
#include "executor/startup/agreement.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/input_file.hpp"
#include "lib/schedule/file/origin.hpp"
#include "lib/tensor/formats/file_reader.hpp"
#include "lib/tensor/storage/fingerprint.hpp"
#include "lib/tensor/storage/held_file.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

std::string source_text(schedule::Input const& input) {
    std::string const* const file = tensor::file_of(input.source);
    return file == nullptr ? "" : *file;
}

/// Calls visit(piece number over all files, file, piece of it).
template <class Visit>
void for_each_piece(std::vector<SavedCopy> const& files, Visit const& visit) {
    std::size_t number = 0;
    for (std::size_t file = 0; file < files.size(); ++file)
        for (std::size_t piece = 0; piece < pieces_of(files[file].bytes); ++piece) visit(number++, file, piece);
}

}  // namespace

schedule::Header with_copies(schedule::Header header, CopyOf const& copies, fs::path const& dir) {
    for (schedule::InputId at : header.inputs.ids()) {
        if (copies[at].empty()) continue;
        schedule::Input& input = header.inputs[at];
        input.source = tensor::with_file(input.source, (fs::absolute(dir) / copies[at]).lexically_normal().string());
    }
    return header;
}

void keep_copies_readable(CopyOf const& copies, fs::path const& dir) {
    std::set<std::string> numbers;
    for (std::string const& copy : copies)
        if (!copy.empty() && numbers.insert(copy.substr(0, 6)).second) keep_inputs_in_too(dir / copy.substr(0, 6));
}

std::vector<NamedInput> inputs_now(schedule::Header const& header, CopyOf const& copies, fs::path const& data_folder,
                                   fs::path const& dir) {
    schedule::Header read = with_copies(header, copies, dir);
    schedule::note_input_files(read, data_folder);
    std::vector<NamedInput> out;
    for (schedule::InputId at : header.inputs.ids())
        out.push_back({header.tensors[header.inputs[at].tensor].name, source_text(header.inputs[at]),
                       read.inputs[at].planned, copies[at]});
    return out;
}

CopyOf copies_of(schedule::Header const& header, std::vector<NamedInput> const& saved) {
    CopyOf out;
    out.resize(header.inputs.size());
    for (schedule::InputId at : header.inputs.ids())
        if (ein::at(at) < saved.size() && saved[ein::at(at)].source == source_text(header.inputs[at]))
            out[at] = saved[ein::at(at)].copy;
    return out;
}

std::vector<std::string> changed_originals(schedule::Header const& header, CopyOf const& copies,
                                           std::vector<NamedInput> const& saved, fs::path const& data_folder) {
    schedule::Header originals = header;
    schedule::note_input_files(originals, data_folder);
    std::set<std::string> out;  // each file once
    for (schedule::InputId at : header.inputs.ids()) {
        auto const& now = originals.inputs[at].planned;
        if (copies[at].empty() || !now || now == saved[ein::at(at)].file) continue;
        out.insert(tensor::path_in(data_folder, source_text(header.inputs[at])).string() +
                   " is another file now than that which was copied; the copy is read, " + copies[at]);
    }
    return {out.begin(), out.end()};
}

std::string checkpoint_of(schedule::Input const& input, fs::path const& data_folder, fs::path const& dir) {
    std::string const* const file = tensor::file_of(input.source);
    if (file == nullptr) return "";
    std::error_code error;
    fs::path const in = fs::weakly_canonical(dir, error);
    fs::path const path = fs::weakly_canonical(tensor::path_in(data_folder, *file), error).lexically_relative(in);
    bool const inside = !path.empty() && is_checkpoint_number(path.begin()->string());
    return inside ? path.begin()->string() : "";
}

InputCopies InputCopies::of(schedule::Header const& header, CopyOf copies, std::vector<NamedInput> const& inputs,
                            fs::path const& data_folder, fs::path const& dir, std::string const& number) {
    InputCopies out{std::move(copies), {}, {}};
    std::map<std::string, std::size_t> places;  // of files
    std::vector<std::string> sources;
    std::vector<std::pair<schedule::InputId, std::size_t>> copied;
    std::vector<Fault> faults;
    for (schedule::InputId at : header.inputs.ids()) {
        std::string const source = source_text(header.inputs[at]);
        bool const is_there = !out.copies[at].empty() || !checkpoint_of(header.inputs[at], data_folder, dir).empty();
        if (source.empty() || is_there) continue;
        auto const [place, is_new] = places.emplace(source, sources.size());
        copied.emplace_back(at, place->second);
        if (!is_new) continue;
        auto const& file = inputs[ein::at(at)].file;
        if (!file)
            faults.push_back({tensor::path_in(data_folder, source).string(),
                              "tensor '" + inputs[ein::at(at)].tensor + "'", "a file to copy (--checkpoint-inputs)",
                              "none that can be read", "put it there, or give another with --input"});
        sources.push_back(source);
        out.read_by.push_back(at);
        out.files.push_back({"", file ? file->size : 0, {}});
    }
    if (!faults.empty()) throw InputError(std::move(faults));
    std::vector<std::string> const names = copy_names(sources);
    for (std::size_t i = 0; i < names.size(); ++i) out.files[i].file = names[i];
    for (auto const& [at, place] : copied) out.copies[at] = number + "/" + names[place];
    return out;
}

std::uint64_t InputCopies::bytes() const {
    std::uint64_t out = 0;
    for (SavedCopy const& file : files) out += file.bytes;
    return out;
}

std::string to_text(InputCopies const& copies) {
    std::string out;
    for (std::string const& copy : copies.copies) out += copy + "\n";
    for (std::size_t i = 0; i < copies.files.size(); ++i)
        out += std::to_string(copies.read_by[i].value()) + " " + std::to_string(copies.files[i].bytes) + " " +
               copies.files[i].file + "\n";
    return out;
}

InputCopies input_copies_from(std::string const& text, std::size_t inputs) {
    InputCopies out;
    out.copies.resize(inputs);
    std::istringstream lines(text);
    for (std::string& copy : out.copies) std::getline(lines, copy);
    std::int32_t input = 0;
    for (SavedCopy file; lines >> input >> file.bytes && lines.get() == ' ' && std::getline(lines, file.file);) {
        out.read_by.emplace_back(input);
        out.files.push_back(file);
    }
    return out;
}

void write_copies(Transport& transport, schedule::Header const& header, fs::path const& data_folder,
                  InputCopies& copies, NewCheckpoint& anew) {
    auto const is_mine = [&](std::size_t number, Rank rank) {
        return number % static_cast<std::size_t>(transport.size()) == at(rank);
    };
    std::string mine;
    agree(transport, [&] {
        for_each_piece(copies.files, [&](std::size_t number, std::size_t file, std::size_t piece) {
            if (!is_mine(number, transport.rank())) return;
            fs::path const from = tensor::path_in(data_folder, source_text(header.inputs[copies.read_by[file]]));
            mine += std::to_string(anew.copy(copies.files[file], piece, *tensor::open_file(from))) + "\n";
        });
        anew.sync();
    });
    std::vector<std::istringstream> told;
    for (std::string const& text : transport.all_gather(mine)) told.emplace_back(text);
    for_each_piece(copies.files, [&](std::size_t number, std::size_t file, std::size_t) {
        std::uint64_t hash = 0;
        auto& by_rank = told[number % told.size()];
        promise(static_cast<bool>(by_rank >> hash), "a rank tells of each piece that it copies");
        copies.files[file].hashes.push_back(hash);
    });
}

void check_copies(schedule::Header const& header, std::vector<NamedInput> const& inputs, InputCopies const& copies,
                  fs::path const& data_folder, fs::path const& folder) {
    for (std::size_t i = 0; i < copies.files.size(); ++i) {
        schedule::InputId const input = copies.read_by[i];
        if (tensor::fingerprint(tensor::HeldFile(folder / copies.files[i].file)) == inputs[at(input)].file) continue;
        throw InputError(Fault{tensor::path_in(data_folder, source_text(header.inputs[input])).string(),
                               "tensor '" + inputs[at(input)].tensor + "'",
                               "a file that stays as it is while it is copied", "another one at the end",
                               "run again when nobody writes to it"});
    }
}

}  // namespace ein::executor
