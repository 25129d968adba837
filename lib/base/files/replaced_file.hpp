// A file that is replaced as a whole or not at all: written under a temporary name beside it (temporary_name.hpp) and
// renamed when it is complete. Devices, pipes and streams (/dev/stdout) are written directly. Other processes may write
// to the file that one of them has made, in turn, once they are told its temporary name.
// Example: ReplacedFile file("--report", "r.json"); file.create(); file.append("{}\n"); file.publish();
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/files/run_lock.hpp"
#include "lib/base/files/unfinished_files.hpp"
#include "lib/base/files/written_file.hpp"

namespace ein {

class ReplacedFile {
public:
    /// @param option  of the command line that named the file, for messages; may be empty
    ReplacedFile(std::string option, std::filesystem::path path);
    ~ReplacedFile();  // removes what was made and not published
    ReplacedFile(ReplacedFile const&) = delete;
    ReplacedFile& operator=(ReplacedFile const&) = delete;

    /// Finds before the work is done that the file cannot be made. @throws RunError
    void check();

    /// Each throws RunError with the system's reason; what was written so far is then removed. Making it removes what
    /// killed processes left of it.
    void create();
    void append(std::string_view text);
    void write_at(std::uint64_t offset, std::span<std::byte const> bytes);
    void publish();
    /// create, append and publish in one.
    void write(std::string_view text);

    /// What another process is told, to go on with the file that this one has made.
    std::string const& temporary_name() const { return temporary_; }
    /// Ends this process's part: what it wrote is there for the next one. Who made the file still publishes it.
    void hand_over();
    /// Goes on at the end of the file that another process has made and handed over.
    void take_over(std::string temporary_name);

    void discard() noexcept;

private:
    bool replaces() const { return !is_stream_; }
    std::filesystem::path temporary() const { return path_.parent_path() / temporary_; }
    void close();
    [[noreturn]] void fail(int error);

    std::string option_;
    std::filesystem::path path_;
    bool is_stream_;
    std::string temporary_;  // name in the same folder; "" when there is none
    bool made_ = false;      // by this process
    WrittenFile file_;
    UnfinishedFiles unfinished_;
    RunLock lock_;
};

}  // namespace ein
