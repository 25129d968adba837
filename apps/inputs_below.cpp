#include "apps/inputs_below.hpp"

#include "lib/base/files/input_file.hpp"

namespace ein::apps {

CLI::Option* add_inputs_below(CLI::App& app) {
    return app.add_option_function<std::string>(
        "--inputs-below", [](std::string const& folder) { keep_inputs_below(folder); },
        "DIR: no data file outside DIR is opened, wherever links and .. lead; for graphs from elsewhere");
}

}  // namespace ein::apps
