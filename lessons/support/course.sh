# The lessons of a course, and how far a student has come. Sourced by lessons/run, which has set $lessons and $state.
# shellcheck shell=bash disable=SC2154

# "01 01-scaled-dot-product" for each folder, "13 to come: …" for each such line of README.md; in order.
entries() {
    local folder
    {
        for folder in "$lessons"/[0-9]*-*/; do
            folder=$(basename "$folder")
            echo "${folder%%-*} $folder"
        done
        [ ! -f "$lessons/README.md" ] || sed -n 's/^| \([0-9]*\) | \(to come: .*\) |$/\1 \2/p' "$lessons/README.md"
    } | sort
}

title_of() { sed -n '1s/^# Lesson [0-9]*: //p' "$lessons/$1/README.md"; } # folder

folder_of() { # 01, 1 or the folder's name
    local number what
    while read -r number what; do
        [ "$1" = "$number" ] || [ "0$1" = "$number" ] || [ "$1" = "$what" ] || continue
        [[ $what != 'to come: '* ]] || wrong_usage "lesson $number is not there yet; $what"
        echo "$what"
        return
    done < <(entries)
    wrong_usage "there is no lesson '$1'; the lessons are"$'\n'"$(list)"
}

# ---- what has been passed ------------------------------------------------------------------------------------

# $state/01 has a line for each work that was right: its checksum, and its name: exercise.cpp, exercise.py, or the path
# of a file of arrays. A work counts as long as it is the same.
passed_works() { # number folder: the names
    local checksum name file
    [ -s "$state/$1" ] || return 0
    while IFS=$'\t' read -r checksum name; do
        file=$name
        [[ $name == */* ]] || file=$lessons/$2/$name
        if [ ! -e "$file" ] || [ "$checksum" = "$(cksum <"$file")" ]; then echo "$name"; fi
    done <"$state/$1"
}
is_passed() { [ -n "$(passed_works "$@")" ]; } # number folder

note_passed() { # file name
    local others=''
    [ ! -s "$state/$number" ] || others=$(grep -vF -e $'\t'"$2" "$state/$number" || true)
    { mkdir -p "$state" && printf '%s%s\t%s\n' "${others:+$others$'\n'}" "$(cksum <"$1")" "$2" >"$state/$number.new" &&
        mv "$state/$number.new" "$state/$number"; } || printf 'lesson: cannot record this in %s\n' "$state" >&2
}

languages_of() { # the names of works, a line each: "C++, Python"
    sed -e 's/^exercise\.cpp$/C++/' -e 's/^exercise\.py$/Python/' -e 's/^.*\/.*$/arrays/' | sort -u | paste -sd, | sed 's/,/, /g'
}

# The first lesson that is not passed. Nothing when all are.
next_lesson() {
    local number what
    while read -r number what; do
        if [[ $what = 'to come: '* ]] || is_passed "$number" "$what"; then continue; fi
        echo "$what"
        return
    done < <(entries)
}

list() {
    local number what mark next languages titles=() width=0 passed=0 all=0 following
    following=$(next_lesson)
    while read -r number what; do
        [[ $what == 'to come: '* ]] || what=$(title_of "$what")
        titles+=("$what")
        ((${#what} <= width)) || width=${#what}
    done < <(entries)
    while read -r number what; do
        mark=' ' next='' languages=''
        if [[ $what != 'to come: '* ]]; then
            all=$((all + 1))
            if is_passed "$number" "$what"; then
                mark=✓ passed=$((passed + 1)) languages=$(passed_works "$number" "$what" | languages_of)
            fi
            [ "$what" != "$following" ] || next="next: read lessons/$what/README.md"
        fi
        printf "%s %s  %-${width}s  %s%s" "$mark" "$number" "${titles[0]}" "$languages" "$next" | sed 's/ *$//'
        echo
        titles=("${titles[@]:1}")
    done < <(entries)
    printf '\n%s\n' "$(progress_bar $passed $all)"
}

progress_bar() { # passed all
    local bar='' i
    for ((i = 0; i < $2; i++)); do if ((i < $1)); then bar+=██; else bar+=░░; fi; done
    printf '%s %d of %d passed' "$bar" "$1" "$2"
}
progress() {
    local number what passed=0 all=0
    while read -r number what; do
        [[ $what != 'to come: '* ]] || continue
        all=$((all + 1))
        ! is_passed "$number" "$what" || passed=$((passed + 1))
    done < <(entries)
    progress_bar $passed $all
}

# ---- exercises as they came ----------------------------------------------------------------------------------

# A course may have been copied without its history, so each lesson has a copy of its exercises; where a new lesson has
# none, git may know.
as_it_came() { # folder file
    if [ -f "$lessons/$1/as-it-came/$2" ]; then
        cat "$lessons/$1/as-it-came/$2"
    else
        git -C "$lessons" show "HEAD:./$1/$2" 2>/dev/null
    fi
}
is_worked_on() { # folder file
    local original
    [ -f "$lessons/$1/$2" ] || return 1
    original=$(as_it_came "$1" "$2" && echo .) || return 0
    [ "$original" != "$(cat "$lessons/$1/$2" && echo .)" ]
}

# Which exercises are to be checked: those that were worked on; else the one in C++.
works_of() { # folder
    local file found=
    for file in exercise.cpp exercise.py; do
        ! is_worked_on "$1" $file || { echo $file; found=yes; }
    done
    [ -n "$found" ] || echo exercise.cpp
}

reset() { # folder file…
    local folder=$1 file kept n
    shift
    for file in "$@"; do
        [ -f "$lessons/$folder/$file" ] || continue
        if ! as_it_came "$folder" "$file" >"$lessons/$folder/.$file.new"; then
            rm -f "$lessons/$folder/.$file.new"
            printf 'lesson: the original of lessons/%s/%s is unknown: neither as-it-came/ nor git has it\n' "$folder" "$file" >&2
            return 4
        fi
        if cmp -s "$lessons/$folder/.$file.new" "$lessons/$folder/$file"; then
            rm -f "$lessons/$folder/.$file.new"
            printf 'lessons/%s/%s is the original.\n' "$folder" "$file"
            continue
        fi
        n=1
        while [ -e "$lessons/$folder/$file.$n" ]; do n=$((n + 1)); done
        kept=$file.$n
        cp -p "$lessons/$folder/$file" "$lessons/$folder/$kept" && mv "$lessons/$folder/.$file.new" "$lessons/$folder/$file" ||
            return 4
        printf 'lessons/%s/%s is the original again; your work is kept in %s next to it.\n' "$folder" "$file" "$kept"
    done
}

show_next() {
    local folder
    folder=$(next_lesson)
    if [ -z "$folder" ]; then
        printf 'All lessons are passed.\n'
        return
    fi
    printf 'Lesson %s: %s\n\n' "${folder%%-*}" "$(title_of "$folder")"
    sed -n '/^## Read/,/^## [^R]/p' "$lessons/$folder/README.md" | sed -n '/^\*/,/^$/p' | sed '/^$/d; s/\[\([^]]*\)\]([^)]*)/\1/g'
    printf '\nBegin with lessons/%s/README.md. Your work goes into exercise.cpp or exercise.py next to it;\n' "$folder"
    printf './dev lesson watch checks it whenever you save.\n'
}
