#include <array>
#include <random>

#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/cuda/host_cuda_device.hpp"
#include "tests/executor/device/random_kernel.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::executor::cuda;

namespace {

constexpr Gpu small{2, 64, 2000};  // larger copies have indices of 64 bits

Box around(std::vector<Extent> const& begin, Shape const& length, std::mt19937& random) {
    Box box{begin, length};
    for (std::size_t axis = 0; axis < begin.size(); ++axis) {
        Extent const before = random() % 2 == 0 ? 0 : static_cast<Extent>(4 * (random() % 2) + random() % 3);
        box.begin[axis] -= before;
        box.length[axis] += before + static_cast<Extent>(random() % 2 == 0 ? 0 : random() % 9);
    }
    return box;
}

/// A region copy with its blocks; steps of 1, -1 and 3.
struct Copy {
    std::vector<graph::AxisMap> axes;
    std::vector<std::byte> from, to;
    CopyCall call;

    Copy(std::size_t order, Extent longest, std::mt19937& random) {
        Box region;
        std::vector<Extent> from_begin, from_length;
        for (std::size_t axis = 0; axis < order; ++axis) {
            Extent const length = 1 + static_cast<Extent>(random() % static_cast<std::uint64_t>(longest));
            Extent const begin = static_cast<Extent>(random() % 5);
            axes.push_back(
                {static_cast<Extent>(random() % 7) + 100, std::array<Extent, 5>{1, 1, 1, -1, 3}[random() % 5]});
            Extent const first = axes.back().start + axes.back().step * begin,
                         last = first + axes.back().step * (length - 1);
            region.begin.push_back(begin);
            region.length.push_back(length);
            from_begin.push_back(std::min(first, last));
            from_length.push_back(std::max(first, last) - from_begin.back() + 1);
        }
        call.dtype = static_cast<DType>(random() % dtype_count);
        call.region = region;
        call.from_box = around(from_begin, from_length, random);
        call.to_box = around(region.begin, region.length, random);
        from = random_bytes(call.from_box.elements(), call.dtype, random);
        to = random_bytes(call.to_box.elements(), call.dtype, random);
        call.from = from.data();
        call.axes = axes;
    }

    std::vector<std::byte> run(Device& device) {
        std::vector<std::byte> output = to;
        call.to = output.data();
        SoloWorkerTeam solo;
        device.copy(call, solo);
        return output;
    }
};

struct Reshape {
    schedule::ReshapeSpec spec;
    Box from_box, to_box;
    ReshapeCall::Form form;
    DType dtype;
    std::vector<std::byte> from, to;

    Reshape(schedule::ReshapeSpec const& of, ReshapeCall::Form as, std::mt19937& random)
        : spec(of),
          from_box(cut(of.from, random)),
          to_box(cut(of.to, random)),
          form(as),
          dtype(static_cast<DType>(random() % dtype_count)) {
        Extent const elements = element_count(of.from);
        from = random_bytes(elements, dtype, random);
        to = random_bytes(elements, dtype, random);
    }

    /// A part of each axis; often the whole, or a multiple of 4.
    static Box cut(Shape const& shape, std::mt19937& random) {
        Box box = Box::whole(shape);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (random() % 2 == 0) continue;
            Extent const unit = shape[axis] % 4 == 0 && random() % 2 == 0 ? 4 : 1, units = shape[axis] / unit;
            Extent const begin = static_cast<Extent>(random()) % units;
            box.begin[axis] = begin * unit;
            box.length[axis] = (1 + static_cast<Extent>(random()) % (units - begin)) * unit;
        }
        return box;
    }

    std::vector<std::byte> run(Device& device) const {
        std::vector<std::byte> output = to;
        SoloWorkerTeam solo;
        device.reshape({from.data(), output.data(), from_box, to_box, &spec, form, dtype}, solo);
        return output;
    }
};

}  // namespace

TEST_CASE("generated copies, reshapes and fills move every byte as the reference does", "[executor][device][cuda]") {
    std::mt19937 random(31);
    ReferenceDevice reference;
    HostCudaDevice device(small);
    std::vector<Copy> copies;
    for (int round = 0; round < 300; ++round) copies.emplace_back(random() % 5, round % 10 == 0 ? 70 : 9, random);
    std::vector<Reshape> reshapes;
    for (schedule::ReshapeSpec const& spec : std::initializer_list<schedule::ReshapeSpec>{{"", {6, 10}, {4, 15}},
                                                                                          {"", {60}, {3, 4, 5}},
                                                                                          {"", {6, 1, 10}, {2, 3, 10}},
                                                                                          {"", {2, 3, 4}, {24}},
                                                                                          {"", {8, 64}, {8, 4, 16}},
                                                                                          {"", {8, 4, 16}, {32, 16}},
                                                                                          {"", {130, 70}, {700, 13}},
                                                                                          {"", {}, {1, 1}}})
        for (int round = 0; round < 12; ++round)
            for (auto const form : {ReshapeCall::Form::direct, ReshapeCall::Form::pack, ReshapeCall::Form::unpack})
                reshapes.emplace_back(spec, form, random);
    auto const run_fills = [&](Device& to, DType dtype, scalar::Scalar const& value, std::size_t skipped) {
        std::vector<std::byte> bytes(16 * 1003);
        SoloWorkerTeam solo;
        to.fill(bytes.data() + skipped * size_of(dtype), 1000, dtype, value, solo);
        return bytes;
    };
    std::array const values{scalar::Scalar::of(std::int64_t{1}), scalar::Scalar::of(std::complex<double>(2.5, 0))};
    auto const for_each_fill = [&](auto const& visit) {
        for (int d = 0; d < dtype_count; ++d)
            for (scalar::Scalar const& value : values)
                for (std::size_t skipped : {0, 1}) visit(static_cast<DType>(d), value, skipped);
    };
    for (Copy& copy : copies) copy.run(device);
    for (Reshape const& reshape : reshapes) reshape.run(device);
    for_each_fill(
        [&](DType d, scalar::Scalar const& value, std::size_t skipped) { run_fills(device, d, value, skipped); });
    CHECK(device.gathered() < 130);  // few kernels do them all
    device.compile();

    for (Copy& copy : copies) {
        CAPTURE(to_string(copy.call.region), name(copy.call.dtype));
        REQUIRE(copy.run(device) == copy.run(reference));
    }
    for (Reshape const& reshape : reshapes) {
        CAPTURE(to_string(reshape.spec.from), to_string(reshape.from_box), to_string(reshape.spec.to),
                to_string(reshape.to_box), static_cast<int>(reshape.form), name(reshape.dtype));
        REQUIRE(reshape.run(device) == reshape.run(reference));
    }
    for_each_fill([&](DType d, scalar::Scalar const& value, std::size_t skipped) {
        CAPTURE(name(d), skipped);
        REQUIRE(run_fills(device, d, value, skipped) == run_fills(reference, d, value, skipped));
    });
    CHECK(device.runs_of("reshape") > 10);
    CHECK(device.runs_of("count") > 10);
}
