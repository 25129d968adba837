// A folder of a test's own, removed at its end.
// Example: Folder folder; folder.write("a.txt", "text"); folder.names() is {"a.txt"}.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace ein::test {

struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("ein-files-" + std::to_string(getpid()));
    Folder() {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }

    std::filesystem::path operator/(std::string const& name) const { return path / name; }
    std::filesystem::path write(std::string const& name, std::string const& text) const {
        std::filesystem::create_directories((path / name).parent_path());
        std::ofstream(path / name, std::ios::binary) << text;
        return path / name;
    }
    std::string text_of(std::string const& name) const {
        std::ifstream in(path / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::set<std::string> names() const {
        std::set<std::string> out;
        for (auto const& entry : std::filesystem::directory_iterator(path)) out.insert(entry.path().filename());
        return out;
    }
};

}  // namespace ein::test
