#include "lib/base/json_foreign_keys.hpp"

#include <algorithm>
#include <array>

namespace ein {
namespace {

/// In an object that may have `beside`.
struct ForeignKey {
    std::string_view written, beside, mend;
};

constexpr std::string_view aggregated =
    "write in the output what stays: \"ij->i\" aggregates j; or write a node as {\"op\": \"mean\", \"axis\": 1}";
constexpr std::string_view kept = "write a label of extent 1 in the output: \"ij->iu\" with \"sizes\": {\"u\": 1}";
constexpr std::string_view second_transposed =
    "write \"einsum\": \"ij,kj->ik\", which names the axes of the second input in their order";
constexpr std::string_view first_transposed =
    "write \"einsum\": \"ji,jk->ik\", which names the axes of the first input in their order";
constexpr std::string_view as_input =
    "list it in \"inputs\", as layer_norm takes them ([\"X\", \"WEIGHT\", \"BIAS\"]), or use it in a node of its own";
constexpr std::string_view other_norm =
    "norm is the 2-norm; the 1-norm is {\"einsum\": \"ij->i\", \"join\": \"abs(x)\"}, with \"agg\": \"max\" the "
    "maximum norm";
constexpr std::string_view divided =
    "write \"ddof\": 1 for true, which divides by n - 1 as PyTorch's default, and 0 for false, by n as NumPy's";
constexpr std::string_view other_gelu =
    "gelu is the exact one, of approximate=\"none\"; that with tanh is written out: {\"einsum\": \"...->...\", "
    "\"join\": "
    "\"x/2*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3)))\"}";
constexpr std::string_view normalized_axes =
    "write \"axes\": the last so many that it has extents, as [-1] for one and [-2, -1] for two";
constexpr std::string_view without_weights =
    "remove it: weight and bias are further inputs, as layer_norm takes them ([\"X\", \"WEIGHT\", \"BIAS\"]), or none";
constexpr std::string_view number_of_join =
    "write it as a number in a join, as leaky_relu(x, 0.2), elu(x, 1.5) or x + 2*y: {\"einsum\": \"...->...\", "
    "\"join\": \"leaky_relu(x, 0.2)\"}";
constexpr std::string_view divide_before = "divide in a node before: {\"einsum\": \"...->...\", \"join\": \"x/0.7\"}";
constexpr std::string_view rounded =
    "write them into a join, as round(x*100)/100 for 2: {\"einsum\": \"...->...\", \"join\": \"round(x*100)/100\"}";
constexpr std::string_view chosen =
    "list the mask in \"inputs\" and choose in a join: {\"einsum\": \"ij,ij->i\", \"join\": \"where(y, x, 0)\"}";
constexpr std::string_view pairs =
    "write \"pad_width\": [[before, after], ...], a pair for each axis from the first on, as NumPy has it";
constexpr std::string_view output_behind =
    "write the output behind ->, as in \"ij,jk->ik\"; \"name\" is what the node is called";
constexpr std::string_view node_cores =
    "write \"threads\", which are those of one rank, and \"ranks_per_node\": their product is the cores of a node, as "
    "16 "
    "threads for each of 4 ranks on 64 cores";
constexpr std::string_view node_gpus =
    "write \"ranks_per_node\": as many as a node has GPUs, one for each rank; the cores of a node divided by that are "
    "its "
    "\"threads\"";
constexpr std::string_view node_memory =
    "write \"memory\", which blocks of one rank may take: that of a node divided by \"ranks_per_node\", less what "
    "programs "
    "take";
constexpr std::string_view of_a_link =
    "write it of the links: \"between\": {\"bandwidth\": \"100Gbit/s\", \"latency\": \"2us\"}, and \"inside\" for "
    "those of a "
    "node";
constexpr std::string_view beside_data = "write it beside \"data\", as a key of the tensor";

constexpr std::array foreign{
    ForeignKey{"axis", "einsum", aggregated},
    ForeignKey{"axes", "einsum", aggregated},
    ForeignKey{"dim", "einsum", aggregated},
    ForeignKey{"dims", "einsum", aggregated},
    ForeignKey{"keepdims", "einsum", kept},
    ForeignKey{"keepdim", "einsum", kept},
    ForeignKey{"transpose_b", "inputs", second_transposed},
    ForeignKey{"transB", "inputs", second_transposed},
    ForeignKey{"trans_b", "inputs", second_transposed},
    ForeignKey{"adjoint_b", "inputs", second_transposed},
    ForeignKey{"transpose_a", "inputs", first_transposed},
    ForeignKey{"transA", "inputs", first_transposed},
    ForeignKey{"trans_a", "inputs", first_transposed},
    ForeignKey{"adjoint_a", "inputs", first_transposed},
    ForeignKey{"weight", "inputs", as_input},
    ForeignKey{"bias", "inputs", as_input},
    ForeignKey{"gamma", "inputs", as_input},
    ForeignKey{"beta", "inputs", as_input},
    ForeignKey{"output", "einsum", output_behind},
    ForeignKey{"out", "einsum", output_behind},
    ForeignKey{"optimize", "einsum", "remove it: a good order is found by itself, and \"path\" gives another"},
    ForeignKey{"unbiased", "ddof", divided},
    ForeignKey{"approximate", "op", other_gelu},
    ForeignKey{"normalized_shape", "eps", normalized_axes},
    ForeignKey{"elementwise_affine", "eps", without_weights},
    ForeignKey{"affine", "eps", without_weights},
    ForeignKey{"alpha", "op", number_of_join},
    ForeignKey{"negative_slope", "op", number_of_join},
    ForeignKey{"temperature", "op", divide_before},
    ForeignKey{"decimals", "op", rounded},
    ForeignKey{"where", "op", chosen},
    ForeignKey{"ord", "op", other_norm},
    ForeignKey{"p", "op", other_norm},
    ForeignKey{"pad", "pad_width", pairs},
    ForeignKey{"pads", "pad_width", pairs},
    ForeignKey{"padding", "pad_width", pairs},
    ForeignKey{"paddings", "pad_width", pairs},
    ForeignKey{"value", "constant_values", "write \"constant_values\""},
    ForeignKey{"to", "dtype", "write \"dtype\""},
    ForeignKey{"until", "while",
               "write the opposite: \"while\" names a scalar that is 0 when the loop is to end, as {\"join\": \"!x\"} "
               "makes of this one"},
    ForeignKey{"dtype", "raw", beside_data},
    ForeignKey{"dtype", "npy", beside_data},
    ForeignKey{"dtype", "fill", beside_data},
    ForeignKey{"dtype", "values", beside_data},
    ForeignKey{"dtype", "random", beside_data},
    ForeignKey{"shape", "raw", beside_data},
    ForeignKey{"shape", "npy", beside_data},
    ForeignKey{"shape", "fill", beside_data},
    ForeignKey{"shape", "values", beside_data},
    ForeignKey{"shape", "random", beside_data},
    ForeignKey{"cores", "ranks_per_node", node_cores},
    ForeignKey{"cpus", "ranks_per_node", node_cores},
    ForeignKey{"cores_per_node", "ranks_per_node", node_cores},
    ForeignKey{"cpus_per_node", "ranks_per_node", node_cores},
    ForeignKey{"num_cores", "ranks_per_node", node_cores},
    ForeignKey{"processors", "ranks_per_node", node_cores},
    ForeignKey{"cpus_on_node", "ranks_per_node", node_cores},
    ForeignKey{"sockets", "ranks_per_node", node_cores},
    ForeignKey{"gpus", "ranks_per_node", node_gpus},
    ForeignKey{"gpus_per_node", "ranks_per_node", node_gpus},
    ForeignKey{"num_gpus", "ranks_per_node", node_gpus},
    ForeignKey{"gpus_on_node", "ranks_per_node", node_gpus},
    ForeignKey{"accelerators", "ranks_per_node", node_gpus},
    ForeignKey{"mem", "ranks_per_node", node_memory},
    ForeignKey{"ram", "ranks_per_node", node_memory},
    ForeignKey{"memory_per_node", "ranks_per_node", node_memory},
    ForeignKey{"mem_per_node", "ranks_per_node", node_memory},
    ForeignKey{"node_memory", "ranks_per_node", node_memory},
    ForeignKey{"threads_per_rank", "ranks_per_node", "write \"threads\""},
    ForeignKey{"cpus_per_task", "ranks_per_node", "write \"threads\""},
    ForeignKey{"cpus_per_rank", "ranks_per_node", "write \"threads\""},
    ForeignKey{"threads_per_task", "ranks_per_node", "write \"threads\""},
    ForeignKey{"tasks_per_node", "ranks_per_node", "write \"ranks_per_node\""},
    ForeignKey{"ntasks_per_node", "ranks_per_node", "write \"ranks_per_node\""},
    ForeignKey{"procs_per_node", "ranks_per_node", "write \"ranks_per_node\""},
    ForeignKey{"processes_per_node", "ranks_per_node", "write \"ranks_per_node\""},
    ForeignKey{"slots_per_node", "ranks_per_node", "write \"ranks_per_node\""},
    ForeignKey{"bandwidth", "ranks_per_node", of_a_link},
    ForeignKey{"latency", "ranks_per_node", of_a_link},
};

}  // namespace

std::string mend_foreign_key(std::string_view written, std::span<std::string const> known) {
    for (ForeignKey const& key : foreign)
        if (key.written == written && std::ranges::find(known, key.beside) != known.end()) return std::string(key.mend);
    return "";
}

}  // namespace ein
