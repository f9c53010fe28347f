// What nearly every source includes, compiled once for the library and once for the command: small files then
// compile in half the time. Each file still includes what it uses: the installed headers are compiled by
// themselves in the tests.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
