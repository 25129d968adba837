// A text file that is replaced as a whole or not at all: written under a temporary name beside it and renamed when it
// is complete. Devices, pipes and links (/dev/stdout) are written directly. Several processes may append in turn.
// Example: ReplacedFile file("--report", "r.json"); file.create(); file.append("{}\n"); file.publish();
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ein {

class ReplacedFile {
public:
    /// @param option  of the command line that named the file, for messages; may be empty
    ReplacedFile(std::string option, std::filesystem::path path);

    /// Finds before the work is done that the file cannot be made. @throws RunError
    void check() const;

    /// Each throws RunError with the system's reason; what was written so far is then removed.
    void create() const;
    void append(std::string_view text) const;
    void publish() const;
    /// create, append and publish in one.
    void write(std::string_view text) const;

    void discard() const noexcept;

private:
    void open_and_write(int flags, std::string_view text) const;
    [[noreturn]] void fail(int error) const;

    std::string option_;
    std::filesystem::path path_, partial_;
};

}  // namespace ein
