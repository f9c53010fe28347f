# Checks one exercise with the lesson's check program. Sourced by lessons/run.
# shellcheck shell=bash disable=SC2154

has_numpy() { "$1" -c 'import numpy' >/dev/null 2>&1; }

# The first of these that has NumPy: what GLASSBOX_PYTHON names, the active virtual environment's, the one on the PATH,
# the system's.
find_python() {
    local python
    if [ -n "${GLASSBOX_PYTHON:-}" ]; then
        has_numpy "$GLASSBOX_PYTHON" || wrong_usage "GLASSBOX_PYTHON=$GLASSBOX_PYTHON is no Python with NumPy"
        echo "$GLASSBOX_PYTHON"
        return
    fi
    for python in ${VIRTUAL_ENV:+"$VIRTUAL_ENV/bin/python3"} python3 /usr/bin/python3; do
        if has_numpy "$python"; then
            echo "$python"
            return
        fi
    done
    return 1
}

check_cpp() { # folder source shown
    local number=${1%%-*} result=0
    # By itself, so that all the compiler says is about this file.
    library=$(mktemp "$build/lessons/$number/exercise-XXXXXX")
    if "${CXX:-c++}" -std=c++20 -O1 -g -Wall -Wextra -Wno-unused-parameter -fPIC -shared -I "$lessons/$1" -o "$library" "$2" \
        2>&1; then
        "$build/lessons/$number/check" "$lessons/$1" exercise "$library" "$3" </dev/null || result=$?
    else
        printf '\n%s does not compile yet: see the first error above.\n' "$3"
        result=1
    fi
    rm -f "$library"
    return $result
}

check_python() { # folder source shown
    local python
    python=$(find_python) || {
        printf 'lesson: %s needs a Python with NumPy: ./dev lesson installs one, or set GLASSBOX_PYTHON\n' "$3" >&2
        return 2
    }
    "$python" -B "$lessons/support/run_python.py" "$build/lessons/${1%%-*}/check" "$lessons/$1" "$2" "$3" </dev/null
}

check_file() { # folder source shown
    [ -r "$2" ] || { printf 'lesson: %s cannot be read\n' "$3" >&2; return 4; }
    case $2 in
    *.py) check_python "$@" ;;
    *) check_cpp "$@" ;;
    esac
}

check_exercises() { # folder file…: notes which are right
    local folder=$1 file result=0 one between='' undone=()
    shift
    for file in "$@"; do
        printf '%s' "$between"
        between=$'\n' one=0
        check_file "$folder" "$lessons/$folder/$file" "lessons/$folder/$file" || one=$?
        if [ $one = 0 ]; then
            note_passed "$lessons/$folder/$file" "$file"
        else
            undone+=("lessons/$folder/$file")
            [ $result != 0 ] || result=$one
        fi
    done
    # Of two, what is said of the first is far above by now.
    if [ $# -gt 1 ] && [ ${#undone[@]} -gt 0 ]; then
        printf '\nNot right yet: %s' "${undone[0]}"
        [ ${#undone[@]} = 1 ] || printf ', %s' "${undone[@]:1}"
        echo
    fi
    return $result
}
