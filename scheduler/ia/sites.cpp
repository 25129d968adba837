#include "scheduler/ia/sites.hpp"

#include <algorithm>

namespace ein::ia {

Sites Sites::part(KeyDims dims) {
    std::sort(dims.begin(), dims.end());
    return Sites(Kind::part, std::move(dims));
}

bool Sites::keeps_together(KeyDims const& dims) const { return is_all() || (is_part() && tra::subset(dims_, dims)); }

int site_of(Key const& key, KeyDims const& dims, int sites) {
    Extent sum = 0;
    for (int dim : dims) sum += key[static_cast<std::size_t>(dim)] % sites;
    return static_cast<int>(sum % sites);
}

std::string text(Sites const& sites) {
    switch (sites.kind()) {
        case Sites::Kind::all: return "ALL";
        case Sites::Kind::part: return "PART" + tra::text(sites.dims());
        case Sites::Kind::scattered: break;
    }
    return "scattered";
}

}  // namespace ein::ia
