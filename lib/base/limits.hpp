// The most that a file may ask for, in one table: what is made to harm, or came about by mistake, is refused with a
// message instead of taking all memory or time. The variable EINLOOM_LIMITS moves them; docs/limits.md lists them, and
// those that cannot be moved. Example: EINLOOM_LIMITS=nodes=5000000,text=2GiB einplan huge.json -n 64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ein {

enum class Limit : std::uint8_t {
    text,
    string,
    nesting,
    nodes,
    labels,
    expression,
    npy_header,
    npz_directory,
    safetensors_header,
    schedule_header,
    schedule_section
};

struct LimitRow {
    Limit limit;
    std::string_view name;  // in EINLOOM_LIMITS
    std::int64_t standard;
    bool bytes;             // or a number of things
    std::string_view what;  // it is of
};

/// In the order of Limit.
std::span<LimitRow const> limit_rows();

/// What holds now. @throws UsageError when EINLOOM_LIMITS cannot be read
std::int64_t most(Limit limit);

/// For messages. Examples: "at most 256 MiB", "at most 1000000".
std::string at_most(Limit limit);
/// "1.5 GiB", or a plain number.
std::string amount_text(Limit limit, std::uint64_t amount);
/// "allow more with EINLOOM_LIMITS=text=2GiB": enough for `amount`.
std::string how_to_allow(Limit limit, std::uint64_t amount);

/// @throws InputError when the header of `file` has more bytes than its limit allows
void check_header(std::string const& file, Limit limit, std::uint64_t bytes);

}  // namespace ein
