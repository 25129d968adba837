// Sizes as people write and read them. Powers of 1024 with KiB, MiB, ... or K, M, ...; powers of 1000 with KB, MB, ....
// Bytes are a capital B, or small where all letters are ("8gb"): "8Gb" and rates with a small b may mean bits, and are
// refused with what to write.
// Example: parse_bytes("1.5GiB") is 1610612736; format_bytes(1610612736) is "1.5 GiB".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ein {

/// A number and what stands behind it, without blanks: 1.5, "1.5" and "GiB" of "1.5 GiB".
struct NumberAndUnit {
    double number;
    std::string written, unit;
};
/// Nothing for what does not begin with a finite number.
std::optional<NumberAndUnit> number_and_unit(std::string_view text);

/// Bytes of "8GiB", "500 MB", "64k", "1024"; nothing when the text is no size.
std::optional<std::int64_t> parse_bytes(std::string_view text);

/// "a size such as 8GiB": what parse_bytes takes, for messages.
inline constexpr std::string_view example_of_size = "a size such as 8GiB";
/// What to write in place of what is no size: "b may mean bits: write 8GB or 8GiB" for "8Gb", else the units.
std::string mend_size(std::string_view text);
/// The same of a number and a unit that may mean bits, of sizes ("") or of rates ("/s"); "" where there is none.
std::string mend_bits(std::string_view text, std::string_view per);
/// Of a number of less than 1 MiB without a unit, what it is taken for and what may be meant ("8 without a unit is 8 B:
/// write 8GiB ..."); "" of other texts.
std::string note_of_small(std::string_view text);

/// Three significant digits and a binary unit.
std::string format_bytes(double bytes);

/// For whoever has to type the number: "1.50 GiB (1610612736 bytes)".
std::string format_exact_bytes(std::int64_t bytes);

/// Three significant digits and k, M, G, T, P: "53.1 G" for 5.31e10.
std::string format_count(double count);

}  // namespace ein
