// The one place that knows which Catch2 this is (Debian 12 ships version 2).
#pragma once
#define CATCH_CONFIG_FAST_COMPILE  // an exception ends its test case; the line that threw is not named
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
