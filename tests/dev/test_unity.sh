#!/usr/bin/env bash
# test_unity.sh REPOSITORY: files come together only where none has a name that another declares.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }
mkdir files
first() { printf '#include <x.h>\n\nnamespace glassbox {\nnamespace {\n\n%s\n\n}  // namespace\n}  // namespace glassbox\n' "$2" >"files/$1.cpp"; }
first base 'int helper(int x) { return x; }

struct Rows {
    int other(int);
};

namespace step = steps::clip;
constexpr double tolerance = 1e-6;
const std::vector<int>& table() { return all; }'
first overload 'double helper(const std::string& x) { return 0; }'
first type 'struct Rows {};'
first alias 'namespace step = steps::adam;'
first value 'constexpr double tolerance = 1;'
first reference 'Tensor& table() { return y; }'
first user 'int use() { return helper(1); }' # of a header's
first words '// As helper() does, with Rows.
int words(Thing x) { return x.helper(1); }' # a comment and another's member
first opened 'using namespace wrong;
int less(int x) { return x; }'
first apart 'int more(int x) { return x; }'
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(parts LANGUAGES NONE)
set(GLASSBOX_UNITY ON)
include($1/cmake/unity.cmake)
set(parts_of "")
foreach(name base opened apart overload type alias value reference user words)
  list(APPEND parts_of \${CMAKE_CURRENT_SOURCE_DIR}/files/\${name}.cpp)
endforeach()
glassbox_unity(parts_of part \${BATCH} FOLDERS files)
END
parts() { # a line a part: the names of its files
    rm -rf build
    cmake -G Ninja -S . -B build -DBATCH="$1" >/dev/null
    local part
    for part in build/unity/*.cpp; do grep -oE '[^/]+\.cpp' "$part" | tr '\n' ' '; echo; done
}
parts 12 >found
[ "$(cat found)" = 'base.cpp apart.cpp words.cpp 
opened.cpp 
overload.cpp type.cpp alias.cpp value.cpp reference.cpp 
user.cpp ' ] || fail "these came together: $(cat found)"
parts 3 >found
[ "$(wc -l <found)" = 4 ] && [ "$(tr ' ' '\n' <found | grep -c cpp)" = 10 ] || fail "not in parts of three: $(cat found)"
