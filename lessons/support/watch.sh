# Checks an exercise whenever it is saved. Sourced by lessons/run.
# shellcheck shell=bash disable=SC2154

# Looking at the files' contents every now and then takes no notice of how an editor saves, and works where the system
# reports no changes: on network drives, in containers.
readonly watch_seconds=${GLASSBOX_WATCH_SECONDS:-0.4}

state_of_works() { # folder
    cat "$lessons/$1/exercise.cpp" "$lessons/$1/exercise.py" 2>/dev/null | cksum
}

# The steps that are right in the case that is shown step by step, and the cases that are right.
right_in() {
    awk '/^✓ / { print "case " $2 }
         /^✗ / { in_detail = !seen; seen = 1 }
         in_detail && /^    ✓ / { print $2 }'
}

news() { # before after: what is right now, and what no longer is
    local gained lost
    gained=$(grep -vxF -f <(echo "$1") <<<"$2" | paste -sd, | sed 's/,/, /g' || true)
    lost=$(grep -vxF -f <(echo "$2") <<<"$1" | grep '^case ' | paste -sd, | sed 's/,/, /g' || true)
    [ -z "$gained" ] || printf 'Now right: %s\n' "$gained"
    [ -z "$lost" ] || printf 'No longer right: %s\n' "$lost"
}

# A check, less its hint: that is asked for by a key.
without_hint() { sed '/^Hint: /,/^Next: /{/^Next: /!d}'; }

# What was said of the lesson before stays on the screen: that is read when a lesson begins.
check_again() { # folder first|'': sets $right_before; 0 when all that was worked on is right
    local folder=$1 first=$2 said result=0 right
    # What is built or waited for is said at once, by way of the error output; as is why nothing could be checked.
    said=$(lesson_command "${folder%%-*}") || result=$?
    right=$(right_in <<<"$said")
    if [ -t 1 ] && [ -z "$first" ] && [ $result -le 1 ]; then printf '\033[H\033[2J'; fi
    without_hint <<<"$said"
    [ $result = 0 ] || [ -z "$right_before" ] || news "$right_before" "$right"
    right_before=${right:-none}
    return $result
}

# Builds what has not been built, where ./dev has called.
lesson_command() { if [ -n "${GLASSBOX_DEV:-}" ]; then "$GLASSBOX_DEV" lesson "$@"; else "$lessons/run" "$@"; fi; }

keys() { printf 'watching lessons/%s   h hint · n next lesson · l list · q quit\n' "$1"; }
keys_below_progress() { printf '\n%s\n' "$(progress)"; keys "$1"; }

# A key on a terminal, the first letter of a line from elsewhere; nothing when the time is up. 1 at the end of the input.
next_key() {
    local result=0
    key=''
    if [ -t 0 ]; then
        IFS= read -rsn1 -t "$watch_seconds" key || result=$?
    else
        IFS= read -r -t "$watch_seconds" key || result=$?
        key=${key:0:1}
    fi
    [ $result -gt 128 ] || [ $result = 0 ]
}

# A lesson that is named and right already stays, since its author wants to change it: until it is right once more.
watch_lesson() { # folder named|'': returns 0 to go on to the next lesson, 1 to stop
    local folder=$1 stays=$2 seen='' now key right_before='' first=first
    while true; do
        now=$(state_of_works "$folder")
        if [ "$now" != "$seen" ]; then
            seen=$now
            if ! check_again "$folder" "$first"; then stays=''; elif [ -z "$stays" ]; then return 0; fi
            first=''
            keys_below_progress "$folder"
        fi
        next_key || return 1
        case $key in
        h) lesson_command hint "${folder%%-*}" || true; echo; keys "$folder" ;;
        n) return 0 ;;
        l) list; keys "$folder" ;;
        q) return 1 ;;
        esac
    done
}

watch() { # [folder]
    local folder=${1:-$(next_lesson)} named=${1:+named}
    [ ! -t 0 ] || { terminal=$(stty -g) && trap 'stty "$terminal"; rm -f "${library:-}"' EXIT; }
    trap 'echo; exit 0' INT TERM
    while [ -n "$folder" ]; do
        watch_lesson "$folder" "$named" || { printf '\n%s\n' "$(progress)"; return 0; }
        named='' folder=$(next_after "${folder%%-*}")
        [ -z "$folder" ] || printf '\nLesson %s: %s. Begin with lessons/%s/README.md\n' "${folder%%-*}" "$(title_of "$folder")" "$folder"
    done
    printf '\n%s\n' "$(progress)"
}

# The next one that is not passed, behind this one; else from the beginning.
next_after() { # number
    local number what
    while read -r number what; do
        if [[ $number > $1 && $what != 'to come: '* ]] && ! is_passed "$number" "$what"; then
            echo "$what"
            return
        fi
    done < <(entries)
    next_lesson
}
