// Files that list elements and are damaged: refused with the line, or the array.
#include "lib/base/error.hpp"
#include "tests/lib/tensor/sparse/listed_entries.hpp"
#include "tests/lib/tensor/tensor_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::samples;
using namespace ein::tensor;

namespace {

std::vector<Fault> faults(Source const& source, DType dtype, Shape const& shape, TemporaryFolder const& folder) {
    return faults_of([&] { open_sparse(source, "A", dtype, shape, folder.path())->listed(Box::whole(shape)); });
}

}  // namespace

TEST_CASE("a Matrix Market file that is wrong is refused with its line", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::string const general = "%%MatrixMarket matrix coordinate real general\n";
    std::string const whole = "%%MatrixMarket matrix coordinate integer general\n";
    struct Row {
        std::string text, line, expected, found;
        DType dtype = DType::f64;
    };
    for (Row const& row : {
             Row{"", "line 1", "MatrixMarket", "none"},
             Row{"%%MatrixMarkt matrix coordinate real general\n3 3 0\n", "line 1", "MatrixMarket", "'%%MatrixMarkt'"},
             Row{"%%MatrixMarket matrix coordinate real\n3 3 0\n", "line 1", "five words", "4"},
             Row{"%%MatrixMarket vector coordinate real general\n3 3 0\n", "line 1", "matrix", "'vector'"},
             Row{"%%MatrixMarket matrix sparse real general\n3 3 0\n", "line 1", "coordinate or array", "'sparse'"},
             Row{"%%MatrixMarket matrix coordinate reel general\n3 3 0\n", "line 1", "real, integer", "'reel'"},
             Row{"%%MatrixMarket matrix coordinate real diagonal\n3 3 0\n", "line 1", "general, symmetric",
                 "'diagonal'"},
             Row{"%%MatrixMarket matrix coordinate real hermitian\n3 3 0\n", "line 1", "complex", "hermitian"},
             Row{"%%MatrixMarket matrix array pattern general\n3 3\n", "line 1", "coordinate pattern", "array"},
             Row{general + "% only comments\n", "line 3", "rows, columns", "the file's end"},
             Row{general + "3 3\n1 1 1\n", "line 2", "rows, columns", "2 words"},
             Row{general + "3 x 1\n1 1 1\n", "line 2", "whole numbers", "'x'"},
             Row{general + "3 3 -1\n", "line 2", "whole numbers", "'-1'"},
             Row{general + "3 3 99999999999999999999\n", "line 2", "whole numbers", "'99999999999999999999'"},
             Row{"%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n", "line 2", "as many rows", "3 and 4"},
             Row{general + "3 3 2\n1 1 1\n", "line 3", "2 listed elements, as the sizes at line 2", "after 1"},
             Row{general + "3 3 1\n1 1 1\n2 2 1\n", "line 4", "1 listed elements", "after 2"},
             Row{general + "3 3 9000000000000000000\n1 1 1\n", "line 3", "9000000000000000000 listed", "after 1"},
             Row{general + "3 3 1\n\n% c\n4 1 1\n", "line 5", "from 1 to 3 along axis 0", "'4'"},
             Row{general + "3 3 1\n1 0 1\n", "line 3", "from 1 to 3 along axis 1", "'0'"},
             Row{general + "3 3 1\n-1 1 1\n", "line 3", "from 1 to 3 along axis 0", "'-1'"},
             Row{general + "3 3 1\n1 18446744073709551617 1\n", "line 3", "axis 1", "'18446744073709551617'"},
             Row{general + "3 3 1\n1.5 1 1\n", "line 3", "axis 0", "'1.5'"},
             Row{general + "3 3 1\n1 1\n", "line 3", "a number", "the line's end"},
             Row{general + "3 3 1\n1 1 one\n", "line 3", "a number", "'one'"},
             Row{general + "3 3 1\n1 1 1e999\n", "line 3", "that f64 holds", "'1e999'"},
             Row{general + "3 3 1\n1 1 1 2\n", "line 3", "nothing after", "'2'"},
             Row{general + "3 3 1\n1 1 1x\n", "line 3", "a number", "'1x'"},
             Row{general + std::string("3 3 1\n1 1 \0 1\n", 14), "line 3", "a number", "'"},
             Row{whole + "3 3 1\n1 1 nan\n", "line 3", "a whole number", "'nan'"},
             Row{whole + "3 3 1\n1 1 1.0\n", "line 3", "a whole number", "'1.0'"},
             Row{whole + "3 3 1\n1 1 9223372036854775808\n", "line 3", "a whole number", "'9223372036854775808'"},
             Row{"%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 1\n1 1 -1\n", "line 3", "from 0",
                 "'-1'"},
             Row{"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1 1\n", "line 3", "nothing after", "'1'"},
             Row{"%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 1 1\n", "line 3", "a number",
                 "the line's end", DType::c128},
             Row{"%%MatrixMarket matrix coordinate complex hermitian\n3 3 1\n2 2 1 1\n", "line 3", "imaginary part 0",
                 "'1'", DType::c128},
             Row{"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 0\n", "line 3",
                 "no element on the diagonal", "'2'"},
             Row{"%%MatrixMarket matrix array real general\n3 3\n1\n2\n", "line 4", "9 values", "after 2"},
             Row{"%%MatrixMarket matrix array real general\n3 3\n1 2\n", "line 3", "one value", "'2'"},
             Row{"%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n7\n", "line 9", "no more than 6",
                 "'7'"},
             Row{whole + "3 3 1\n1 1 300\n", "tensor 'A', element (0, 0)", "that i8 holds", "300", DType::i8},
             Row{general + "4 3 0\n", "tensor 'A'", "shape (3, 3)", "shape (4, 3)"},
             Row{general + "3 3 0\n", "tensor 'A'", "i32", "f64", DType::i32},
             Row{"%%MatrixMarket matrix coordinate complex general\n3 3 0\n", "tensor 'A'", "f64", "c128"},
         }) {
        folder.write("a.mtx", row.text);
        CAPTURE(row.text);
        auto const found = faults(MtxSource{"a.mtx"}, row.dtype, {3, 3}, folder);
        REQUIRE(found.size() == 1);
        CHECK(found[0].where == row.line);
        CHECK(found[0].expected.find(row.expected) != std::string::npos);
        CHECK(found[0].found.find(row.found) != std::string::npos);
        CHECK_FALSE(found[0].fix.empty());
        CHECK(found[0].file.find("a.mtx") != std::string::npos);
    }
    CHECK(faults(MtxSource{"none.mtx"}, DType::f32, {3, 3}, folder).size() == 1);
}

TEST_CASE("a FROSTT file that is wrong is refused with its line", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    struct Row {
        std::string text, line, expected;
    };
    for (Row const& row : {Row{"1 1 1 1\n1 1 5 1\n", "line 2", "from 1 to 4 along axis 2"},
                           Row{"0 1 1 1\n", "line 1", "from 1 to 2 along axis 0"},
                           Row{"# c\n1 1 1\n", "line 2", "a number"}, Row{"1 1 1 1 1\n", "line 1", "nothing after"},
                           Row{"1 1 1 a\n", "line 1", "a number"}, Row{"% c\n", "line 1", "axis 0"}}) {
        folder.write("a.tns", row.text);
        CAPTURE(row.text);
        auto const found = faults(TnsSource{"a.tns"}, DType::f32, {2, 3, 4}, folder);
        REQUIRE(found.size() == 1);
        CHECK(found[0].where == row.line);
        CHECK(found[0].expected.find(row.expected) != std::string::npos);
    }
    folder.write("a.tns", "1 1 1 1.5\n");
    CHECK(faults(TnsSource{"a.tns"}, DType::i32, {2, 3, 4}, folder).size() == 1);
}

TEST_CASE("a file with one damaged line is refused with its number", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(9);
    Shape const shape{30, 40};
    Entries const entries = draw_entries(shape, 200, Order::none, Twice::sometimes, random);
    bool const tns = GENERATE(false, true);
    for (int k = 0; k < 300; ++k) {
        std::vector<std::string> lines;
        if (!tns)
            lines = {"%%MatrixMarket matrix coordinate real general", "30 40 " + std::to_string(entries.at.size())};
        std::size_t const header = lines.size();
        std::string const comment = tns ? "# comment" : "% comment";
        for (std::size_t e = 0; e < entries.at.size(); ++e) {
            if (random() % 10 == 0) lines.emplace_back(random() % 2 ? comment : "");
            lines.push_back(std::to_string(entries.at[e][0] + 1) + " " + std::to_string(entries.at[e][1] + 1) + " " +
                            std::to_string(entries.values[e]));
        }
        std::size_t at;
        do at = header + random() % (lines.size() - header);
        while (lines[at].empty() || lines[at] == comment);
        std::string& line = lines[at];
        switch (random() % 6) {
            case 0: line = "31" + line.substr(line.find(' ')); break;
            case 1: line += " 1"; break;
            case 2: line.insert((tns ? 1 : 0) + random() % (line.size() - 1), 1, tns ? '%' : '#'); break;
            case 3: line = line.substr(0, line.rfind(' ')); break;
            case 4: line.insert(0, "0 "); break;
            default: line += static_cast<char>(128 + random() % 128);
        }
        std::string text;
        for (std::string const& each : lines) text += each + "\n";
        folder.write("a.txt", text);
        CAPTURE(line, k, tns);
        Source const source = tns ? Source(TnsSource{"a.txt"}) : Source(MtxSource{"a.txt"});
        auto const found = faults(source, DType::f32, shape, folder);
        REQUIRE(found.size() == 1);
        CHECK(found[0].where == "line " + std::to_string(at + 1));
    }
}

TEST_CASE("an archive with one damaged byte is refused, or says the same", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    std::mt19937 random(10);
    Shape const shape{30, 40};
    Entries const entries = draw_entries(shape, 200, Order::none, Twice::never, random);
    auto const listed = [&] {
        return open_sparse(ScipySource{"a.npz"}, "A", DType::f64, shape, folder.path())->elements(Box::whole(shape));
    };
    int refused = 0;
    for (std::string const format : {"csr", "csc", "coo"}) {
        std::string const right = scipy_of(entries, format, DType::i32, Packing::deflated);
        folder.write("a.npz", right);
        ListedElements const expected = listed();
        for (int k = 0; k < 300; ++k) {
            std::string text = right;
            text[random() % text.size()] ^= static_cast<char>(1 << random() % 8);
            folder.write("a.npz", text);
            CAPTURE(format, k);
            std::vector<Fault> const found = faults_of([&] {
                ListedElements const elements = listed();
                CHECK((elements.coords == expected.coords && elements.values == expected.values));
            });
            refused += !found.empty();
            for (Fault const& fault : found) CHECK((fault.file + fault.where).find("a.npz") != std::string::npos);
        }
    }
    CHECK(refused > 600);  // others hit dates, attributes and what nobody reads
}

TEST_CASE("a SciPy archive that is wrong is refused with its array", "[lib][tensor][sparse]") {
    TemporaryFolder const folder;
    auto add_format = [](ZipMaker& zip, std::string const& format) {
        zip.add("format.npy", std::string("\x93NUMPY\1\0", 8) + std::string("\x38\0", 2) +
                                  "{'descr': '|S3', 'fortran_order': False, 'shape': (), }\n" + format);
    };
    struct Row {
        std::string format;
        std::vector<Extent> shape, offsets, indices, data;
        std::string where, expected;
        DType index = DType::i32;
    };
    for (Row const& row : {
             Row{"bsr", {2, 3}, {0, 1, 2}, {0, 1}, {1, 1}, "array 'format'", "csr, csc or coo"},
             Row{"dia", {2, 3}, {0, 1, 2}, {0, 1}, {1, 1}, "array 'format'", "csr, csc or coo"},
             Row{"csr", {2, 3, 4}, {0, 1, 2}, {0, 1}, {1, 1}, "array 'shape'", "two extents"},
             Row{"csr", {2, -3}, {0, 1, 2}, {0, 1}, {1, 1}, "array 'shape'", "0 or more"},
             Row{"csr", {2, 3}, {0, 1}, {0, 1}, {1, 1}, "array 'indptr'", "shape (3,)"},
             Row{"csr", {2, 3}, {0, 1, 2}, {0, 1, 2}, {1, 1}, "array 'indices'", "shape (2,)"},
             Row{"csr", {2, 3}, {0, 1, 3}, {0, 1}, {1, 1}, "array 'indptr'", "ascend from 0 to 2"},
             Row{"csr", {2, 3}, {1, 1, 2}, {0, 1}, {1, 1}, "array 'indptr'", "begin at 0"},
             Row{"csr", {2, 3}, {0, 2, 1}, {0, 1}, {1, 1}, "array 'indptr'", "ascend"},
             Row{"csr", {2, 3}, {0, 1, 2}, {0, 3}, {1, 1}, "array 'indices'", "from 0 to 2 along axis 1"},
             Row{"csr", {2, 3}, {0, 1, 2}, {0, -1}, {1, 1}, "array 'indices'", "from 0 to 2 along axis 1"},
             Row{"csc", {2, 3}, {0, 1, 2, 2}, {0, 2}, {1, 1}, "array 'indices'", "from 0 to 1 along axis 0"},
             Row{"csr", {2, 3}, {0, 1, 2}, {0, 1}, {1, 1}, "array 'indptr'", "whole numbers", DType::f64},
             Row{"coo", {2, 3}, {}, {}, {}, "", "the array 'row'"},
             Row{"csr", {2, 4}, {0, 1, 2}, {0, 1}, {1, 1}, "tensor 'A'", "shape (2, 3)"},
         }) {
        ZipMaker zip(Packing::stored, ZipSizes::bits32);
        auto count = [](std::vector<Extent> const& list) { return Shape{static_cast<Extent>(list.size())}; };
        auto add = [&](std::string const& name, std::vector<Extent> const& list) {
            zip.add(name, row.index == DType::f64 ? npy_numbers<double>(DType::f64, count(list), list)
                                                  : npy_numbers<std::int32_t>(DType::i32, count(list), list));
        };
        add_format(zip, row.format);
        zip.add("shape.npy", npy_numbers<std::int64_t>(DType::i64, count(row.shape), row.shape));
        zip.add("data.npy", npy_numbers<double>(DType::f64, count(row.data), row.data));
        if (row.format != "coo") {
            add("indptr.npy", row.offsets);
            add("indices.npy", row.indices);
        }
        folder.write("a.npz", zip.finish());
        CAPTURE(row.format, row.expected);
        auto const found = faults(ScipySource{"a.npz"}, DType::f64, {2, 3}, folder);
        REQUIRE(found.size() == 1);
        CHECK(found[0].where == row.where);
        CHECK(found[0].expected.find(row.expected) != std::string::npos);
        CHECK_FALSE(found[0].fix.empty());
    }
}
