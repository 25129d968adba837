#include "apps/option_forms.hpp"

#include <algorithm>

namespace ein::apps {

bool OptionForm::has(std::string const& name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<OptionForm> option_forms(CLI::App const& app) {
    std::vector<OptionForm> out;
    for (CLI::Option const* option : app.get_options()) {
        if (!option->nonpositional() || option == app.get_help_ptr()) continue;
        OptionForm form;
        for (std::string const& name : option->get_snames()) form.names.push_back("-" + name);
        for (std::string const& name : option->get_lnames()) form.names.push_back("--" + name);
        form.takes_value = option->get_items_expected_max() > 0;
        if (!form.has("--version")) out.push_back(std::move(form));
    }
    return out;
}

OptionForm const* find_option(std::vector<OptionForm> const& forms, std::string const& name) {
    auto const found = std::find_if(forms.begin(), forms.end(), [&](OptionForm const& form) { return form.has(name); });
    return found == forms.end() ? nullptr : &*found;
}

}  // namespace ein::apps
