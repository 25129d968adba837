// Listed elements of sources that are in no sparse file: random with a density, and dense ones.
#include <cmath>
#include <complex>
#include <cstring>
#include <set>

#include "lib/base/error.hpp"
#include "lib/tensor/random.hpp"
#include "lib/tensor/sparse/random_places.hpp"
#include "tests/lib/tensor/sparse/sparse_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::tensor;
using samples::wrong_blocks;

namespace {

RandomSource uniform(std::uint64_t seed, double low = 1, double high = 2) {
    return {Distribution::uniform, low, high, seed};
}

std::unique_ptr<SparseReader> random_reader(Shape const& shape, double density, DType dtype = DType::f32,
                                            std::uint64_t seed = 3) {
    return open_sparse(SparseRandomSource{uniform(seed), density}, "A", dtype, shape, "");
}

}  // namespace

TEST_CASE("any cut of a random sparse tensor gives the same elements", "[lib][tensor][sparse]") {
    std::mt19937 random(1);
    for (Shape const& shape : {Shape{}, Shape{1}, Shape{5000}, Shape{0, 4}, Shape{300, 200}, Shape{1, 3000},
                               Shape{40, 50, 60}, Shape{7, 8, 9, 10, 3}}) {
        for (double density : {0.0, 0.003, 0.3, 0.97, 1.0}) {
            CAPTURE(to_string(shape), density);
            auto const reader = random_reader(shape, density);
            HostTensor const zeros(DType::f32, shape);
            HostTensor const whole = read_all(SparseRandomSource{uniform(3), density}, "A", DType::f32, shape, "");
            for (int k = 0; k < 4; ++k) CHECK(wrong_blocks(*reader, whole, zeros, k % 2 == 0, random) == "");
        }
    }
}

TEST_CASE("a listed random element is that of the dense tensor, for every dtype", "[lib][tensor][sparse]") {
    Shape const shape{60, 70};
    for (int type = 0; type < dtype_count; ++type) {
        auto const dtype = static_cast<DType>(type);
        for (Distribution distribution : {Distribution::uniform, Distribution::normal}) {
            RandomSource const source{distribution, 1, 5, 11};
            HostTensor const dense = read_all(source, "A", dtype, shape, "");
            HostTensor const sparse = read_all(SparseRandomSource{source, 0.4}, "A", dtype, shape, "");
            CHECK(read_all(SparseRandomSource{source, 1}, "A", dtype, shape, "").bytes() == dense.bytes());
            std::size_t const size = size_of(dtype);
            std::vector<std::byte> const zero(size);
            int differ = 0;
            for (std::size_t at = 0; at < dense.bytes().size(); at += size) {
                bool const listed = std::memcmp(sparse.bytes().data() + at, zero.data(), size) != 0;
                differ += listed && std::memcmp(sparse.bytes().data() + at, dense.bytes().data() + at, size) != 0;
            }
            CAPTURE(name(dtype));
            CHECK(differ == 0);
        }
    }
}

TEST_CASE("a density lists its share, spread over all of the tensor", "[lib][tensor][sparse]") {
    Shape const shape{2000, 3000};
    auto const reader = random_reader(shape, 0.01);
    Extent const total = reader->listed(Box::whole(shape));
    CHECK(std::abs(static_cast<double>(total) - 60000) < 200);
    std::vector<int> rows(2000), columns(3000);
    RandomPlaces(shape, 3, 0.01).visit(Box::whole(shape), [&](std::vector<Extent> const& index) {
        ++rows[static_cast<std::size_t>(index[0])];
        ++columns[static_cast<std::size_t>(index[1])];
    });
    auto variance = [](std::vector<int> const& counts, double mean) {
        double sum = 0;
        for (int count : counts) sum += (count - mean) * (count - mean);
        return sum / static_cast<double>(counts.size());
    };
    CHECK(std::abs(variance(rows, 30) / 30 - 1) < 0.2);  // as independent places would
    CHECK(std::abs(variance(columns, 20) / 20 - 1) < 0.2);
    CHECK(reader->histogram().total() == total);
    CHECK(random_reader({1, 0, 3}, 0.5)->histogram().total() == 0);
}

TEST_CASE("places depend on the seed, and no place is listed twice", "[lib][tensor][sparse]") {
    Shape const shape{50, 50, 4};
    std::set<std::vector<Extent>> sets[2];
    for (std::uint64_t seed : {0u, 1u}) {
        Extent count = 0;
        RandomPlaces(shape, seed, 0.2).visit(Box::whole(shape), [&](std::vector<Extent> const& index) {
            sets[seed].insert(index);
            ++count;
        });
        CHECK(count == static_cast<Extent>(sets[seed].size()));
    }
    std::vector<std::vector<Extent>> common;
    std::set_intersection(sets[0].begin(), sets[0].end(), sets[1].begin(), sets[1].end(), std::back_inserter(common));
    CHECK(common.size() < 600);  // 400 of 2000 are expected
    CHECK(common.size() > 250);
}

TEST_CASE("small boxes of huge random tensors are listed at once", "[lib][tensor][sparse]") {
    Shape const shape{Extent{1} << 40, Extent{1} << 40, Extent{1} << 30};
    auto const reader = random_reader(shape, 1e-24);
    Box const box{{(Extent{1} << 39) + 7, 12345, 99}, {1000000, 1 << 20, 1 << 20}};
    ListedElements const listed = reader->elements(box);
    CHECK(listed.count(DType::f32) == reader->listed(box));
    CHECK(random_reader(shape, 1e-300)->listed(box) == 0);
}

TEST_CASE("a large random block, which is drawn slab by slab, lists what it should", "[lib][tensor][sparse]") {
    Shape const shape{3000, 2000};
    Box const box{{5, 3}, {2990, 1990}};
    auto const reader = random_reader(shape, 0.1);
    Extent const listed = reader->listed(box);
    for (SparseLayout const& layout : {SparseLayout{{0, 1}, true}, SparseLayout{{1, 0}, false}}) {
        std::vector<std::byte> found(static_cast<std::size_t>(sparse_bytes(layout, box.length, DType::f32, listed)));
        std::vector<std::byte> expected(found.size());
        CHECK(reader->read(box, layout, found) == static_cast<std::int64_t>(found.size()));
        write_sparse_block(reader->elements(box), DType::f32, box, layout, expected);
        CHECK(found == expected);
    }
}

TEST_CASE("random sources that cannot be are refused", "[lib][tensor][sparse]") {
    for (double density : {-0.1, 1.5, std::nan("")}) CHECK_THROWS_AS(random_reader({4}, density), InputError);
    CHECK_THROWS_AS(open_sparse(SparseRandomSource{uniform(1, 2, 1), 0.5}, "A", DType::f32, {4}, ""), InputError);
    CHECK_THROWS_AS(open_sparse(MissingSource{}, "A", DType::f32, {4}, ""), InputError);
}

TEST_CASE("of dense sources what differs from the fill is listed", "[lib][tensor][sparse]") {
    std::mt19937 random(2);
    for (Shape const& shape : {Shape{}, Shape{9}, Shape{13, 11}, Shape{4, 5, 6}, Shape{3, 0}}) {
        for (double fill : {0.0, 2.0}) {
            ValuesSource values;
            HostTensor whole(DType::f64, shape), rest(DType::f64, shape);
            for (Extent k = 0; k < whole.elements(); ++k) {
                whole.set(k, scalar::Scalar::of(std::complex<double>(random() % 3)));
                rest.set(k, scalar::Scalar::of(std::complex<double>(fill)));
            }
            values.bytes = whole.bytes();
            auto const reader =
                open_sparse(values, "A", DType::f64, shape, "", scalar::Scalar::of(std::complex<double>(fill)));
            Extent listed = 0;
            for (Extent k = 0; k < whole.elements(); ++k) listed += whole.at(k).number != fill;
            CAPTURE(to_string(shape), fill);
            CHECK(reader->listed(Box::whole(shape)) == listed);
            CHECK(reader->histogram().total() == listed);
            CHECK(wrong_blocks(*reader, whole, rest, false, random) == "");
        }
    }
}

TEST_CASE("elements are the fill by value: -0 is 0, any nan is nan", "[lib][tensor][sparse]") {
    auto listed = [](std::vector<float> const& elements, double fill) {
        ValuesSource values;
        values.bytes.resize(elements.size() * 4);
        std::memcpy(values.bytes.data(), elements.data(), values.bytes.size());
        Shape const shape{static_cast<Extent>(elements.size())};
        return open_sparse(values, "A", DType::f32, shape, "", scalar::Scalar::of(std::complex<double>(fill)))
            ->listed(Box::whole(shape));
    };
    float const nan = std::nanf("");
    CHECK(listed({0, -0.0f, 1, nan}, 0) == 2);
    CHECK(listed({0, nan, -nan, std::nanf("7")}, std::nan("")) == 1);
    CHECK(listed({INFINITY, -INFINITY, 0}, INFINITY) == 2);
}

TEST_CASE("one value everywhere is all listed or not at all", "[lib][tensor][sparse]") {
    Shape const shape{Extent{1} << 30, Extent{1} << 20};
    auto listed = [&](FillSource const& source, DType dtype, scalar::Scalar const& fill) {
        auto const reader = open_sparse(source, "A", dtype, shape, "", fill);
        CHECK(reader->histogram().total() == reader->listed(Box::whole(shape)));
        CHECK(reader->elements({{5, 6}, {3, 4}}).count(dtype) == reader->listed({{5, 6}, {3, 4}}));
        return reader->listed(Box::whole(shape));
    };
    CHECK(listed({0.0, 0}, DType::f32, {}) == 0);
    CHECK(listed({1.5, 0}, DType::f32, {}) == Extent{1} << 50);
    CHECK(listed({7.0, 7}, DType::i64, scalar::Scalar::of(std::int64_t{7})) == 0);
    CHECK(listed({7.0, 7}, DType::boolean, {}) == Extent{1} << 50);
}
