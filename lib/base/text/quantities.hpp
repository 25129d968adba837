// Rates and times as people write them in JSON: "100Gbit/s", "12.5 GB/s", "2us", "60 Gflop/s".
// Prefixes of rates and times are powers of 1000 (k, M, G, T, P), with an i powers of 1024 (Gi: GiB/s); sizes are in
// sizes.hpp, and the rule about bits and bytes with them. Example: parse_quantity("100Gbit/s",
// Quantity::bytes_per_second) is 1.25e10; parse_quantity("2us", Quantity::seconds) is 2e-6.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ein {

enum class Quantity { seconds, bytes_per_second, operations_per_second };

/// A number in seconds, bytes/s or operations/s; nothing when the text is none, has no unit, or has one of another
/// quantity. "Gb/s" is refused: bits (Gbit/s, Gbps) or bytes (GB/s) must be said.
std::optional<double> parse_quantity(std::string_view text, Quantity quantity);

/// What parse_quantity takes, for messages: "a time such as \"2us\"".
std::string_view example_of(Quantity quantity);
/// What to write in place of a text that is none: "b may mean bits or bytes: write 8Gbit/s or 8GB/s" for "8Gb/s".
std::string mend_quantity(std::string_view text, Quantity quantity);

/// What may be meant by a number without a unit that no machine has: "2 without a unit is 2 seconds: write "2us" for
/// microseconds, "2s" if that is meant"; "" for others. @param number  in seconds, bytes/s or operations/s
/// @param written  as it stands in the file
std::string note_of_unlikely(double number, std::string const& written, Quantity quantity);

/// Three significant digits and a unit: "2.00 us", "340 ms", "12.5 s".
std::string format_seconds(double seconds);

}  // namespace ein
