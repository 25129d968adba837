#include <filesystem>
#include <set>

#include "executor/checkpoint/folder/element_hash.hpp"
#include "executor/checkpoint/folder/manifest.hpp"
#include "lib/base/text/hex.hpp"
#include "lib/base/text/letters.hpp"

namespace ein::executor {

namespace {

constexpr std::size_t longest_stem = 180, longest_ending = 20;  // of the 255 bytes that file systems allow

bool is_control(char letter) {
    auto const byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7f;
}

std::string stem_of(std::string const& name) {
    std::string out;
    for (char const letter : name) out += letter == '/' ? '.' : is_control(letter) || letter == '\\' ? '_' : letter;
    if (out.empty() || out.front() == '.') out.insert(0, "_");  // a dot name would be hidden
    if (out.size() <= longest_stem) return out;
    out.resize(longest_stem - 17);
    while ((static_cast<unsigned char>(out.back()) & 0x80) != 0) out.pop_back();  // no half letter
    return out + "~" + hex(hash_of(std::as_bytes(std::span(name))));
}

/// All different, also where upper and lower case are one.
class NewNames {
public:
    explicit NewNames(std::set<std::string> taken = {}) : taken_(std::move(taken)) {}

    std::string make(std::string const& stem, std::string const& ending) {
        std::string name = stem + ending;
        for (int copy = 2; !taken_.insert(lowered(name)).second; ++copy)
            name = stem + "~" + std::to_string(copy) + ending;
        return name;
    }

private:
    std::set<std::string> taken_;
};

}  // namespace

std::vector<std::string> file_names(std::span<std::string const> names) {
    NewNames new_names;
    std::vector<std::string> out;
    for (std::string const& name : names) out.push_back(new_names.make(stem_of(name), ".npy"));
    return out;
}

std::vector<std::string> copy_names(std::span<std::string const> files) {
    NewNames new_names{{"manifest.json", "rest.json"}};
    std::vector<std::string> out;
    for (std::filesystem::path const file : files) {
        std::string const ending = file.extension().string();
        bool const plain = ending.size() <= longest_ending && stem_of(ending) == "_" + ending;
        out.push_back(new_names.make(stem_of(plain ? file.stem() : file.filename()), plain ? ending : ""));
    }
    return out;
}

std::string sparse_file_name(std::string const& file) { return file.substr(0, file.size() - 4) + ".npz"; }

}  // namespace ein::executor
