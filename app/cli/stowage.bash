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

    local values files=
    case $previous in
    --set) words=$("$program" list params 2>/dev/null | while read -r _ name _; do printf '%s=\n' "$name"; done | sort -u) ;;
    -?*)
        if values=$("$program" list values "${previous#"${previous%%[^-]*}"}" 2>/dev/null); then
            [ -n "$values" ] || return 0 # a number, or a name of which there is no list
            for word in $values; do
                case $word in
                @FILE) files=yes ;;
                @*) words+=" $(_stowage_words "${word#@}")" ;;
                *) words+=" $word" ;;
                esac
            done
            previous=
        fi
        ;;
    esac
    case $previous in
    '' | --set) ;;
    list) words=$(_stowage_words topics) ;;
    *)
        if [[ $current == -* ]]; then
            words="$(_stowage_words options "$command") --help"
            [ "$command" = explore ] && words+=' --version'
            [ "$command" = diff ] && [[ $current == --[on]* ]] && words+=" $(_stowage_words options sides)"
        else
            files=yes
            [ "$command" = explore ] && [ "$COMP_CWORD" -eq 1 ] && words=$subcommands
        fi
        ;;
    esac
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        [[ ${COMPREPLY[0]:-} == *= ]] && type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null
    fi
    if [[ $current != -* && $files ]]; then
        local file
        while IFS= read -r file; do
            COMPREPLY+=("$file")
        done < <(compgen -f -- "$current")
        type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
    fi
    return 0
}

complete -F _stowage stowage
