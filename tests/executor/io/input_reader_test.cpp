#include "executor/io/input_reader.hpp"

#include <atomic>

#include "lib/tensor/random.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

/// Another reader's elements, and how they were asked for.
class CountedReader final : public tensor::Reader {
public:
    CountedReader(std::unique_ptr<tensor::Reader> reader, bool in_parts, std::atomic<int>& reads)
        : reader_(std::move(reader)), in_parts_(in_parts), reads_(reads) {}
    void read(Box const& box, std::span<std::byte> out) const override {
        ++reads_;
        reader_->read(box, out);
    }
    bool reads_in_parts() const override { return in_parts_; }

private:
    std::unique_ptr<tensor::Reader> reader_;
    bool in_parts_;
    std::atomic<int>& reads_;
};

}  // namespace

TEST_CASE("a large box is loaded in parts, each in its place", "[executor][io]") {
    auto const& [shape, box, in_parts, threads, least] = GENERATE(table<Shape, Box, bool, int, int>({
        {{3'000'017}, {{5}, {3'000'000}}, true, 3, 10},
        {{2, 3, 700'001}, {{0, 0, 0}, {2, 3, 700'001}}, true, 5, 12},
        {{1, 1, 1'500'000, 2}, {{0, 0, 7, 0}, {1, 1, 1'400'000, 2}}, true, 4, 10},
        {{40, 9, 8192}, {{3, 1, 0}, {33, 7, 8191}}, true, 2, 7},
        {{3000, 7, 101}, {{1, 0, 1}, {2998, 7, 99}}, true, 16, 7},
        {{2, 3, 700'001}, {{0, 0, 0}, {2, 3, 700'001}}, false, 5, 1},
        {{2, 3, 700'001}, {{0, 0, 0}, {2, 3, 700'001}}, true, 1, 1},
        {{2, 3, 7}, {{0, 0, 0}, {2, 3, 7}}, true, 5, 1},
        {{}, {{}, {}}, true, 5, 1},
    }));
    tensor::RandomSource const source{tensor::Distribution::normal, 0, 1, 5};
    test::ScheduleBuilder b(1);
    b.tensor("X", shape, DType::f32);
    b.load(0, "x", "X", box);
    b.store(0, "x");
    auto const schedule = b.finish();
    schedule::Section const& section = schedule.sections[Rank{0}];
    std::vector<std::byte> whole(static_cast<std::size_t>(box.elements()) * 4), parts(whole.size());
    tensor::open(source, "X", DType::f32, shape, ".")->read(box, whole);

    std::atomic<int> reads = 0;
    InputReader const reader(
        std::make_unique<CountedReader>(tensor::open(source, "X", DType::f32, shape, "."), in_parts, reads));
    TestTeam team(threads);
    reader.read(section, section.blocks[BlockId(0)], parts, team);
    CHECK(parts == whole);
    CHECK(reads >= least);
    CHECK((least > 1 || reads == 1));
}
