// A folder with graphs written by hand and planned by einplan. Example: place.plan("a.json", text, 3) makes a.sched.
#pragma once

#include "tests/apps/einrun/einrun_place.hpp"

namespace ein::test {

struct PlannedPlace : Place {
    void write(std::string const& name, std::string const& text) const { std::ofstream(*this / name) << text; }
    void plan(std::string const& name, std::string const& text, int ranks = 1) const {
        write(name, text);
        Outcome const planned = shell(EINPLAN " " + name + " -n " + std::to_string(ranks));
        CAPTURE(planned.text);
        REQUIRE(planned.code == 0);
    }
};

}  // namespace ein::test
