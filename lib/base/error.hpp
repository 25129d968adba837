// What goes wrong, and who hears of it: every error knows its exit code; bad input is a list of faults, each with
// its place, what was expected, what was found and the fix. Leaves printing and exiting to apps/.
// Example: Fault{"g.json", "/nodes/3/agg", "sum or max", "'summ'", "write \"sum\""}.text() is
//          "g.json: /nodes/3/agg: expected sum or max, found 'summ'; write \"sum\"".
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ein {

/// Exit codes of the three programs.
enum class ExitCode { done = 0, failure = 1, usage = 2, bad_input = 3, no_memory = 4, mismatch = 5, stopped = 75 };

/// Anything that ends a program early; `what()` is the message for the user, one fault a line.
class Error : public std::runtime_error {
public:
    Error(ExitCode code, std::string const& message) : std::runtime_error(message), code_(code) {}
    ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

/// The text with \xNN for control characters (but line ends and tabs) and for bytes that are not UTF-8: safe to print.
std::string printable(std::string_view text);

/// One thing wrong with an input. `where` is a JSON pointer, "line 3, column 7", an option, or empty.
struct Fault {
    std::string file;
    std::string where;
    std::string expected;
    std::string found;
    std::string fix;

    /// "file: where: expected E, found F; fix", leaving out what is empty.
    std::string text() const;
    friend bool operator==(Fault const&, Fault const&) = default;
};

/// Bad input (exit code 3): all faults that were found.
class InputError : public Error {
public:
    explicit InputError(Fault fault) : InputError(std::vector<Fault>{std::move(fault)}) {}
    explicit InputError(std::vector<Fault> faults);
    std::vector<Fault> const& faults() const { return faults_; }

private:
    std::vector<Fault> faults_;
};

/// A wrong command line (exit code 2).
class UsageError : public Error {
public:
    explicit UsageError(std::string const& message) : Error(ExitCode::usage, message) {}
    explicit UsageError(Fault const& fault) : UsageError(fault.text()) {}
};

/// A failure while running: input or output, MPI, a lost rank (exit code 1).
class RunError : public Error {
public:
    explicit RunError(std::string const& message) : Error(ExitCode::failure, message) {}
};

/// Does not fit in memory (exit code 4).
class MemoryError : public Error {
public:
    explicit MemoryError(std::string const& message) : Error(ExitCode::no_memory, message) {}
};

/// Results differ from the reference, or nothing of them could be compared (exit code 5).
class MismatchError : public Error {
public:
    explicit MismatchError(std::string const& message) : Error(ExitCode::mismatch, message) {}
};

/// A broken promise of our own code (exit code 1): says so and asks for a report.
class InternalError : public Error {
public:
    explicit InternalError(std::string const& message)
        : Error(ExitCode::failure, "internal error: " + message + " (this is a bug in Einloom; please report it)") {}
};

/// Throws InternalError(message) unless `holds`. For promises between our own functions, never for input.
inline void promise(bool holds, std::string_view message) {
    if (!holds) throw InternalError(std::string(message));
}

/// Collects the faults of one file so that all can be reported at once.
class Faults {
public:
    explicit Faults(std::string file) : file_(std::move(file)) {}
    void add(std::string where, std::string expected, std::string found, std::string fix);
    bool empty() const { return faults_.empty(); }
    std::vector<Fault> const& list() const { return faults_; }
    std::string const& file() const { return file_; }
    /// @throws InputError with every fault collected so far, if there is any
    void throw_if_any() const;

private:
    std::string file_;
    std::vector<Fault> faults_;
};

/// "a, b or c": for messages that list what is allowed.
std::string one_of(std::span<std::string const> names);
/// The words with `between` between them.
std::string joined(std::span<std::string const> words, std::string_view between);

}  // namespace ein
