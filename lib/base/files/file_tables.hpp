// The tables of file_kind.cpp: how files begin, and which keys their JSON has. In a mend FILE and STEM are the names,
// RANKS as many as the launcher started.
#pragma once

#include <array>
#include <string_view>

#include "lib/base/files/file_kind.hpp"

namespace ein::file_tables {

using namespace std::string_view_literals;

struct Row {
    FileUse use;
    std::string_view looks, mend;
};

inline constexpr Row schedule{
    FileUse::schedule, "a schedule",
    "einrun runs it, eintool show shows it; a graph is what it was planned from, a run "
    "report what einrun --report writes when it runs it, a plan what einplan --plan-out writes"};
inline constexpr Row graph{FileUse::graph, "a graph",
                           "plan it: einplan FILE -n RANKSOTHER_PLACE; einrun runs the schedule that it writes"};
inline constexpr Row plan{FileUse::plan, "a plan", "give it beside its graph: einplan GRAPH --plan-in FILE"};
inline constexpr Row cluster{FileUse::cluster, "a cluster file",
                             "give it beside a graph: einplan GRAPH -n 4 --cluster FILE --simulate"};
inline constexpr Row report{FileUse::report, "a run report", "show it: eintool report FILE"};
inline constexpr Row trace{FileUse::trace, "a trace", "sum it up: eintool trace FILE; or open it in ui.perfetto.dev"};
inline constexpr Row explanation{FileUse::explanation, "what einplan --explain=json prints",
                                 "that is for programs to read; einplan --plan-out writes a plan"};
inline constexpr Row checkpoint{FileUse::checkpoint, "a checkpoint",
                                "einrun SCHEDULE --checkpoint FOLDER goes on from it, einplan --resume FOLDER -n R "
                                "plans the rest"};
inline constexpr Row opt_einsum{FileUse::opt_einsum, "a contraction as opt_einsum writes it",
                                "import it: eintool import opt_einsum FILE -o STEM.graph.json"};
inline constexpr Row cotengra{FileUse::cotengra, "a contraction as cotengra writes it",
                              "import it: eintool import cotengra FILE -o STEM.graph.json"};
inline constexpr Row omeinsum{FileUse::omeinsum, "a contraction as OMEinsum writes it",
                              "import it: eintool import omeinsum FILE -o STEM.graph.json"};
inline constexpr Row circuit{FileUse::circuit, "a circuit of OpenQASM",
                             "import it: eintool import qasm FILE --amplitude BITS -o STEM.graph.json"};
inline constexpr Row model{FileUse::model, "a part of a model of Hugging Face",
                           "import its folder: eintool import safetensors-llama FOLDER -o GRAPH.json"};

/// Files that begin so, whatever follows.
struct Magic {
    std::string_view begins;
    Row row;
};
inline constexpr std::string_view image_mend =
    R"(convert it: numpy.save("STEM.npy", numpy.asarray(PIL.Image.open("FILE"))))";
constexpr Row other(std::string_view looks, std::string_view mend) { return {FileUse::other, looks, mend}; }
inline constexpr std::array magics{
    Magic{"EINSCHED"sv, schedule},
    Magic{"OPENQASM"sv, circuit},
    Magic{"\x93NUMPY"sv,
          other("a .npy file", R"(name it in a graph: "data": {"npy": "FILE"}; numpy.load("FILE") reads it)")},
    Magic{"PK\3\4"sv,
          other("a zip archive, as .npz is", R"(name it in a graph: "data": {"npz": "FILE", "entry": NAME},)"
                                             R"( or "scipy" for what scipy.sparse.save_npz wrote)")},
    Magic{"PK\5\6"sv, other("an empty zip archive", "write it again, for example with numpy.savez")},
    Magic{"%%MatrixMarket"sv, other("a Matrix Market file", R"(name it in a graph: "data": {"mtx": "FILE"})")},
    Magic{"\x89HDF\r\n"sv, other("an HDF5 file", R"(convert it: numpy.save("STEM.npy", h5py.File("FILE")[NAME][:]))")},
    Magic{"MATLAB 5.0 MAT-file"sv,
          other("a MATLAB file", R"(convert it: numpy.save("STEM.npy", scipy.io.loadmat("FILE")[NAME]))")},
    Magic{"PAR1"sv,
          other("a Parquet file", R"(convert it: numpy.save("STEM.npy", pandas.read_parquet("FILE").to_numpy()))")},
    Magic{"GGUF"sv, other("a GGUF model", "give the model's .safetensors files")},
    Magic{"\x1f\x8b"sv, other("packed by gzip", "unpack it: gunzip FILE")},
    Magic{"BZh"sv, other("packed by bzip2", "unpack it: bunzip2 FILE")},
    Magic{"\xfd"
          "7zXZ"sv,
          other("packed by xz", "unpack it: unxz FILE")},
    Magic{"\x28\xb5\x2f\xfd"sv, other("packed by zstd", "unpack it: unzstd FILE")},
    Magic{"\x89PNG"sv, other("an image", image_mend)},
    Magic{"\xff\xd8\xff"sv, other("an image", image_mend)},
    Magic{"\x7f"
          "ELF"sv,
          other("a program", "give a file of data")},
    Magic{"%PDF"sv, other("a PDF", "give a file of data")},
    Magic{"#!"sv, other("a script", "give a file of data; a script is run by itself")},
    Magic{"version https://git-lfs"sv, other("a pointer of Git LFS, not the file itself", "get it: git lfs pull")},
};

/// JSON objects that have all of these keys. The first that fits is what it is.
struct Keyed {
    std::array<std::string_view, 3> keys;
    Row row;
};
inline constexpr std::array keyed{
    Keyed{{"eingraph"}, graph},
    Keyed{{"einplan_explain"}, explanation},
    Keyed{{"einplan"}, plan},
    Keyed{{"traceEvents"}, trace},
    Keyed{{"einrun"}, report},
    Keyed{{"nodes", "outputs"}, graph},
    Keyed{{"graph_hash", "parts"}, plan},
    Keyed{{"checkpoint", "schedule"}, checkpoint},
    Keyed{{"ranks_per_node"}, cluster},
    Keyed{{"flops_per_second"}, cluster},
    Keyed{{"between", "inside"}, cluster},
    Keyed{{"inside"}, cluster},
    Keyed{{"between"}, cluster},
    Keyed{{"bytes_per_second"}, cluster},
    Keyed{{"format_string", "shapes"}, opt_einsum},
    Keyed{{"einsum", "shapes"}, opt_einsum},
    Keyed{{"inputs", "output", "size_dict"}, cotengra},
    Keyed{{"inputs", "output", "size_dict"}, omeinsum},
    Keyed{{"einsum", "size"}, omeinsum},
    Keyed{{"einsum", "sizes"}, omeinsum},
    Keyed{{"einsum", "size_dict"}, omeinsum},
    Keyed{{"einsum", "label-type"}, omeinsum},
    Keyed{{"inputs", "output", "tree"}, omeinsum},
    Keyed{{"inputs", "output", "label-type"}, omeinsum},
    Keyed{{"inputs", "output", "size"}, omeinsum},
    Keyed{{"inputs", "output", "sizes"}, omeinsum},
    Keyed{{"ixs", "iy"}, omeinsum},
    Keyed{{"model_type", "hidden_size"}, model},
    Keyed{{"architectures"}, model},
    Keyed{{"weight_map"}, model},
};

}  // namespace ein::file_tables
