// Saves a checkpoint over the one before, as a run does: checkpoint_saver DIR SEED. Exit code 1 and a message for a
// RunError. The crash tests start it.
#include <cstdio>
#include <cstdlib>

#include "lib/base/error.hpp"
#include "tests/executor/checkpoint/folder/saved_values.hpp"

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    try {
        ein::test::save_as_runs_do(argv[1], ein::test::few_values(static_cast<unsigned>(std::atoi(argv[2]))));
        return 0;
    } catch (ein::RunError const& error) {
        std::puts(error.what());
        return 1;
    }
}
