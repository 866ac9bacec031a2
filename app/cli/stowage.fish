# Fish completion for stowage. The words come from the program itself, so they are never out of date.

# TOPIC [ARGUMENT...]: the first word of each line, told by its last column.
function __stowage_offer
    $argv[1] list $argv[2..] 2>/dev/null | string replace -r '^(\S+)(?:.*\s\s(\S.*?))?\s*$' '$1\t$2'
end

# What may stand behind an option of this name; 1: it takes nothing.
function __stowage_values
    if test "$argv[2]" = set
        $argv[1] list params 2>/dev/null | string replace -r '^\S+\s+(\S+).*' '$1=' | sort -u
        return 0
    end
    set -l given ($argv[1] list values $argv[2] 2>/dev/null)
    or return 1
    for word in $given
        switch $word
            case @FILE
                __fish_complete_path (commandline -ct | string replace -r '^--[^=]*=' '')
            case '@*'
                __stowage_offer $argv[1] (string sub -s 2 -- $word)
            case '*'
                echo $word
        end
    end
end

function __stowage
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -l previous $words[-1]
    set -l command explore
    if contains -- -- $words # behind it stands another program's command
        __fish_complete_path $current
        return
    end
    set -l subcommands ($program list subcommands 2>/dev/null | string replace -r '\s.*' '')
    for word in $words[2..]
        if contains -- $word $subcommands
            set command $word
            break
        end
    end
    set -l named (string match -r -- '^--([^=]+)=' $current)
    if set -q named[2]
        __stowage_values $program $named[2] | string replace -r -- '^' $named[1]
    else if string match -qr -- '^-.*[^=-]$' $previous; and __stowage_values $program (string replace -r -- '^-+' '' $previous)
    else if string match -q -- '-*' $current
        __stowage_offer $program options $command
        printf '%s\n' --help
        test $command = explore; and printf '%s\n' --version
    else if test $previous = list
        __stowage_offer $program topics
    else
        test $command = explore -a (count $words) = 1; and __stowage_offer $program subcommands
        __fish_complete_path $current
    end
    return 0
end

complete -c stowage -f -a '(__stowage)'
