# Bash completion for stowage. The words come from the program itself, so they are never out of date.

_stowage_words() { # TOPIC [ARGUMENT...]: the first word of each line
    "$program" list "$@" 2>/dev/null | while read -r word rest; do printf '%s\n' "$word"; done
}

_stowage() {
    local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=
    local command=explore word words='' i
    [ "$COMP_CWORD" -gt 0 ] && previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do # behind -- stands another program's command
        [ "${COMP_WORDS[i]}" = -- ] && { mapfile -t COMPREPLY < <(compgen -f -- "$current"); return; }
    done
    local subcommands
    subcommands=$(_stowage_words subcommands)
    for ((i = 1; i < COMP_CWORD; i++)); do
        for word in $subcommands; do
            if [ "${COMP_WORDS[i]}" = "$word" ]; then
                command=$word
                break 2
            fi
        done
    done

    case $previous in
    -p | --planner) words=$(_stowage_words planners) ;;
    --set) words=$("$program" list params 2>/dev/null | while read -r _ name _; do printf '%s=\n' "$name"; done | sort -u) ;;
    --theme) words=$(_stowage_words themes) ;;
    --view) words=$(_stowage_words views) ;;
    --level) words='event decision operator group run' ;;
    --inplace) words='off safe' ;;
    --intervals) words='half-open inclusive exclusive' ;;
    --kernels) words='reference cmsis-nn cmsis-nn:none cmsis-nn:dsp cmsis-nn:mve esp-nn esp-nn:ansi esp-nn:s3 esp-nn:p4 none' ;;
    --target) words='cortex-m host' ;;
    --capacity-of) words='head arena' ;;
    --size) words='16:9 4:3 a4 a4-portrait a3 a3-portrait letter letter-portrait' ;;
    --moves) words='strips order inplace recompute spill' ;;
    --units) words='auto bytes kib mib' ;;
    --progress) words='auto always never' ;;
    --format) words='text csv json md' ;;
    --scale | --dpi | --seed | --work | --dim | --value | --jobs | --shard | --time-limit | --capacity | --base | --from | --to | --step | --steps | --fps | --screen | --title | --threads | --limit | --max-input | --max-candidates | --max-macs | --max-operators | --max-flash | --resolver | --max-peak | --max-fragmentation | --highlight | --time | --address) return ;;
    --config) words=none ;;
    --tiers | --reader | --annotate | --script | --record | --frames | --cost | --actions | --breeding | -o | --output) ;;
    list) words='planners params views themes scripts formats commands keys' ;;
    *)
        if [[ $current == -* ]]; then
            words="$(_stowage_words options "$command") --help"
            [ "$command" = explore ] && words+=' --version'
        elif [ "$command" = explore ] && [ "$COMP_CWORD" -eq 1 ]; then
            words=$subcommands
        fi
        ;;
    esac
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        [[ ${COMPREPLY[0]:-} == *= ]] && type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null
    fi
    if [[ $current != -* && $previous != --set ]] && { [ -z "$words" ] || [ "$words" = none ] || [ "$COMP_CWORD" -eq 1 ]; }; then
        local file
        while IFS= read -r file; do
            COMPREPLY+=("$file")
        done < <(compgen -f -- "$current")
        type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
    fi
    return 0
}

complete -F _stowage stowage
