// A sequence with repeats as scopes, groups and ports, not laid out yet. Example: embed, 3 x (q, add), head: the whole
// with three items, and the scope of a copy with an in-port that the first copy feeds from embed, the others by a
// carry.
#pragma once

#include "apps/explain/page/picture.hpp"

namespace ein::apps::explain {

/// The whole first; scopes of groups later than the scope around them.
std::vector<Scope> scopes_of(std::vector<SequenceStep> const& steps, std::vector<Repeat> const& repeats);

}  // namespace ein::apps::explain
