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

# The tutorial's Q, attention and values as it prints them, within what single precision rounds.
check_tutorial() { # what `tracer attention --seq 3 --dk 2` printed
    awk '/^[0-9]+  / { step = $2 }
         /^ +\[/ { gsub(/[][]/, " "); for (i = 1; i <= NF; ++i) found[step, ++count[step]] = $i }
         function check(step, numbers,    right, n, i, off) {
             n = split(numbers, right, " ")
             wrong += count[step] != n
             for (i = 1; i <= n; ++i) { off = found[step, i] - right[i]; wrong += off > 1e-6 || off < -1e-6 }
         }
         END {
             check("Q", "-0.6613315 0.70056266 0.08239268 -1.7793142 -0.04378588 1.0965251")
             check("attention", "0.27963293 0.54049295 0.17987415 0.22194655 0.06706189 0.71099156 0.27977085 0.58373076 0.13649833")
             check("values", "0.376226 -0.14656176 -0.42778552 -0.5989564 0.4362476 -0.11678296")
             exit wrong > 0
         }' <<<"$1" || fail "these are not the tutorial's numbers:"$'\n'"$1"
}
