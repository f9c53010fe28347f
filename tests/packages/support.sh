# Sourced by the tests beside it. Exit code 77 is "skipped".
set -euo pipefail
repo=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
files=$repo/build/release-files
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
skip() { printf 'skipped: %s\n' "$*"; exit 77; }
fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }

# The one file whose name matches.
handed_out() { # pattern
    local found=("$files"/$1)
    [ ${#found[@]} = 1 ] && [ -e "${found[0]}" ] || skip "there is no $1 in build/release-files"
    echo "${found[0]}"
}

# The tutorial's Q, attention and values (docs/conventions.md), as far as single precision determines them.
check_tutorial() { # what `tracer attention --seq 3 --dk 2` printed
    local row
    for row in '-0\.6613315 +0\.7005' '0\.2796329. +0\.5404929. +0\.1798741' '0\.2797708. +0\.583730.. +0\.1364983' \
        '0\.376226 +-0\.14656' '-0\.427785. +-0\.59895' '0\.43624.. +-0\.11678'; do
        grep -qE -e "$row" <<<"$1" || fail "the tutorial's row $row is not in"$'\n'"$1"
    done
}
