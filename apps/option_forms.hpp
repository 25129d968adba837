// Which options a program has, as far as another program must know that hands words on to it: names, and whether a
// word follows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ein::apps {

struct OptionForm {
    std::vector<std::string> names;  // "-n", "--ranks"
    bool takes_value = false;        // "--ranks 4" or "--ranks=4"; else "--explain" or "--explain=json"
    bool has(std::string const& name) const;
};

/// Of all options but --help and --version.
std::vector<OptionForm> option_forms(CLI::App const& app);
/// Nothing where no option has that name.
OptionForm const* find_option(std::vector<OptionForm> const& forms, std::string const& name);

/// In einplan_options.cpp and einrun_options.cpp, beside the options themselves.
std::vector<OptionForm> einplan_option_forms();
std::vector<OptionForm> einrun_option_forms();

}  // namespace ein::apps
