// Devices that do kernels after their tasks have ended name the node themselves when a kernel finds bad input.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"

namespace ein::executor {

/// Does `work`. @throws InputError that says of which node it is
template <class Work>
void naming_node(std::string const& node, Work const& work) {
    try {
        work();
    } catch (InputError const& error) {
        std::vector<Fault> faults = error.faults();
        for (Fault& fault : faults)
            fault.where = "node '" + node + "'" + (fault.where.empty() ? "" : ", ") + fault.where;
        throw InputError(std::move(faults));
    }
}

}  // namespace ein::executor
