#!/usr/bin/env bash
# test_unity.sh REPOSITORY: files that are compiled several at once. With CUT_BY_NAME a new file, wherever its name puts it,
# brings no two others into one part that were in two.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }
mkdir -p files
for name in a{1..9} b{1..9} test_{layers,ops,text,train,probe,spreadsheet,options,figure,page,heat,scale}; do : >"files/$name.cpp"; done
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(parts LANGUAGES NONE)
set(GLASSBOX_UNITY ON)
include($1/cmake/unity.cmake)
file(GLOB parts_of files/*.cpp)
glassbox_unity(parts_of 4 FOLDERS files \${CUT})
END
parts() { # a line a part: the names of its files
    rm -rf build
    cmake -G Ninja -S . -B build -DCUT="$1" >/dev/null
    local part
    for part in build/unity/*.cpp; do grep -oE '[^/]+\.cpp' "$part" | tr '\n' ' '; echo; done
}
moved() { # new name, CUT
    : >"files/$1.cpp"
    parts "$2" | sed "s/\b$1\.cpp //" | while read -r line; do
        [ -z "$line" ] || grep -qF -- "$line" before || echo "$line"
    done
    rm "files/$1.cpp"
}
parts CUT_BY_NAME >before
[ "$(tr ' ' '\n' <before | grep -c cpp)" = 29 ] || fail "not every file is in a part: $(cat before)"
[ "$(wc -l <before)" -gt 4 ] || fail "few parts: $(cat before)"
for name in a0 a55 b test_aaa test_csv test_path zz; do
    said=$(moved $name CUT_BY_NAME)
    [ -z "$said" ] || fail "$name brings together: $said"
done
parts "" >before # and this test can fail: without it they move
[ -n "$(moved a0 "")" ] || fail "parts of equal size do not move"
