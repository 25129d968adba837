// Sparse tensors written by many ranks each its blocks: the same file whatever the cut, and what was written comes
// back.
#include "lib/tensor/sparse/output/sparse_output.hpp"

#include <zlib.h>

#include "lib/base/error.hpp"
#include "lib/tensor/sparse/compare_lists.hpp"
#include "tests/lib/tensor/sparse/listed_entries.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::samples;
using namespace ein::tensor;

namespace {

std::string file_text(std::string const& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Written in these parts, each block by one of three ranks.
std::string write_in_parts(SparseReader const& reader, std::vector<Box> boxes, scalar::Scalar const& fill,
                           std::string const& file, std::mt19937& random) {
    Shape const& shape = reader.shape();
    SparseLayout layout;
    layout.axes.resize(shape.size());
    std::iota(layout.axes.begin(), layout.axes.end(), 0);
    std::shuffle(layout.axes.begin(), layout.axes.end(), random);
    layout.compressed = !shape.empty() && random() % 2 == 0;
    std::shuffle(boxes.begin(), boxes.end(), random);
    std::vector<BlockCounts> counts;
    for (Box const& box : boxes)
        counts.push_back(counts_of(read_block(reader, box, layout), reader.dtype(), box, layout, shape));
    SparsePlaces const places(shape, counts);
    SparseOutput const output{reader.dtype(), shape, fill, places.listed()};
    SparseWriter(file, output).make();
    SparseSums sums{};
    for (std::size_t rank = 0; rank < 3; ++rank) {
        SparseWriter writer(file, output);
        writer.open_made();
        for (std::size_t b = rank; b < boxes.size(); b += 3)
            writer.write(read_block(reader, boxes[b], layout), boxes[b], layout, places);
        writer.sync();
        writer.close();
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] ^= writer.sums()[k];
    }
    SparseWriter last(file, output);
    last.open_made();
    last.finish(sums);
    last.close();
    return file_text(file);
}

std::vector<Box> grid(Shape const& shape, Parts const& parts) {
    std::vector<Box> boxes;
    for_each_index(parts, [&](std::vector<Extent> const& at) { boxes.push_back(block_box(shape, parts, at)); });
    return boxes;
}

/// Boxes that tile one and are no grid: halved again and again along any axis, anywhere.
void add_tiles(Box const& box, int times, std::mt19937& random, std::vector<Box>& out) {
    std::size_t const axis = box.order() == 0 ? 0 : random() % box.order();
    if (times == 0 || box.order() == 0 || box.length[axis] < 2) return out.push_back(box);
    Box first = box, rest = box;
    first.length[axis] = 1 + static_cast<Extent>(random() % static_cast<std::uint64_t>(box.length[axis] - 1));
    rest.begin[axis] += first.length[axis];
    rest.length[axis] -= first.length[axis];
    add_tiles(first, times - 1, random, out);
    add_tiles(rest, times - 1, random, out);
}
std::vector<Box> tiles(Shape const& shape, std::mt19937& random) {
    std::vector<Box> out;
    add_tiles(Box::whole(shape), 3, random, out);
    return out;
}

}  // namespace

TEST_CASE("parts of a CRC-32 make the whole, in any order", "[lib][tensor][sparse]") {
    std::string const text = "parts of a CRC-32 make the whole, in any order";
    auto const bytes = std::as_bytes(std::span(text));
    auto const expected = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<Bytef const*>(text.data()), static_cast<uInt>(text.size())));
    std::uint32_t parts = 0;
    for (auto [begin, end] : {std::pair(20, 46), std::pair(0, 1), std::pair(7, 20), std::pair(1, 7)})
        parts ^= crc_part(bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
                          text.size() - static_cast<std::size_t>(end));
    CHECK(whole_crc(parts, text.size()) == expected);
    CHECK(whole_crc(0, 0) == 0);
    std::vector<unsigned char> const zeros(1000);
    CHECK(whole_crc(0, 1000) == crc32(0, zeros.data(), 1000));
}

TEST_CASE("a sparse output is the same file whatever the cut, and reads back", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(10);
    int number = 0;
    for (Shape const& shape : {Shape{1, 1}, Shape{30, 20}, Shape{0, 4}, Shape{4, 0}, Shape{6, 1000}, Shape{}, Shape{50},
                               Shape{7, 6, 5}, Shape{3, 4, 2, 5}}) {
        for (DType dtype : {DType::f32, DType::c128, DType::i16, DType::bf16, DType::boolean}) {
            Entries const entries = draw_entries(shape, 100, Order::none, Twice::never, random);
            folder.write("a.tns", lines_of(entries, true, '#', random));
            auto const reader = open_sparse(TnsSource{"a.tns"}, "A", dtype, shape, folder.path());
            HostTensor const whole = dense_of(entries, dtype);
            std::string first;
            for (int k = 0; k < 6; ++k) {
                std::string const name = "out" + std::to_string(number++) + ".npz";
                std::vector<Box> const boxes = k == 0  ? std::vector<Box>{Box::whole(shape)}
                                               : k < 4 ? grid(shape, random_cut(shape, random))
                                                       : tiles(shape, random);
                std::string const text = write_in_parts(*reader, boxes, {}, folder.file(name), random);
                if (k == 0) first = text;
                CAPTURE(to_string(shape), ein::name(dtype), k);
                if (shape.size() == 2) CHECK(text == first);
                CHECK(text.size() == first.size());
                auto const back = open_sparse(ScipySource{name}, "A", dtype, shape, folder.path());
                CHECK(back->listed(Box::whole(shape)) == reader->listed(Box::whole(shape)));
                HostTensor const zeros(dtype, shape);
                CHECK(wrong_blocks(*back, whole, zeros, true, random) == "");
                CHECK(std::holds_alternative<ScipySource>(source_for_file(folder.file(name), "A")));
                CHECK(std::holds_alternative<NpzSource>(source_for_file(folder.file(name), "data")));
            }
        }
    }
}

TEST_CASE("a list has its elements in any order, with all their bits", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(11);
    int number = 0;
    for (Shape const& shape : {Shape{30, 20}, Shape{0, 4}, Shape{1, 5'000'000'000}, Shape{}, Shape{50}, Shape{7, 6, 5}})
        for (DType dtype : {DType::f32, DType::c128, DType::i16, DType::bf16, DType::boolean}) {
            Entries const entries = draw_entries(shape, 100, Order::none, Twice::never, random);
            ListedElements elements;
            elements.coords.resize(shape.size());
            for (std::size_t k = 0; k < entries.at.size(); ++k) {
                for (std::size_t axis = 0; axis < shape.size(); ++axis)
                    elements.coords[axis].push_back(entries.at[k][axis]);
                for (std::size_t byte = 0; byte < size_of(dtype); ++byte)  // any bits: nans and -0 too
                    elements.values.push_back(
                        static_cast<std::byte>(dtype == DType::boolean ? random() % 2 : random()));
            }
            Box const whole = Box::whole(shape);
            std::vector<std::byte> block(
                static_cast<std::size_t>(sparse_bytes(in_order(shape.size()), shape, dtype, elements.count(dtype))));
            Extent const listed = write_sparse_block(elements, dtype, whole, in_order(shape.size()), block);
            SparseOutput const output{dtype, shape, scalar::Scalar::of(std::int64_t{1}), listed, SparseForm::list};
            std::string const name = "list" + std::to_string(number++) + ".npz";
            SparseWriter(folder.file(name), output).make();
            SparseWriter writer(folder.file(name), output);
            writer.open_made();
            SparseArchive const archive(output);
            SparseSums sums{};
            for (Extent first = 0; first < listed; first += 37) {
                ListedElements const some = elements_of(block, dtype, whole, in_order(shape.size()), first,
                                                        std::min<Extent>(37, listed - first));
                SparseSums const added = writer.write_list(first, archive.columns_of(some));
                for (std::size_t k = 0; k < sums.size(); ++k) sums[k] ^= added[k];
            }
            CHECK(sums == writer.sums());
            writer.finish(sums);
            writer.close();
            CAPTURE(to_string(shape), ein::name(dtype));
            auto const back = open_sparse(ScipySource{name}, "A", dtype, shape, folder.path(), output.fill);
            CHECK(back->listed(whole) == listed);
            std::vector<std::byte> again(block.size());
            back->read(whole, in_order(shape.size()), again);
            CHECK(again == block);
            std::string const text = file_text(folder.file(name));
            std::uint64_t in_frame = 0;
            for (auto const& [offset, bytes] : archive.frame()) in_frame += bytes;
            CHECK(text.size() == in_frame + list_bytes(shape, dtype, listed));
        }
}

TEST_CASE("a fill is written, and must be the tensor's when it is read", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    folder.write("a.tns", "1 2 3\n2 1 4\n");
    auto const inf = scalar::Scalar::of(std::complex<double>(INFINITY));
    auto const reader = open_sparse(TnsSource{"a.tns"}, "A", DType::f32, {2, 2}, folder.path(), inf);
    write_sparse(folder.file("b.npz"), *reader, inf);
    HostTensor const back = read_all(ScipySource{"b.npz"}, "A", DType::f32, {2, 2}, folder.path(), inf);
    CHECK(back.at(0).number == std::complex<double>(INFINITY));
    CHECK(back.at(1).number == 3.0);
    auto const faults = faults_of([&] { read_all(ScipySource{"b.npz"}, "A", DType::f32, {2, 2}, folder.path()); });
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == "array 'fill_value'");
    CHECK(faults[0].found.find("inf") != std::string::npos);
    write_sparse(folder.file("b.npz"), *reader, {});  // in place of the one before
    CHECK(read_all(ScipySource{"b.npz"}, "A", DType::f32, {2, 2}, folder.path()).at(3).number == 0.0);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("sparse tensors in files are compared as the dense ones that they are", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(12);
    int unlike = 0;
    for (int k = 0; k < 200; ++k) {
        Shape const shape = k % 3 == 0 ? Shape{5, 7} : k % 3 == 1 ? Shape{40} : Shape{3, 0, 2};
        scalar::Scalar const fills[] = {{}, scalar::Scalar::of(std::complex<double>(k % 5 == 0 ? 2 : 0))};
        std::vector<SparseFile> files;
        Entries entries = draw_entries(shape, 12, Order::none, Twice::never, random);
        for (int which : {0, 1}) {
            if (which == 1 && k % 4 != 0 && !entries.values.empty())
                entries.values[0] += k % 2, entries.at.pop_back(), entries.values.pop_back();
            folder.write("a.tns", lines_of(entries, true, '#', random));
            auto const reader = open_sparse(TnsSource{"a.tns"}, "A", DType::f64, shape, folder.path(), fills[which]);
            std::string const name = which == 0 ? "a.npz" : "b.npz";
            write_sparse(folder.file(name), *reader, fills[which]);
            files.push_back(sparse_file(folder.file(name)));
        }
        Difference const expected = compare(read_dense(files[0]), read_dense(files[1]), 0.3);
        ListDifference const found = compare_lists(files[0], files[1], 0.3);
        CAPTURE(k, to_string(shape));
        CHECK(found.difference.count == expected.count);
        CHECK(found.difference.max_abs == expected.max_abs);
        CHECK(std::abs(found.difference.max_rel - expected.max_rel) < 1e-12);
        unlike += expected.count > 0 ? 1 : 0;
    }
    CHECK(unlike > 50);
}

TEST_CASE("a sparse output that cannot be written is an error", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    SparseOutput const output{DType::f32, {2, 2}, {}, 1};
    CHECK_THROWS_AS(SparseWriter(folder.file("none/a.npz"), output).make(), RunError);
    CHECK_THROWS_AS(SparseWriter(folder.file("a.npz"), output).open_made(), RunError);
    SparseWriter(folder.file("a.npz"), output).make();
    CHECK_THROWS_AS(SparseWriter(folder.file("a.npz"), output).make(), RunError);
}
