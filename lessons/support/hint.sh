# Hints in stages: where it is wrong, what kind of mistake it is, what would be right. Sourced by lessons/run.
# shellcheck shell=bash disable=SC2154

# The work that is asked about: of two, the one that was saved last.
work_for_hint() { # folder
    local works
    mapfile -t works < <(works_of "$1")
    if [ ${#works[@]} = 2 ] && [ "$lessons/$1/exercise.py" -nt "$lessons/$1/exercise.cpp" ]; then
        echo exercise.py
    else
        echo "${works[0]}"
    fi
}

# What a check says about itself: its hint and the first step that is not right.
hint_in() { sed -n '/^Hint: /,/^Next: /p' | sed '/^Next: /d'; }
wrong_step_in() { sed -n '/^    ✗ /{s/^    ✗ \([^ ]*\).*/\1/p;q}'; }
# The case that is shown step by step, and its step that is not right.
where_in() { awk '/^✗ / { title = $0 } /^    (✗|!) / { print title; print; exit }'; }

# The stage belongs to the exercise as it is: $state/hint-01 has its checksum and the stage that was shown last.
next_stage() { # number file: notes it, too
    local checksum stage=0 seen=''
    checksum="$2 $(cksum <"$lessons/$folder/$2")"
    [ ! -s "$state/hint-$1" ] || IFS=$'\t' read -r seen stage <"$state/hint-$1"
    [ "$seen" = "$checksum" ] || stage=0
    [ "$stage" -ge 3 ] || stage=$((stage + 1))
    mkdir -p "$state" && printf '%s\t%d\n' "$checksum" "$stage" >"$state/hint-$1"
    echo "$stage"
}

show_formula() { # folder file step
    local language=cpp command
    [[ $2 != *.py ]] || language=python
    [ -z "$3" ] || "$build/lessons/${1%%-*}/check" "$lessons/$1" formula $language "$3" | fold -s -w 96 | sed 's/ *$//'
    # The first command that the lesson runs, if it has this step.
    command=$(sed -n 's/^ *\$ \.\/dev tracer //p' "$lessons/$1/README.md" | sed -n '1s/ --only [^ ]*//p')
    if [ -n "$3" ] && [ -n "$command" ] && [ -x "$build/tracer" ] && eval "\"$build/tracer\" $command --only $3" >/dev/null 2>&1; then
        printf 'See one: ./dev tracer %s --only %s\n' "$command" "$3"
    fi
    printf 'The lesson says more in its parts Read and Run: lessons/%s/README.md\n' "$1"
}

hint() { # folder
    local folder=$1 number=${1%%-*} file said stage=0 step
    file=$(work_for_hint "$folder")
    if said=$(NO_COLOR=1 check_file "$folder" "$lessons/$folder/$file" "lessons/$folder/$file" 2>&1); then
        printf 'lessons/%s/%s is right: there is nothing to hint at.\n' "$folder" "$file"
        note_passed "$lessons/$folder/$file" "$file"
        return
    fi
    if ! grep -q '^Hint: ' <<<"$said"; then # it does not compile, or cannot be called
        printf '%s\n' "$said"
        return 1
    fi
    step=$(wrong_step_in <<<"$said")
    stage=$(next_stage "$number" "$file")
    case $stage in
    1)
        printf 'Hint 1 of 3: where. lessons/%s/%s\n\n%s\n\n' "$folder" "$file" "$(where_in <<<"$said")"
        printf 'Run it again for the kind of mistake.\n'
        ;;
    2)
        printf 'Hint 2 of 3: what kind of mistake.\n\n%s\n\n' "$(hint_in <<<"$said" | sed 's/^Hint: //; s/^      //')"
        printf 'Run it again for the right line.\n'
        ;;
    3)
        printf 'Hint 3 of 3: what is right.\n\n'
        show_formula "$folder" "$file" "$step"
        ;;
    esac
}
