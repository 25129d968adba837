// The safetensors files of one model in a folder, seen as one: which file holds which tensor. With
// model.safetensors.index.json that says it, else all *.safetensors files of the folder. Example:
// SafetensorsFolder("llama-7b").find("lm_head.weight") has file llama-7b/model-00002-of-00002.safetensors and shape
// [32000, 4096].
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lib/base/json.hpp"
#include "lib/tensor/formats/safetensors.hpp"

namespace ein::apps::tool {

/// What model.safetensors.index.json says, {"weight_map": {TENSOR: FILE}}: files as their names in its folder.
/// @param file  names the index in messages  @throws InputError with all faults of it
std::map<std::string, std::string> weight_map(Json const& document, std::string const& file);

class SafetensorsFolder {
public:
    struct Found {
        std::filesystem::path file;
        tensor::SafetensorsEntry entry;
    };

    /// Tensors of the index's files that the index leaves out are there too: they change what a model is.
    /// @throws InputError with all faults: no file, one that the index names but is not there, a tensor in two files
    explicit SafetensorsFolder(std::filesystem::path const& folder);

    /// @throws InputError for a name that no file has (with the nearest ones), or a place in its file that cannot be
    Found find(std::string const& name) const;
    std::vector<std::string> names() const;
    /// The file that holds `name`, or where one would look for it: for messages.
    std::string place_of(std::string const& name) const;

private:
    void read_index(std::filesystem::path const& index);
    void read_all_files();
    bool open(std::filesystem::path const& file, std::vector<Fault>& faults);

    std::filesystem::path folder_;
    std::string listed_by_;  // the index, or the one file, or the folder
    std::map<std::filesystem::path, tensor::SafetensorsDirectory> files_;
    std::map<std::string, std::filesystem::path> file_of_;
};

}  // namespace ein::apps::tool
