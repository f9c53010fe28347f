#!/usr/bin/env bash
# test_dev.sh REPOSITORY CASE: one case of ./dev, in a scratch folder. Its repository builds a "tracer" that prints a file.
set -uo pipefail

dev=$1/dev
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
unset CI GLASSBOX_BUILD_NEWS

fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }
check() { # what is expected, what was printed
    [ "$1" = "$2" ] || fail "expected"$'\n'"$1"$'\n'"but got"$'\n'"$2"
}
check_has() { # text, pattern of grep
    grep -qE -e "$2" <<<"$1" || fail "no '$2' in"$'\n'"$1"
}
check_has_not() {
    ! grep -qE -e "$2" <<<"$1" || fail "'$2' is in"$'\n'"$1"
}

# Nothing is installed from here: every package is there already.
mkdir stubs
printf '#!/bin/sh\necho installed all\n' >stubs/dpkg-query
printf '#!/bin/sh\nexit 1\n' | tee stubs/apt-get >stubs/sudo
chmod +x stubs/*
PATH=$scratch/stubs:$PATH

repository() { # folder, what its tracer prints
    mkdir -p "$1/lib" "$1/tracer" "$1/cmake"
    cp "$dev" "$1/dev"
    echo "$2" >"$1/lib/words"
    cat >"$1/CMakePresets.json" <<'END'
{"version": 6, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}]}
END
    cat >"$1/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(words LANGUAGES NONE)
option(GLASSBOX_WERROR "" OFF)
file(GLOB files CONFIGURE_DEPENDS lib/*)
set(parts "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  add_custom_command(OUTPUT ${name}.part DEPENDS ${file} VERBATIM
    COMMAND sh -c "if grep -q broken '${file}'; then echo '${name}: this cannot be built'; exit 1; fi; cp '${file}' ${name}.part")
  list(APPEND parts ${name}.part)
endforeach()
add_custom_command(OUTPUT tracer DEPENDS ${parts} VERBATIM
  COMMAND sh -c "{ echo '#!/bin/sh'; echo \"cat <<'END'\"; cat words.part; echo END; } > tracer && chmod +x tracer")
add_custom_target(all_of_it ALL DEPENDS tracer)
END
}

a_command_without_a_help_of_its_own_shows_what_there_is() {
    repository one words
    for command in docs test build fuzz coverage; do
        check "$(one/dev help)" "$(one/dev $command --help 2>&1)"
    done
    [ ! -e one/build ] || fail "something was built"
}

a_copied_checkout_builds_its_own_sources() {
    repository old one
    check one "$(old/dev tracer 2>/dev/null)"
    cp -r old new
    check one "$(new/dev tracer 2>/dev/null)"
    echo two >new/lib/words
    check two "$(new/dev tracer 2>/dev/null)"
    check one "$(old/dev tracer 2>/dev/null)"

    cp -rp old older # with its times, so that nothing in it looks new
    echo three >old/lib/words
    check three "$(old/dev tracer 2>/dev/null)"
    local said
    said=$(older/dev tracer 2>&1)
    check_has "$said" '^dev: configuring release again: build/release was made in .*/old$'
    check one "$(tail -n 1 <<<"$said")"
    said=$(older/dev build 2>&1)
    check_has_not "$said" configuring # once is enough
}

a_moved_checkout_builds_its_own_sources() {
    repository old one
    check one "$(old/dev tracer 2>/dev/null)"
    mv old new
    repository old two
    check one "$(new/dev tracer 2>/dev/null)"
    echo three >new/lib/words
    check three "$(new/dev tracer 2>/dev/null)"

    ln -s new link # another name of the same folder is no other folder
    local said
    said=$(link/dev build 2>&1) || fail "link/dev build"
    check "" "$said"
    check three "$(link/dev tracer 2>&1)"
}

what_is_built_is_run_at_once() {
    repository r one
    r/dev tracer >/dev/null 2>&1
    printf '#!/bin/sh\necho a second build\n' >r/build/release/tracer # a build would make it anew
    touch r/build/release/.tracer-is-built
    check "a second build" "$(r/dev tracer 2>&1)"
    touch r/lib/words
    check one "$(r/dev tracer 2>/dev/null)"

    # A part of the command that lies elsewhere.
    printf '#!/bin/sh\ntouch "%s/asked"\necho installed all\n' "$scratch" >stubs/dpkg-query
    check one "$(r/dev tracer 2>&1)"
    [ ! -e asked ] || fail "packages were looked for, though nothing was to be built"
    mkdir -p r/python/glassbox
    touch r/python/glassbox/signature.py
    check one "$(r/dev tracer 2>&1)"
    [ -e asked ] || fail "a change of signature.py was not seen"
}

a_build_says_how_many_steps_it_has__and_how_far_it_is() {
    repository r one
    for i in 1 2 3 4 5 6 7; do echo "$i" >"r/lib/file$i"; done
    local said
    said=$(GLASSBOX_BUILD_NEWS=0 r/dev build 2>&1)
    check_has "$said" '^dev: building all \(release\): 9 steps$' # eight files and what is made of them
    check_has "$said" '^dev: built [1-8] of 9$'
    check "" "$(r/dev build 2>&1)"
    echo 8 >r/lib/file8 # a file that CMake has not seen
    r/dev build >/dev/null 2>&1 || fail "a new file"
    [ -f r/build/release/file8.part ] || fail "a new file was not built"

    for i in {1..100}; do echo "$i" >"r/lib/many$i"; done
    r/dev build >/dev/null 2>&1 # CMake sees them
    touch r/lib/*
    said=$(r/dev build 2>&1)
    check_has "$said" '^dev: building all \(release\): 110 steps; later builds compile only what has changed$'
    check 1 "$(wc -l <<<"$said")"
}

a_lesson_is_built_once__and_only_a_build_is_announced() {
    repository r one
    mkdir -p r/lessons/support r/lessons/01-first
    touch r/lessons/CMakeLists.txt r/lessons/01-first/{call.cpp,check.cpp,lesson.h}
    cat >r/lessons/run <<'END'
#!/bin/sh
if [ "$1" = --needs ]; then echo lessons/01/check; else echo checked; fi
END
    chmod +x r/lessons/run
    cat >>r/CMakeLists.txt <<'END'
add_custom_command(OUTPUT lessons/01/check DEPENDS ${CMAKE_SOURCE_DIR}/lessons/01-first/check.cpp VERBATIM
  COMMAND sh -c "mkdir -p lessons/01 && echo >lessons/01/check && chmod +x lessons/01/check")
add_custom_target(lesson DEPENDS lessons/01/check)
END
    check_has "$(r/dev lesson 01 2>&1)" '^dev: building lessons/01/check \(release\): 1 steps?$'
    check checked "$(r/dev lesson 01 2>&1)"
    printf '#!/bin/sh\ntouch "%s/asked"\necho installed all\n' "$scratch" >stubs/dpkg-query
    check checked "$(r/dev lesson 01 2>&1)"
    [ ! -e asked ] || fail "packages were looked for, though nothing was to be built"
    sleep 1
    touch r/lessons/01-first/check.cpp
    check_has "$(r/dev lesson 01 2>&1)" '^dev: building '
}

of_a_failed_build_only_what_failed_is_shown() {
    repository r one
    for i in 1 2 3 4 5 6 7; do echo "$i" >"r/lib/file$i"; done
    echo broken >r/lib/middle
    local said
    local code=0
    said=$(r/dev build 2>&1) || code=$?
    check 125 $code
    check_has "$said" '^middle: this cannot be built$'
    check_has "$said" '^dev: the build failed$'
    check_has_not "$said" '^\[[0-9]+/'
}

# A repository in which another build goes on, until descriptor 8 is closed.
locked_repository() { # folder, what its tracer prints
    command -v flock >/dev/null || exit 4
    repository "$@"
    mkdir -p "$1/build"
    exec 8>"$1/build/.lock"
    flock 8
}

two_builds_of_one_folder_wait_for_each_other() {
    locked_repository r one
    r/dev build 2>said 8>&- &
    until grep -q waiting said; do sleep 0.1; done
    [ ! -e r/build/release ] || fail "it did not wait"
    exec 8>&-
    wait $! || fail "it ended with $?"
    check_has "$(cat said)" '^dev: another ./dev is building in this folder: waiting for it$'
    [ -x r/build/release/tracer ] || fail "nothing was built"
}

two_commands_at_once_are_both_run() {
    locked_repository r one
    r/dev tracer >first 2>first-said 8>&- &
    r/dev tracer >second 2>second-said 8>&- &
    until grep -q waiting first-said && grep -q waiting second-said; do sleep 0.1; done
    exec 8>&-
    wait || true
    check one "$(cat first)"
    check one "$(cat second)"
    check "" "$(find r/build/release -name '.tracer-is-built.*')"
}

without_root_and_sudo_it_says_what_root_is_to_do() {
    rm stubs/sudo
    ! command -v sudo >/dev/null || exit 4
    printf '#!/bin/sh\necho 1000\n' >stubs/id
    printf '#!/bin/sh\nexit 1\n' >stubs/dpkg-query
    chmod +x stubs/id
    repository r one
    local said code=0
    said=$(r/dev tracer 2>&1) || code=$?
    check 125 $code
    check_has "$said" '^dev: this needs root, and there is no sudo. As root, run: apt-get install '
    check "" "$(find r/build -name '.tracer-is-built*')"
}

a_filter_builds_the_programs_that_have_its_tests() {
    repository r one
    mkdir -p r/tests/ops r/tests/text/words
    cat >r/tests/ops/test_softmax.cpp <<'END'
TEST_CASE("softmax: each row of \"x\" "
          "sums to [0, 1]") {
END
    printf 'TEST_CASE(\n    "words are kept") {\n' >r/tests/text/words/test_words.cpp
    cat >>r/CMakeLists.txt <<'END'
enable_testing()
add_custom_target(quick)
foreach(name ops text docs)
  add_custom_target(built_${name} ALL COMMAND touch ${name}.built)
  add_custom_target(test_${name} DEPENDS built_${name})
endforeach()
add_dependencies(quick test_ops test_text)
add_test(NAME "ops/softmax: each row of \"x\" sums to [0, 1]" COMMAND sh -c "test -e ops.built")
add_test(NAME "text/words are kept" COMMAND sh -c "test -e text.built && { [ -z \"$GLASSBOX_UPDATE\" ] || echo new >$0; }"
         ${CMAKE_SOURCE_DIR}/tests/text/transcripts/words.txt)
add_test(NAME "docs/README.md" COMMAND sh -c "test -e docs.built")
set_tests_properties("docs/README.md" PROPERTIES LABELS more)
END
    built() { (cd r/build/release && ls ./*.built | tr '\n' ' '; rm -f ./*.built); }
    tested() { r/dev test "$@" >said 2>&1 || fail "test $*: $(cat said)"; }
    tested 'x. sums to \[0'
    check "./ops.built " "$(built)"
    tested 'are kept' softmax
    check "./ops.built ./text.built " "$(built)"
    tested '^docs/' # no program's: everything
    check "./docs.built ./ops.built ./text.built " "$(built)"
    tested
    check "./ops.built ./text.built " "$(built)"
    check_has "$(cat said)" 'out of 2$'
    tested --more
    check_has "$(cat said)" 'out of 3$'
    built >/dev/null
    tested --rest
    check_has "$(cat said)" 'out of 1$'
    ! r/dev test nothing >said 2>&1 || fail "no test is found, and nothing said: $(cat said)"
    mkdir r/tests/text/transcripts
    tested --update 'are kept'
    check_has "$(cat said)" '^dev: wrote tests/text/transcripts/words\.txt$'
    tested --update softmax
    check_has "$(cat said)" '^dev: every transcript is as it was$'
    check_has_not "$(cat said)" wrote
}

what_is_no_option_is_refused() {
    repository r one
    local said code=0
    said=$(r/dev test -j 4 2>&1) || code=$?
    check 125 $code
    check_has "$said" '^dev: test: what is -j\?'
    code=0
    said=$(r/dev fuzz npy 2>&1) || code=$?
    check 125 $code
    check_has "$said" '^dev: fuzz: expected at least 1 second, got npy$'
    [ ! -e r/build ] || fail "something was built"
}

case_name=${2//[ ,]/_}
declare -F "$case_name" >/dev/null || fail "there is no case $2"
"$case_name"
