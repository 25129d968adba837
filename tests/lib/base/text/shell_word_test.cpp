#include "lib/base/text/shell_word.hpp"

#include "tests/support/catch.hpp"

using namespace ein;

TEST_CASE("a word of a command is quoted where a shell would cut or change it", "[lib][base]") {
    CHECK(shell_word("a/b-1.sched") == "a/b-1.sched");
    CHECK(shell_word("my g.sched") == "'my g.sched'");
    CHECK(shell_word("$HOME") == "'$HOME'");
    CHECK(shell_word("it's") == "'it'\\''s'");
    CHECK(shell_word("") == "''");
}
