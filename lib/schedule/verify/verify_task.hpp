// Whether a task of each kind is sound: boxes, dtypes and formats of its blocks fit what the kind does with them.
#pragma once

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// @param task  with the fields of its kind (has_its_fields)
bool is_sound(Header const& header, Section const& section, Task const& task);

bool is_inside(BoxView box, Shape const& shape);
bool is_possible_shape(Shape const& shape, DType dtype);

}  // namespace ein::schedule
