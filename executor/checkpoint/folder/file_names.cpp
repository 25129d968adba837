#include <cctype>
#include <set>

#include "executor/checkpoint/folder/element_hash.hpp"
#include "executor/checkpoint/folder/manifest.hpp"
#include "lib/base/text/hex.hpp"

namespace ein::executor {

namespace {

constexpr std::size_t longest_stem = 180;  // of the 255 bytes that file systems allow

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

std::string lower(std::string text) {
    for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

}  // namespace

std::vector<std::string> file_names(std::span<std::string const> names) {
    std::set<std::string> taken;
    std::vector<std::string> out;
    for (std::string const& name : names) {
        std::string const stem = stem_of(name);
        std::string file = stem;
        for (int copy = 2; !taken.insert(lower(file)).second; ++copy) file = stem + "~" + std::to_string(copy);
        out.push_back(file + ".npy");
    }
    return out;
}

std::string sparse_file_name(std::string const& file) { return file.substr(0, file.size() - 4) + ".npz"; }

}  // namespace ein::executor
