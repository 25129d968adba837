#include <cstdio>
#include <memory>

#include "apps/eintool/commands.hpp"
#include "apps/graph_file.hpp"
#include "apps/inputs_below.hpp"
#include "apps/report_errors.hpp"
#include "lib/base/text/counted.hpp"

namespace ein::apps::tool {

void add_validate(CLI::App& app, Action& chosen) {
    CLI::App* command =
        app.add_subcommand("validate", "Check a graph and report every fault at once; exit code 3 when there is one");
    auto const path = std::make_shared<std::string>();
    command->add_option("GRAPH", *path, "EinGraph JSON file; - for standard input")->required();
    add_inputs_below(*command);
    command->callback([path, &chosen] {
        chosen = [path] {
            GraphFile file = read_graph_file(*path);
            graph::EinGraph const graph = read_graph(file);
            std::printf("%s: sound: %s, %s after lowering, %s\n", file.name.c_str(),
                        counted(graph.leaves.size(), "tensor").c_str(), counted(graph.nodes.size(), "node").c_str(),
                        counted(graph.outputs.size(), "output").c_str());
            for (std::string const& note : file.notes) say("eintool", "note: " + note);
            return 0;
        };
    });
}

}  // namespace ein::apps::tool
