// Schedule values to FlatBuffers bytes and back. Leaves the container, checksums and verification to file.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

using Bytes = std::vector<std::uint8_t>;

/// Stands for an id that is absent.
inline constexpr std::int32_t absent = -1;
/// Stands for RawSource::offset where none is given.
inline constexpr std::int64_t no_offset = -1;

Bytes encode(Header const& header);
Bytes encode(Section const& section);

/// @param file  names the file in errors
/// @throws InputError for bytes that are no such table or hold what no schedule holds (an unknown dtype, an unreadable
/// join)
Header decode_header(std::span<std::uint8_t const> bytes, std::string const& file);
Section decode_section(std::span<std::uint8_t const> bytes, std::string const& file);

}  // namespace ein::schedule
