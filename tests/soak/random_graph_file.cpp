// Prints a random graph for the soak test: random_graph_file SEED DTYPE NODES
#include <cstdlib>
#include <iostream>

#include "tests/support/random_graph.hpp"

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: random_graph_file SEED DTYPE NODES\n";
        return 2;
    }
    ein::test::GraphTaste taste;
    taste.dtype = argv[2];
    taste.nodes = std::atoi(argv[3]);
    std::cout << ein::test::random_graph(std::strtoull(argv[1], nullptr, 10), taste).dump(1) << "\n";
    return std::cout.flush() ? 0 : 1;
}
