#define CATCH_CONFIG_RUNNER
#include "tests/support/run_catch.hpp"

#include "tests/support/catch.hpp"

int ein::test::run_catch(int argc, char** argv) { return Catch::Session().run(argc, argv); }
