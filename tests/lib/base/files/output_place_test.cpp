#include "lib/base/files/output_place.hpp"

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

TEST_CASE("a missing folder is reported by its own name", "[lib][base][output_place]") {
    CHECK_NOTHROW(require_folder_of("x.sched"));
    CHECK_NOTHROW(require_folder_of("/dev/x.sched"));
    CHECK_THROWS_WITH(require_folder_of("/none/x.sched"),
                      "/none/x.sched: expected the folder /none to write it in, found none; make it, or choose another "
                      "place");
    CHECK_THROWS_AS(require_folder_of("/dev/null/x.sched"), RunError);
}
