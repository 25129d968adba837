#include "lib/graph/rest/rest_of.hpp"
#include "lib/base/error.hpp"
namespace ein::graph {
EinGraph rest_of(EinGraph const&, Progress const&, std::vector<Saved> const&) { throw RunError("no rest yet"); }
}
