#!/usr/bin/env bash
# Completion in bash, zsh and fish, and at the prompt of the explorer: what is offered where.
. "$(dirname "$0")/lib.bash"
. "$SOURCE/app/cli/stowage.bash"

# offers WORD... : the last word is being typed.
offers() {
    COMP_WORDS=("$STOWAGE" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _stowage
    printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' '
}
cd "$tmp" || exit 1
echo >model.json
check "commands and files" same "$(offers '')" "$(printf '%s\n' attach check compare convert diff export fit gate list model.json plan run suggest survey trace tune check out err | sort -u | tr '\n' ' ' | sed 's/ err / /; s/ out / /')"
check "commands" same "$(offers co)" "compare convert "
check "planners" same "$(offers plan model.json -p greedy)" "greedy-by-breadth greedy-by-size "
check "options of a command" same "$(offers trace --f)" "--from "
check "no options of others" same "$(offers plan --fr)" " "
check "options of the explorer" same "$(offers --scr)" "--screen --script "
check "parameters" same "$(offers plan --set keep)" "keep_outputs= "
check "levels" same "$(offers trace --level o)" "operator "
check "sizes" same "$(offers export model.json --size a4)" "a4 a4-portrait "
check "units" same "$(offers export model.json --units k)" "kib "
check "topics" same "$(offers list pl)" "planners "
check "options of run" same "$(offers run x.lua --sh)" "--shard "
check "nothing after a number of processes" same "$(offers run x.lua --jobs '')" " "
check "files" same "$(offers plan mod)" "model.json "
check "files after -o" same "$(offers plan x -o mod)" "model.json "
check "libraries of kernels" same "$(offers plan x --kernels cmsis-nn:m)" "cmsis-nn:mve "
check "planners after the long name" same "$(offers plan x --planner greedy-by-s)" "greedy-by-size "
check "themes" same "$(offers plan x --theme dar)" "dark "
check "files of options that take one" same "$(offers plan x --tiers mod)" "model.json "
check "an option without a value is followed by anything" same "$(offers plan --pins mod)" "model.json "
check "nothing after a number" same "$(offers plan x --seed '')" " "
check "configs" same "$(offers run --config mod)" "model.json "
check "or none" same "$(offers --config non)" "none "

# In zsh and fish the same, asked of the shells themselves.
mkdir -p "$tmp/bin" "$tmp/home"
ln -s "$STOWAGE" "$tmp/bin/stowage"
cat >"$tmp/home/offers.zsh" <<'Z'
PROMPT=
path=($BIN $path) fpath=($SOURCE/app/cli $fpath)
autoload -Uz compinit; compinit -u -D
bindkey '^I' complete-word
begin-offers() { print -r -- '<offers>' }
end-offers() { print -r -- '</offers>'; exit }
compprefuncs=(begin-offers) comppostfuncs=(end-offers)
compadd() { # say what is added
    local -a offered
    if (( ${@[(I)-[OAD]*]} )); then builtin compadd "$@"; return; fi
    builtin compadd -O offered "$@"
    (( $#offered )) && print -rl -- $IPREFIX$^offered
    builtin compadd "$@"
}
print ready
Z
cat >"$tmp/home/ask.zsh" <<'Z'
zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked "source $HOME/offers.zsh"
while zpty -r asked line; do [[ $line == ready* ]] && break; done
zpty -n -w asked "$1"$'\t'
while zpty -r asked line; do
    line=${line%%$'\r'#$'\n'#}
    case $line in *'<offers>'*) inside=1 ;; *'</offers>'*) break ;; *) [[ -n $inside ]] && print -r -- $line ;; esac
done
Z
asked_of() { # SHELL LINE
    if [ "$1" = zsh ]; then
        HOME=$tmp/home BIN=$tmp/bin timeout 60 zsh -f "$tmp/home/ask.zsh" "$2" </dev/null
    else
        HOME=$tmp/home PATH=$tmp/bin:$PATH timeout 60 fish -N -c "source $SOURCE/app/cli/stowage.fish; complete -C '$2'" </dev/null
    fi 2>&1 | sed 's/[\t\r].*//; /^$/d' | sort | paste -sd ' '
}
for script in _stowage stowage.fish; do
    shell=${script#*.}
    shell=${shell/_stowage/zsh}
    check "$shell: the words come from the program" same "options params subcommands topics values" \
        "$(grep -oE '(list|offer( \$program)?) (options|params|subcommands|topics|values)' "$SOURCE/app/cli/$script" | sed 's/.* //' | sort -u | xargs)"
    command -v "$shell" >/dev/null || { skip "$shell is not installed: what it offers is not looked at"; continue; }
    while IFS='|' read -r line expected; do
        check "$shell: $line" same "$(asked_of "$shell" "$line")" "$expected"
    done <<'L'
stowage co|compare convert
stowage sug|suggest
stowage plan model.json -p greedy|greedy-by-breadth greedy-by-size
stowage plan x --planner=greedy-by-s|--planner=greedy-by-size
stowage trace --f|--from
stowage --scr|--screen --script
stowage --vers|--version
stowage plan --set keep|keep_outputs=
stowage export model.json --size a4|a4 a4-portrait
stowage export model.json --units=k|--units=kib
stowage list pl|planners
stowage plan mod|model.json
stowage plan x -o mod|model.json
stowage plan x --tiers mod|model.json
stowage plan --pins mod|model.json
stowage plan x --seed |
stowage run x.lua --jobs |
stowage plan x --kernels cmsis-nn:m|cmsis-nn:mve
stowage --config non|none
stowage attach -- mod|model.json
L
done

# At the prompt: a list narrows while one types, and closes with the prompt.
typed() { # KEY...
    echo "key : p i n Space Tab $*" >keys.txt
    run "$models/mobilenet_v1_025_96.json" --script keys.txt --screen 110x24
}
typed
check "Tab lists what may come" says '^ 32: image  conv_1_out  dw_1_out'
typed d
check "a letter narrows the list" says '^ 14: dw_1_out  dw_2_out'
typed d w _ 1 0
check "more letters, too" says '^ 1: dw_10_out'
typed d w Backspace
check "taking one back widens it" says '^ 14: dw_1_out'
typed Esc
check "Esc closes it" test "$(grep -c 'image  conv_1_out' "$tmp/out")" = 0
check "and the prompt" test "$(grep -c '^:' "$tmp/out")" = 0
finish
