// A line of transposing.txt as an EinSum, for benchmarks of kernels.
// Example: "rev|abc,cd->dba|8,9,10 10,4" is "abc,cd->dba" with extents 8, 9, 10 and 4, under the name rev.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>

#include "lib/base/error.hpp"
#include "tests/executor/device/kernel_case.hpp"

namespace ein::executor {

struct ContractionLine {
    std::string name, form;
    graph::EinSum einsum;
};

/// @param join  of operands x and y; their product where it is empty
/// @throws InternalError when the line has too few extents
inline ContractionLine read_contraction(std::string const& line, std::string const& join = "") {
    ContractionLine out;
    std::istringstream fields(line);
    std::string extents;
    std::getline(std::getline(std::getline(fields, out.name, '|'), out.form, '|'), extents, '|');
    std::replace(extents.begin(), extents.end(), ',', ' ');
    std::istringstream numbers(extents);
    out.einsum = einsum(out.form, {}, join);
    out.einsum.extents.resize(out.einsum.labels.size());
    for (auto const& axes : out.einsum.inputs)
        for (int label : axes)
            if (!(numbers >> out.einsum.extents[at(label)])) throw InternalError(line + ": too few extents");
    return out;
}

}  // namespace ein::executor
