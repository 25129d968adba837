// The structure of targets that read text.
#include "tests/fuzz/mutate.hpp"

void ein::fuzz::mutate_structure(Bytes& input, Bytes const& other, Random& random) {
    mutate_text(input, other, random);
}
