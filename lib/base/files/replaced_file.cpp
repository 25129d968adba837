#include "lib/base/files/replaced_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/base/files/temporary_name.hpp"

namespace ein {

namespace fs = std::filesystem;

ReplacedFile::ReplacedFile(std::string option, fs::path path)
    : option_(std::move(option)), path_(std::move(path)), is_stream_(is_stream(path_)) {}

ReplacedFile::~ReplacedFile() { discard(); }

void ReplacedFile::check() {
    if (!replaces()) return;  // the reader of a pipe would take this for its end
    create();
    discard();
}

void ReplacedFile::create() {
    if (!replaces()) {
        if (int const error = file_.open_stream(path_)) fail(error);
        return;
    }
    std::error_code ignored;
    if (fs::is_directory(path_, ignored)) fail(EISDIR);
    sweep_leftovers(path_.parent_path(), {path_});
    do {
        temporary_ = temporary_path(path_, unique_name()).filename();
        if (int const error = file_.make(temporary())) {
            temporary_.clear();  // what stands there is not ours
            fail(error);
        }
    } while (!lock_.hold(temporary()));
    made_ = true;
    unfinished_.remember({temporary()});
}

void ReplacedFile::close() {
    if (!file_.is_open()) return;
    if (int const error = file_.close()) fail(error);
}

void ReplacedFile::hand_over() {
    close();
    if (!made_) temporary_.clear();
}

void ReplacedFile::take_over(std::string temporary_name) {
    temporary_ = std::move(temporary_name);
    int const error = replaces() ? file_.open_made(temporary()) : file_.open_stream(path_);
    if (error != 0) fail(error);
    if (int const at_end = replaces() ? file_.go_to_end() : 0) fail(at_end);
}

void ReplacedFile::append(std::string_view text) {
    if (int const error = file_.append(std::as_bytes(std::span(text)))) fail(error);
}

void ReplacedFile::write_at(std::uint64_t offset, std::span<std::byte const> bytes) {
    if (int const error = file_.write_at(offset, bytes)) fail(error);
}

void ReplacedFile::publish() {
    close();
    if (int const error = replaces() ? rename_complete(temporary(), path_) : 0) fail(error);
    temporary_.clear();
    unfinished_.forget();
    lock_.release();
}

void ReplacedFile::write(std::string_view text) {
    create();
    append(text);
    publish();
}

void ReplacedFile::discard() noexcept {
    if (!temporary_.empty()) ::unlink(temporary().c_str());
    temporary_.clear();
    unfinished_.forget();
    lock_.release();
    file_ = WrittenFile();
}

void ReplacedFile::fail(int error) {
    discard();
    bool const full = error == ENOSPC || error == EDQUOT;
    throw RunError((option_.empty() ? "" : option_ + " ") + path_.string() +
                   ": expected to write it, found: " + std::strerror(error) +
                   (full             ? "; free some space or choose another place"
                    : error == EFBIG ? "; raise the limit on file sizes (ulimit -f) or choose another place"
                                     : "; choose another place"));
}

}  // namespace ein
