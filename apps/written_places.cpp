#include "apps/written_places.hpp"

#include <sys/stat.h>

#include <map>
#include <optional>
#include <set>

#include "lib/base/error.hpp"
#include "lib/base/files/written_file.hpp"

namespace ein::apps {

namespace fs = std::filesystem;

namespace {

using FileId = std::pair<dev_t, ino_t>;

/// Of a file that is there. A device or a pipe keeps nothing: it is no file.
struct Place {
    std::optional<FileId> id;
    std::string path;  // "" for what is no file
};
Place place_of(fs::path const& path) {
    struct stat found {};
    bool const there = ::stat(path.c_str(), &found) == 0;
    if (there && !S_ISREG(found.st_mode)) return {};
    return {there ? std::optional(FileId(found.st_dev, found.st_ino)) : std::nullopt,
            fs::absolute(path).lexically_normal().string()};
}

/// Files by where they are, whatever they are called.
class Places {
public:
    /// @return the name of the one that is the same file
    std::string const* find(Place const& place) const {
        if (place.id)
            if (auto const at = by_id_.find(*place.id); at != by_id_.end()) return &at->second;
        auto const at = by_path_.find(place.path);
        return at == by_path_.end() ? nullptr : &at->second;
    }
    void add(Place const& place, std::string const& name) {
        if (place.path.empty()) return;
        if (place.id) by_id_.emplace(*place.id, name);
        by_path_.emplace(place.path, name);
    }

private:
    std::map<FileId, std::string> by_id_;
    std::map<std::string, std::string> by_path_;
};

[[noreturn]] void refuse_both(NamedPath const& written, std::string const& other, char const* what) {
    throw UsageError(written.first + ": expected another file than " + other + ", which " + what + ", found '" +
                     written.second.string() + "' for both; give another name");
}

void add_file(tensor::Source const& source, std::string const& tensor, fs::path const& folder,
              std::set<std::string>& known, std::vector<NamedPath>& out) {
    std::string const* const file = tensor::file_of(source);
    if (file != nullptr && known.insert(*file).second)
        out.emplace_back("that of tensor '" + tensor + "'", folder / *file);
}

}  // namespace

void check_written(std::vector<NamedPath> const& written, std::vector<NamedPath> const& read) {
    Places inputs, outputs;
    for (auto const& [name, path] : read)
        if (!path.empty()) inputs.add(place_of(path), name);
    for (NamedPath const& mine : written) {
        if (mine.second.empty()) continue;
        Place const place = place_of(mine.second);
        if (place.path.empty()) continue;
        if (std::string const* const name = inputs.find(place)) refuse_both(mine, *name, "is read");
        if (std::string const* const name = outputs.find(place)) refuse_both(mine, *name, "is written too");
        outputs.add(place, mine.first);
    }
}

std::vector<NamedPath> files_read(graph::EinGraph const& graph, fs::path const& folder) {
    std::vector<NamedPath> out;
    std::set<std::string> known;
    for (graph::Leaf const& leaf : graph.leaves)
        add_file(leaf.source, graph.value(leaf.value).name, folder, known, out);
    return out;
}

std::vector<NamedPath> files_read(schedule::Header const& header, fs::path const& folder) {
    std::vector<NamedPath> out;
    std::set<std::string> known;
    for (schedule::Input const& input : header.inputs)
        add_file(input.source, header.tensors[input.tensor].name, folder, known, out);
    return out;
}

void refuse_to_replace(std::string const& option, fs::path const& path, FileUse use, std::string const& expected) {
    std::error_code error;
    if (path.empty() || fs::is_symlink(path, error) || !fs::is_regular_file(path, error) || is_stream(path)) return;
    std::uintmax_t const bytes = fs::file_size(path, error);
    if (error || bytes == 0) return;
    auto const kind = kind_of_file(path, use);
    if (!kind || !kind->certain || kind->use == use) return;
    throw UsageError(option + ": expected " + expected + ", or none, under that name, found '" + path.string() + "', " +
                     kind->looks + ", which would be lost; give another name, or remove it first");
}

}  // namespace ein::apps
