#include <array>
#include <cstring>
#include <random>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/base/error.hpp"
#include "tests/executor/device/random_kernel.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

/// A box of `length` somewhere around [begin, begin + length).
Box around(std::vector<Extent> const& begin, Shape const& length, std::mt19937& random) {
    Box box{begin, length};
    for (std::size_t axis = 0; axis < begin.size(); ++axis) {
        Extent const before = static_cast<Extent>(random() % 3);
        box.begin[axis] -= before;
        box.length[axis] += before + static_cast<Extent>(random() % 3);
    }
    return box;
}

struct Copy {
    CopyCall call;
    std::vector<graph::AxisMap> axes;
    std::vector<std::byte> from, to;
};

void random_copy(Copy& copy, std::size_t order, Extent longest, std::mt19937& random) {
    Box region;
    std::vector<Extent> from_begin, from_length;
    for (std::size_t axis = 0; axis < order; ++axis) {
        Extent const length = 1 + static_cast<Extent>(random() % static_cast<std::uint64_t>(longest));
        Extent const begin = static_cast<Extent>(random() % 5);
        graph::AxisMap const map{static_cast<Extent>(random() % 7) + 100,
                                 std::array<Extent, 4>{1, 1, -1, 3}[random() % 4]};
        region.begin.push_back(begin);
        region.length.push_back(length);
        copy.axes.push_back(map);
        Extent const first = map.start + map.step * begin, last = map.start + map.step * (begin + length - 1);
        from_begin.push_back(std::min(first, last));
        from_length.push_back(std::max(first, last) - std::min(first, last) + 1);
    }
    copy.call.region = region;
    copy.call.dtype = static_cast<DType>(random() % dtype_count);
    copy.call.from_box = around(from_begin, from_length, random);
    copy.call.to_box = around(region.begin, region.length, random);
    copy.from = random_bytes(copy.call.from_box.elements(), copy.call.dtype, random);
    copy.to = random_bytes(copy.call.to_box.elements(), copy.call.dtype, random);
    copy.call.axes = copy.axes;
    copy.call.from = copy.from.data();
}

std::vector<std::byte> run(Copy const& copy, Device& device, WorkerTeam& team) {
    std::vector<std::byte> to = copy.to;
    CopyCall call = copy.call;
    call.to = to.data();
    device.copy(call, team);
    return to;
}

}  // namespace

TEST_CASE("copies of regions move every byte as the reference does", "[executor][device]") {
    std::mt19937 random(31);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (int round = 0; round < 600; ++round) {
        Copy copy;
        random_copy(copy, random() % 5, 7, random);
        CAPTURE(round, to_string(copy.call.region), name(copy.call.dtype));
        REQUIRE(run(copy, cpu, solo) == run(copy, reference, solo));
    }
    TestTeam team(3);
    for (int round = 0; round < 5; ++round) {
        Copy copy;
        random_copy(copy, 2, 900, random);
        CAPTURE(round, to_string(copy.call.region), name(copy.call.dtype));
        REQUIRE(run(copy, cpu, team) == run(copy, reference, solo));
    }
}

TEST_CASE("a large region that runs backwards is written whole, past the cache", "[executor][device]") {
    DType const type = GENERATE(DType::u8, DType::f16, DType::f32, DType::f64, DType::c128);
    Extent const elements = (Extent{33} << 20) / static_cast<Extent>(size_of(type)), columns = 1003;
    Box const all{{0, 0}, {elements / columns, columns}};
    std::mt19937 random(7);
    Copy copy;
    copy.axes = {{0, 1}, {columns - 1, -1}};
    copy.call.region = copy.call.from_box = copy.call.to_box = all;
    copy.call.dtype = type;
    copy.from = random_bytes(all.elements(), type, random);
    copy.to = random_bytes(all.elements(), type, random);
    copy.call.axes = copy.axes;
    copy.call.from = copy.from.data();
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam team(3);
    auto const once = run(copy, cpu, team);
    CHECK((once == run(copy, reference, solo)));
}

TEST_CASE("an empty region writes nothing", "[executor][device]") {
    std::array<graph::AxisMap, 1> const axes{};
    CopyCall const call{nullptr, {{0}, {0}}, nullptr, {{0}, {0}}, {{0}, {0}}, axes, DType::f32};
    SoloWorkerTeam solo;
    CpuDevice().copy(call, solo);
    ReferenceDevice().copy(call, solo);
}

TEST_CASE("reshapes move shared elements directly, packed and unpacked", "[executor][device]") {
    schedule::ReshapeSpec const spec =
        GENERATE(schedule::ReshapeSpec{"", {6, 10}, {4, 15}}, schedule::ReshapeSpec{"", {60}, {3, 4, 5}},
                 schedule::ReshapeSpec{"", {6, 1, 10}, {2, 3, 10}}, schedule::ReshapeSpec{"", {2, 3, 4}, {24}});
    std::mt19937 random(17);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (int round = 0; round < 60; ++round) {
        auto const cut = [&](Shape const& shape) {
            Box box = Box::whole(shape);
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                box.begin[axis] = static_cast<Extent>(random()) % shape[axis];
                box.length[axis] = 1 + static_cast<Extent>(random()) % (shape[axis] - box.begin[axis]);
            }
            return box;
        };
        Box const from_box = cut(spec.from), to_box = cut(spec.to);
        for (auto const form : {ReshapeCall::Form::direct, ReshapeCall::Form::pack, ReshapeCall::Form::unpack}) {
            std::vector<std::byte> const from = random_bytes(60, DType::f64, random),
                                         before = random_bytes(60, DType::f64, random);
            std::vector<std::byte> ours = before, theirs = before;
            cpu.reshape({from.data(), ours.data(), from_box, to_box, &spec, form, DType::f64}, solo);
            reference.reshape({from.data(), theirs.data(), from_box, to_box, &spec, form, DType::f64}, solo);
            REQUIRE(ours == theirs);
        }
    }
}

TEST_CASE("fills write one value of any dtype", "[executor][device]") {
    for (int d = 0; d < dtype_count; ++d) {
        DType const type = static_cast<DType>(d);
        std::vector<std::byte> ours(1000 * size_of(type)), theirs = ours;
        for (scalar::Scalar const value :
             {scalar::Scalar::of(std::int64_t{1}), scalar::Scalar::of(std::complex<double>(2.5, 0))}) {
            TestTeam team(2);
            CpuDevice().fill(ours.data(), 1000, type, value, team);
            ReferenceDevice().fill(theirs.data(), 1000, type, value, team);
            CAPTURE(name(type));
            CHECK(ours == theirs);
        }
    }
}

TEST_CASE("devices are made by name, and a device that this build has not explains itself", "[executor][device]") {
    CHECK(make_device(device_choice_from_text("reference"))->name() == "reference");
    CHECK_THROWS_AS(device_choice_from_text("tpu"), UsageError);
    CHECK(device_choice_from_text("gpu").kind == DeviceKind::cuda);
    CHECK(device_choice_from_text("cuda").kind == DeviceKind::cuda);
    CHECK_THROWS_AS(device_choice_from_text("cuda:0"), UsageError);
    setenv("EINLOOM_CUDA_LIBRARIES", "/nowhere", 1);
    CHECK(make_device(device_choice_from_text("auto"))->name() == "cpu");
    CHECK_THROWS_WITH(make_device({DeviceKind::cuda}),
                      Catch::Contains("--device cuda: expected") && Catch::Contains("use --device cpu"));
}
