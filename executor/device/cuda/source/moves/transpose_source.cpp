#include "executor/device/cuda/source/moves/transpose_source.hpp"

#include <algorithm>

#include "executor/device/cuda/source/einsum/fold_plan.hpp"
#include "executor/device/cuda/tuning.hpp"

namespace ein::executor::cuda {
namespace {

constexpr Extent transpose_threads = 256, least_edge = 8;  // as in kernels/transpose.cuh

/// The outer loop, but the last, along which the main operand runs, or -1.
int across_loop(Loops const& loops) {
    int const main = loops.main_operand();
    if (main < 0 || loops.outer.size() < 2) return -1;
    for (std::size_t loop = 0; loop + 1 < loops.outer.size(); ++loop)
        if (step_of(loops.outer[loop], main) == 1 && loops.outer[loop].length >= least_edge)
            return static_cast<int>(loop);
    return -1;
}

/// Which operands go through tiles, and how large these are.
struct TileSizes {
    Extent edge = 32;
    std::vector<bool> tiled;  // by operand: it runs across the output and moves along it
    std::size_t bytes = 0;

    TileSizes(Loops const& loops, Extent edge_of_tiles, std::size_t most_bytes) : edge(edge_of_tiles) {
        Loop const &across = loops.outer[loops.outer.size() - 2], &along = loops.outer.back();
        for (std::size_t k = 0; k < loops.operands.size(); ++k) {
            std::size_t const more = static_cast<std::size_t>(edge * (edge + 1)) * size_of(loops.dtypes[k]);
            tiled.push_back(across.steps[k] == 1 && along.steps[k] > 1 && bytes + more <= most_bytes);
            if (tiled.back()) bytes += more;
        }
    }
    bool any() const { return std::find(tiled.begin(), tiled.end(), true) != tiled.end(); }
};

/// Large tiles, which are read and written in longer runs, where they are full, the same operands have them, and
/// several of them fit into a multiprocessor.
TileSizes tile_sizes_of(Loops const& loops) {
    TileSizes const small(loops, 32, tuning::most_shared_bytes), large(loops, 64, tuning::most_shared_bytes / 2);
    auto const fills = [&](Loop const& loop) { return loop.length % large.edge == 0 || loop.length > 8 * large.edge; };
    Loop const &across = loops.outer[loops.outer.size() - 2], &along = loops.outer.back();
    return large.tiled == small.tiled && fills(across) && fills(along) ? large : small;
}

void add_tiles(KernelStruct& kernel, Loops const& loops, TileSizes const& sizes) {
    std::vector<bool> const& tiled = sizes.tiled;
    kernel.constant("i32", "edge", sizes.edge);
    std::string tiles, fetch, collect;
    for (std::size_t k = 0; k < tiled.size(); ++k) {
        std::string const number = std::to_string(loops.operands[k]), element = element_name(loops.dtypes[k]);
        std::string const from =
            "((" + element + " const*)a.operand[" + std::to_string(k) + "])[place.operand[" + std::to_string(k) + "]]";
        if (tiled[k]) {
            tiles += "        " + element + " t" + number + "[edge][edge + 1];\n";
            fetch += "        tiles.t" + number + "[r][c] = " + from + ";\n";
        }
        collect += "        v.x" + number +
                   ".at[0] = " + kernel.loaded(tiled[k] ? "tiles.t" + number + "[r][c]" : from) + ";\n";
    }
    std::string const parameters = "Arguments const& a, Place<K> const& place, i32 r, i32 c) {\n";
    kernel.add("struct Tiles {\n" + tiles + "    };");
    kernel.add("EIN_FN static void fetch(Tiles& tiles, " + parameters + fetch + "    }");
    kernel.add("EIN_FN static Values collect(Tiles const& tiles, " + parameters + "        Values v;\n" + collect +
               "        return v;\n    }");
}

}  // namespace

std::optional<Program> transpose_program(EinsumText const& text, Loops loops) {
    sort_by_steps(loops.outer, -1);
    int const across = across_loop(loops);
    if (across < 0 || loops.outer.back().output_step != 1 || loops.outer.back().length < least_edge)
        return std::nullopt;
    std::rotate(loops.outer.begin() + across, loops.outer.begin() + across + 1, loops.outer.end() - 1);
    TileSizes const sizes = tile_sizes_of(loops);
    if (!sizes.any()) return std::nullopt;
    Loop const &a = loops.outer[loops.outer.size() - 2], &b = loops.outer.back();
    Extent const across_tiles = ceil_div(a.length, sizes.edge), along_tiles = ceil_div(b.length, sizes.edge);
    Extent const blocks = loops.outputs() / (a.length * b.length) * across_tiles * along_tiles;
    if (blocks >= Extent{1} << 31) return std::nullopt;
    KernelStruct kernel(text, loops, {}, "TransposeArguments");
    kernel.constant("bool", "parted", 0);
    add_tiles(kernel, loops, sizes);
    unsigned const threads = static_cast<unsigned>(transpose_threads);
    Launch launch = kernel.launch(kernel.kernel("transpose", threads, "transpose<K>(a)"), threads);
    launch.constants = kernel.words(1, 1, 1).add(a.length).add(b.length).add(across_tiles).add(along_tiles).take();
    launch.grid_x = static_cast<unsigned>(blocks);
    return Program{{std::move(launch)}, 0};
}

}  // namespace ein::executor::cuda
