#!/usr/bin/env bash
# Run time of `tracer attention --seq 3 --dk 2` from start to exit, compared with `tracer --version`, with a program that
# links OpenBLAS and multiplies once, and with a PyTorch script that prints the same: ./dev bench startup [PYTHON] [BUILD]
# Exit code 1 if the first takes more than 1.3 times as long as the second: what a command makes at its start, and does
# not need, is felt in every lesson.
set -euo pipefail
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
python=${1:-python3}
build=${2:-$here/../build/release}
unset OPENBLAS_CORETYPE

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
library=$(cached GLASSBOX_OPENBLAS_LIBRARY)
"${CC:-cc}" -O2 -I"$(cached GLASSBOX_OPENBLAS_INCLUDE)" "$here/startup_blas.c" -o "$build/bench/startup_blas" "$library" \
    -Wl,-rpath,"${library%/*}"

medians=()
measure() { # runs name command…: adds to medians
    local runs=$1 names=() commands=()
    shift
    while [ $# -gt 0 ]; do
        names+=("$1")
        commands+=(-- ${2})
        shift 2
    done
    local i=0 line
    while read -r line; do
        printf '%-52s %s\n' "${names[i++]}" "$line"
        medians+=("$(awk '{ print $1 }' <<<"$line")")
    done < <("$build/bench/startup" -n "$runs" "${commands[@]}")
}

sed -n '/^model name/{s/.*: //p;q}' /proc/cpuinfo 2>/dev/null || true
printf '%-52s %s\n' "ms: median and minimum wall time, median CPU time" "load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || true)"
measure 201 "tracer attention --seq 3 --dk 2" "$build/tracer attention --seq 3 --dk 2" \
    "tracer --version" "$build/tracer --version" \
    "C, OpenBLAS, one product" "$build/bench/startup_blas"
if "$python" -c 'import torch' 2>/dev/null; then
    measure 11 "Python, PyTorch $("$python" -c 'import torch; print(torch.__version__)')" "$python $here/startup_peer.py"
else
    echo "skipped: $python has no torch"
fi
awk -v command="${medians[0]}" -v version="${medians[1]}" 'BEGIN {
    printf "the first command takes %.2f times as long as --version; at most 1.3 expected\n", command / version
    exit command > 1.3 * version
}'
