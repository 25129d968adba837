#include "lib/base/files/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <vector>

#include "lib/base/files/missing_path.hpp"
#include "lib/base/json.hpp"
#include "lib/base/limits.hpp"

namespace ein {

namespace fs = std::filesystem;

namespace {

/// A descriptor that is closed at the end.
class Located {
public:
    explicit Located(int descriptor) : descriptor_(descriptor) {}
    ~Located() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Located(Located const&) = delete;
    Located& operator=(Located const&) = delete;

    int descriptor() const { return descriptor_; }
    std::string itself() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

    /// Where it is now, without links on the way.
    std::string place() const {
        std::array<char, PATH_MAX> text{};
        ssize_t const length = ::readlink(itself().c_str(), text.data(), text.size());
        if (length < 0)
            throw RunError("--inputs-below: expected /proc, which says where files are, found none; mount it");
        return {text.data(), static_cast<std::size_t>(length)};
    }

private:
    int descriptor_;
};

/// Each ends with '/'; the first is that of --inputs-below. None: a file may be anywhere.
std::vector<std::string>& boundaries() {
    static std::vector<std::string> folders;
    return folders;
}

std::string place_of_folder(fs::path const& folder) {
    Located const located(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (located.descriptor() < 0)
        throw UsageError(Fault{"", "--inputs-below", "a folder",
                               (errno == ENOENT ? "none at '" : "something else at '") + folder.string() + "'",
                               mend_missing(folder, PathIs::folder, "name one that is there")});
    std::string place = located.place();
    if (!place.ends_with('/')) place += '/';
    return place;
}

/// Whether a file or folder that is there is, or is in, a folder in which data files may be.
bool lies_within(fs::path const& path) {
    std::error_code unknown;
    std::string const place = fs::canonical(path, unknown).string() + '/';
    std::vector<std::string> const& folders = boundaries();
    return !unknown && (folders.empty() || std::ranges::any_of(folders, [&](std::string const& folder) {
                            return place.starts_with(folder);
                        }));
}

std::string read_descriptor(int descriptor, fs::path const& path) {
    auto const limit = static_cast<std::size_t>(most(Limit::text));
    std::string text;
    std::size_t size = 0;
    struct stat status {};
    std::size_t const expected = ::fstat(descriptor, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
    text.resize(std::min(expected, limit) + 1);
    while (size <= limit && expected <= limit) {
        if (size == text.size()) text.resize(std::min(2 * size, limit + 1));
        ssize_t const got = ::read(descriptor, text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw InputError(unreadable(path, errno));
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    if (size > limit || expected > limit)
        throw InputError(Fault{path.string(), "", "a text of " + at_most(Limit::text),
                               expected > limit ? amount_text(Limit::text, expected) : "more",
                               "make it smaller, or " + how_to_allow(Limit::text, std::max(expected, 2 * limit))});
    text.resize(size);
    return text;
}

std::string read_opened(int descriptor, fs::path const& path) {
    Located const file(descriptor);
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode))
        throw InputError(Fault{path.string(), "", "a file", "a folder", "name a file in it"});
    return read_descriptor(descriptor, path);
}

}  // namespace

void keep_inputs_below(fs::path const& folder) {
    if (!folder.empty()) boundaries() = {place_of_folder(folder)};
}

void keep_inputs_in_too(fs::path const& folder) {
    if (!boundaries().empty()) boundaries().push_back(place_of_folder(folder));
}

Fault unreadable_input(fs::path const& path, int error) {
    Fault fault{path.string(), "", "a file that can be read", found_unopened(error),
                "check the path and its permissions"};
    fs::path const parent = path.parent_path();
    bool const shown = boundaries().empty() || lies_within(parent.empty() ? "." : parent);
    return shown ? unreadable(path, error) : fault;
}

bool may_be_input(fs::path const& path) {
    std::error_code unknown;
    return fs::is_regular_file(path, unknown) && lies_within(path);
}

/// The file is found before it is opened, and what is opened is what was found: nobody can change links in between.
int open_input(fs::path const& path) {
    constexpr int reading = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    std::vector<std::string> const& folders = boundaries();
    if (folders.empty()) return ::open(path.c_str(), reading);
    Located const located(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (located.descriptor() < 0) return -1;
    std::string const place = located.place();
    std::string const& below = folders.front();
    if (std::none_of(folders.begin(), folders.end(), [&](auto const& folder) { return place.starts_with(folder); }))
        throw InputError(Fault{
            path.string(), "",
            "a data file below " + below.substr(0, std::max<std::size_t>(1, below.size() - 1)) + " (--inputs-below)",
            place, "copy it there, or name a folder that holds it"});
    return ::open(located.itself().c_str(), reading);
}

int open_kept(fs::path const& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW); }

std::string read_text_file(fs::path const& path) {
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw InputError(unreadable(path, errno));
    return read_opened(descriptor, path);
}

std::string read_input_text(fs::path const& path) {
    int const descriptor = open_input(path);
    if (descriptor < 0) throw InputError(unreadable_input(path, errno));
    return read_opened(descriptor, path);
}

}  // namespace ein
