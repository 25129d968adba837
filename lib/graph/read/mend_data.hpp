// What to write in place of a "data" that is none of ours: kinds of data by the names of other libraries, files of
// formats that have to be converted, with the line of Python that does so, and what stands without braces. Example:
// {"hdf5": "X.h5", "dataset": "x"} is mended by convert it: numpy.save("X.npy", h5py.File("X.h5")["x"][:]), then
// {"npy": "X.npy"}.
#pragma once

#include <string>

#include "lib/base/json.hpp"

namespace ein::graph {

/// Of a value that is no object.
std::string mend_data(Json const& value);

/// Of a tensor that is a file's name or a number.
std::string mend_tensor(Json const& value);

/// Of an object without any of our kinds of data; "" where none of its keys is known.
std::string mend_kind_of_data(Json const& data);

}  // namespace ein::graph
