#include "lib/schedule/memory/admission.hpp"

#include <algorithm>
#include <random>

#include "tests/support/catch.hpp"

using namespace ein;
using schedule::Admission;

namespace {

/// The same, task by task.
struct Listed {
    std::vector<std::int64_t> live;
    std::int64_t limit;

    bool admits(std::size_t due, std::int64_t bytes, std::size_t from) const {
        std::int64_t const highest = *std::max_element(live.begin() + static_cast<std::ptrdiff_t>(from),
                                                       live.begin() + static_cast<std::ptrdiff_t>(due));
        return highest + bytes <= limit;
    }
    void add(std::size_t due, std::int64_t bytes) {
        for (std::size_t task = 0; task < due; ++task) live[task] += bytes;
    }
};

TaskId task(std::size_t number) { return TaskId{static_cast<std::int32_t>(number)}; }

}  // namespace

TEST_CASE("what may be made early is what a list of all tasks says", "[lib][schedule][admission]") {
    auto const tasks = GENERATE(std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{8}, std::size_t{9},
                                std::size_t{64}, std::size_t{100});
    CAPTURE(tasks);
    std::mt19937 random(static_cast<unsigned>(tasks));
    auto const draw = [&](std::size_t least, std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(least, most)(random);
    };
    for (int round = 0; round < 20; ++round) {
        Listed plain{std::vector<std::int64_t>(tasks), 150};
        for (std::int64_t& bytes : plain.live) bytes = static_cast<std::int64_t>(draw(0, 100));
        Admission admission(plain.live, plain.limit, plain.limit + 1);
        std::vector<std::pair<std::size_t, std::int64_t>> early;  // made, and due later
        for (int step = 0; step < 100; ++step) {
            std::size_t const from = draw(0, tasks - 2), due = draw(from + 1, tasks - 1);
            auto const bytes = static_cast<std::int64_t>(draw(1, 60));
            bool const fits = plain.admits(due, bytes, from);
            REQUIRE(admission.admits(task(due), bytes, task(from)) == fits);
            if (fits) {
                CHECK(admission.made(task(due), bytes));
                plain.add(due, bytes);
                early.emplace_back(due, bytes);
            } else if (!early.empty()) {
                std::swap(early[draw(0, early.size() - 1)], early.back());
                admission.came_due(task(early.back().first), early.back().second);
                plain.add(early.back().first, -early.back().second);
                early.pop_back();
            }
        }
    }
}
