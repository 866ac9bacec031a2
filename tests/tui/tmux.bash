#!/usr/bin/env bash
# What a user does, in a real terminal multiplexer: keys, a resize, leaving, suspending. Screens are
# waited for, never slept for.
set -u
export LC_ALL=C.UTF-8
passed=0 failed=0
if ! command -v tmux >/dev/null; then
    echo 'skipped: tmux is not installed'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
tmp=$(mktemp -d)
model=$(cd "$(dirname "$0")" && pwd)/models/small.json
export XDG_CONFIG_HOME=$tmp/config XDG_STATE_HOME=$tmp/state TMUX_TMPDIR=$tmp
unset TMUX STOWAGE_STATE NO_COLOR
t() { tmux -L stowage "$@"; }
trap 't kill-server 2>/dev/null; rm -rf "$tmp"' EXIT
screen() { t capture-pane -p -t one; }

# sees NAME TEXT: is it on the screen, within ten seconds?
sees() {
    local name=$1 text=$2 i
    for ((i = 0; i < 200; i++)); do
        if screen | grep -qF -- "$text"; then
            passed=$((passed + 1))
            return
        fi
        read -rt 0.05 <> <(:) || :
    done
    failed=$((failed + 1))
    printf 'FAILED: %s: no "%s" in\n' "$name" "$text"
    screen | sed 's/^/    | /'
}

t -f /dev/null new-session -d -s one -x 100 -y 30 \
    "TERM=tmux-256color; export TERM; PS1='ready> ' bash --norc -i"
t send-keys -t one "'$STOWAGE' '$model' -p first-fit" Enter
sees 'it opens' 'decision 0/?'
t send-keys -t one s s
sees 'two steps' 'decision 2/?'
t send-keys -t one p
sees 'to the peak' 'was set here'
t send-keys -t one v v v v
sees 'a pane' 'why the peak'
t resize-window -t one -x 60 -y 20
sees 'a smaller window' 'peak'
t send-keys -t one C-z
sees 'suspended' 'Stopped'
t send-keys -t one fg Enter
sees 'and back' 'peak'
t send-keys -t one '?'
sees 'the help' 'Keys that matter now'
t send-keys -t one '?'
sees 'all of it' 'Keys and commands'
t send-keys -t one Escape q
sees 'the shell again' 'ready>'
if [ "$(t display-message -p -t one '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = '0 1 0' ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    t display-message -p -t one 'FAILED: modes are #{alternate_on} #{cursor_flag} #{mouse_any_flag}'
fi
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
