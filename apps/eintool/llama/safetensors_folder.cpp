#include "apps/eintool/llama/safetensors_folder.hpp"

#include <algorithm>
#include <set>

#include "lib/base/error.hpp"
#include "lib/base/files/input_file.hpp"
#include "lib/base/json.hpp"
#include "lib/base/text/near_names.hpp"

namespace ein::apps::tool {

namespace fs = std::filesystem;

namespace {

void throw_if_any(std::vector<Fault> faults) {
    if (!faults.empty()) throw InputError(std::move(faults));
}

}  // namespace

std::map<std::string, std::string> weight_map(Json const& document, std::string const& file) {
    Faults faults(file);
    Cursor const root(document, faults);
    std::map<std::string, std::string> out;
    std::string const fix = "take the index that belongs to the model";
    if (root.expect_object()) {
        if (!root.has("weight_map"))
            root.fail("the key \"weight_map\"", "none", fix);
        else if (root.at("weight_map").expect_object())
            for (auto const& [name, unused] : root.at("weight_map").value().items()) {
                Cursor const at = root.at("weight_map").at(name);
                auto const part = at.string();
                bool const plain = part && !part->empty() && *part != "." && *part != ".." &&
                                   part->find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
                if (part && !plain) at.fail("the name of a file in the index's folder", "'" + *part + "'", fix);
                out[name] = part.value_or("");
            }
    }
    faults.throw_if_any();
    return out;
}

SafetensorsFolder::SafetensorsFolder(fs::path const& folder) : folder_(folder) {
    fs::path const index = folder / "model.safetensors.index.json";
    if (fs::exists(index))
        read_index(index);
    else
        read_all_files();
}

bool SafetensorsFolder::open(fs::path const& file, std::vector<Fault>& faults) {
    try {
        files_.emplace(file, tensor::SafetensorsDirectory(*tensor::open_file(file)));
        return true;
    } catch (InputError const& error) {
        faults.insert(faults.end(), error.faults().begin(), error.faults().end());
        return false;
    }
}

void SafetensorsFolder::read_index(fs::path const& index) {
    listed_by_ = index.string();
    std::set<fs::path> files;
    Json const document = parse_json(read_input_text(index), index.string());
    for (auto const& [name, file] : weight_map(document, index.string())) files.insert(file_of_[name] = folder_ / file);
    std::vector<Fault> faults;
    for (fs::path const& file : files) {
        std::error_code error;
        if (fs::exists(file, error))
            open(file, faults);
        else
            faults.push_back({file.string(), "", "a file, since " + index.filename().string() + " names it", "none",
                              "the download is not complete: get the model again"});
    }
    throw_if_any(std::move(faults));
    for (auto const& [file, directory] : files_)
        for (std::string const& name : directory.names())
            file_of_.try_emplace(name, file);  // that the index leaves out
}

void SafetensorsFolder::read_all_files() {
    std::set<fs::path> files;  // the folder's own order may be any
    for (auto const& entry : fs::directory_iterator(folder_))
        if (entry.path().extension() == ".safetensors") files.insert(entry.path());
    listed_by_ = files.size() == 1 ? files.begin()->string() : folder_.string();
    std::vector<Fault> faults;
    if (files.empty())
        faults.push_back({folder_.string(), "", "a .safetensors file", "none",
                          "save the model with safe_serialization=True, or give the folder that holds its weights"});
    for (fs::path const& file : files) {
        if (!open(file, faults)) continue;
        for (std::string const& name : files_.at(file).names())
            if (auto const [other, fresh] = file_of_.emplace(name, file); !fresh)
                faults.push_back(
                    {file.string(), "", "a tensor in one file",
                     "'" + name + "' in " + other->second.filename().string() + " too",
                     "remove the file that does not belong to the model, or add model.safetensors.index.json"});
    }
    throw_if_any(std::move(faults));
}

SafetensorsFolder::Found SafetensorsFolder::find(std::string const& name) const {
    auto const at = file_of_.find(name);
    if (at == file_of_.end())
        throw InputError(Fault{listed_by_, "", "a tensor named '" + name + "'",
                               "none among its " + std::to_string(file_of_.size()),
                               mend_names(name, names(), "the folder")});
    return {at->second, files_.at(at->second).find(name)};
}

std::vector<std::string> SafetensorsFolder::names() const {
    std::vector<std::string> out;
    for (auto const& [name, unused] : file_of_) out.push_back(name);
    return out;
}

std::string SafetensorsFolder::place_of(std::string const& name) const {
    auto const at = file_of_.find(name);
    return at == file_of_.end() ? listed_by_ : at->second.string();
}

}  // namespace ein::apps::tool
