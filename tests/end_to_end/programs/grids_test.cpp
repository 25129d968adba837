// Grids whose cells look at their neighbours.
#include "tests/end_to_end/programs/made_program.hpp"

using namespace ein;
using namespace ein::test;

TEST_CASE("heat spreads to four neighbours, and to cold borders", "[end_to_end][programs]") {
    auto const [rows, columns] = GENERATE(std::pair{9, 12}, std::pair{1, 7}, std::pair{8, 1});
    CAPTURE(rows, columns);
    MadeProgram program("heat", {.sizes = {rows, columns}, .options = {{"--iterations", "6"}}});
    Plain T = program.input("T");
    double const alpha = program.param("alpha");
    for (int iteration = 0; iteration < 6; ++iteration) {
        Plain const before = T;
        auto const at = [&, rows = rows, columns = columns](int i, int j) {
            return i < 0 || j < 0 || i >= rows || j >= columns ? 0 : before(i, j);
        };
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) {
                double const around = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
                T(i, j) = before(i, j) + alpha * (around - 4 * before(i, j));
            }
    }
    program.expect("flow/T", T);
    program.run(GENERATE(1, 2, 3));
}

TEST_CASE("life on a torus", "[end_to_end][programs]") {
    auto const [rows, columns] = GENERATE(std::pair{9, 12}, std::pair{3, 7});
    std::string const dtype = GENERATE("i32", "bool", "u8");
    CAPTURE(rows, columns, dtype);
    MadeProgram program("life", {.sizes = {rows, columns}, .options = {{"--iterations", "6"}}, .dtype = dtype});
    Plain cells = program.input("cells");
    for (int iteration = 0; iteration < 6; ++iteration) {
        Plain const before = cells;
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) {
                double neighbours = 0;
                for (int di = -1; di <= 1; ++di)
                    for (int dj = -1; dj <= 1; ++dj)
                        if (di != 0 || dj != 0)
                            neighbours += before((i + di + rows) % rows, (j + dj + columns) % columns);
                cells(i, j) = neighbours == 3 || (before(i, j) == 1 && neighbours == 2);
            }
    }
    program.expect("live/cells", cells);
    program.run(GENERATE(1, 2, 3));
}

TEST_CASE("a glider of life moves by one cell in four iterations", "[end_to_end][programs]") {
    MadeProgram program("life", {.sizes = {6, 6}, .options = {{"--iterations", "4"}}, .dtype = "bool"});
    Plain before({6, 6}), after({6, 6});
    for (auto const& [i, j] : {std::pair{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}}) before(i, j) = after(i + 1, j + 1) = 1;
    Json rows = Json::array();
    for (int i = 0; i < 6; ++i) {
        rows.push_back(Json::array());
        for (int j = 0; j < 6; ++j) rows.back().push_back(static_cast<int>(before(i, j)));
    }
    program.json()["tensors"]["cells"]["data"] = {{"values", rows}};
    program.expect("live/cells", after);
    program.run(GENERATE(1, 4));
}
