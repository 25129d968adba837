// For tests with a main of their own: the run of all test cases. Catch2's own sources are compiled here once.
#pragma once

namespace ein::test {

/// Runs the test cases that the arguments of the program choose.
/// @return how many failed
int run_catch(int argc, char** argv);

}  // namespace ein::test
