// Reads a file of listed elements and writes it as a sparse output and as a dense one: for scipy_test.py.
// Usage: sparse_listing mtx|scipy FILE DTYPE OUT.npz OUT.npy
#include <cstdio>
#include <string>

#include "lib/base/error.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/sparse/output/sparse_output.hpp"

int main(int count, char** arguments) {
    using namespace ein;
    using namespace ein::tensor;
    if (count != 6) return 2;
    try {
        std::string const kind = arguments[1], file = arguments[2];
        Source const source = kind == "mtx" ? Source(MtxSource{file}) : Source(ScipySource{file});
        Shape const shape = contents_of(source, "A", "").value().shape;
        DType const dtype = dtype_from_name(arguments[3]).value();
        write_sparse(arguments[4], *open_sparse(source, "A", dtype, shape, ""), {});
        write_npy(arguments[5], read_all(source, "A", dtype, shape, ""));
        return 0;
    } catch (Error const& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.code());
    }
}
