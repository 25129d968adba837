#include "scheduler/place/assignment.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/support/catch.hpp"

using namespace ein;

namespace {

double sum(std::vector<std::vector<double>> const& weights, std::vector<int> const& columns) {
    double out = 0;
    for (std::size_t row = 0; row < weights.size(); ++row) out += weights[row][static_cast<std::size_t>(columns[row])];
    return out;
}

double best_of_all(std::vector<std::vector<double>> const& weights) {
    std::vector<int> columns(weights.front().size());
    std::iota(columns.begin(), columns.end(), 0);
    double best = -1e300;
    do best = std::max(best, sum(weights, columns));
    while (std::next_permutation(columns.begin(), columns.end()));
    return best;
}

}  // namespace

TEST_CASE("the example of the header", "[scheduler][assignment]") {
    CHECK(scheduler::assign({{5, 1}, {6, 5}}) == std::vector<int>{0, 1});
    CHECK(scheduler::assign({}).empty());
}

TEST_CASE("no assignment weighs more", "[scheduler][assignment]") {
    std::uint64_t state = 12345;
    auto draw = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>((state >> 33) % 20);
    };
    for (int round = 0; round < 300; ++round) {
        std::size_t const rows = 1 + static_cast<std::size_t>(round) % 5;
        std::size_t const columns = rows + static_cast<std::size_t>(round / 5) % 3;
        std::vector<std::vector<double>> weights(rows, std::vector<double>(columns));
        for (auto& row : weights)
            for (double& weight : row) weight = draw();
        auto const found = scheduler::assign(weights);
        CHECK(std::set<int>(found.begin(), found.end()).size() == rows);
        CHECK(sum(weights, found) == best_of_all(weights));
    }
}
