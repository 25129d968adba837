#include "lib/base/files/replaced_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/base/error.hpp"

namespace ein {

namespace fs = std::filesystem;

namespace {
bool is_written_directly(fs::path const& path) {
    std::error_code ignored;
    fs::file_status const status = fs::symlink_status(path, ignored);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}
}  // namespace

ReplacedFile::ReplacedFile(std::string option, fs::path path)
    : option_(std::move(option)),
      path_(std::move(path)),
      partial_(is_written_directly(path_) ? path_ : fs::path(path_.string() + ".partial")) {}

void ReplacedFile::check() const {
    if (partial_ == path_) return;  // the reader of a pipe would take this for its end
    create();
    discard();
}

void ReplacedFile::create() const {
    std::error_code ignored;
    if (fs::is_directory(path_, ignored)) fail(EISDIR);
    open_and_write(O_CREAT | O_TRUNC, "");
}

void ReplacedFile::append(std::string_view text) const { open_and_write(O_APPEND, text); }

void ReplacedFile::publish() const {
    if (partial_ != path_ && ::rename(partial_.c_str(), path_.c_str()) != 0) fail(errno);
}

void ReplacedFile::write(std::string_view text) const {
    create();
    append(text);
    publish();
}

void ReplacedFile::discard() const noexcept {
    if (partial_ != path_) ::unlink(partial_.c_str());
}

void ReplacedFile::open_and_write(int flags, std::string_view text) const {
    int const file = ::open(partial_.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
    if (file < 0) fail(errno);
    int error = 0;
    while (!text.empty() && error == 0) {
        ssize_t const done = ::write(file, text.data(), text.size());
        if (done > 0) text.remove_prefix(static_cast<std::size_t>(done));
        if (done < 0 && errno != EINTR) error = errno;
    }
    if (::close(file) != 0 && error == 0 && errno != EINTR) error = errno;
    if (error != 0) fail(error);
}

void ReplacedFile::fail(int error) const {
    if (error != EISDIR) discard();
    bool const full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    throw RunError((option_.empty() ? "" : option_ + " ") + path_.string() +
                   ": expected to write it, found: " + std::strerror(error) +
                   (full ? "; free some space or choose another place" : "; choose another place"));
}

}  // namespace ein
