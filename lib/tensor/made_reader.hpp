// Readers of tensors that are in no file: one value everywhere, values written in the graph, random numbers.
#pragma once

#include "lib/tensor/formats/file_reader.hpp"

namespace ein::tensor {

std::unique_ptr<Reader> open_fill(FillSource const& source, Wanted const& wanted);
std::unique_ptr<Reader> open_values(ValuesSource const& source, Wanted const& wanted);
std::unique_ptr<Reader> open_random(RandomSource const& source, Wanted const& wanted);

}  // namespace ein::tensor
