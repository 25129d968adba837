// Sections whose tasks are done again under the next names (Section::repeat), written out. Readers of schedule files
// get them so; whoever only counts need not.
// Example: tasks load A, load B | apply a = A, apply b = B a | store; the second apply and its load are done twice
// more: load A, B, C, D | a = A, b = B a, c = C b, d = D c | store.
#pragma once

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Why the section's repeat is none that can be written out; nothing where it can, and where it has none.
std::vector<std::string> faults_of_repeat(Section const& section, Rank rank);

/// @param section  sound (verify.hpp), as a whole and in what it repeats
Section unrolled(Header const& header, Section section);

/// All sections.
Schedule unrolled(Schedule schedule);

}  // namespace ein::schedule
