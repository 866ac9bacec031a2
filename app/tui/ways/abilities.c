#include "tui/ways/abilities.h"
#include "base/base.h"

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static bool mentions(const char *text, const char *const *words) {
    for (; *words; words++) {
        if (strstr(text, *words)) {
            return true;
        }
    }
    return false;
}

/* A program that shows several terminals in one, and understands less than that one. Where tmux takes sixels, it says
 * that there are 1,024 colors whatever the terminal has, and keeps the last twenty pictures of all that were sent. */
static bool is_multiplexed(void) {
    static const char *const kinds[] = {"tmux", "screen", NULL};
    return *variable("TMUX") || *variable("STY") || mentions(variable("TERM"), kinds);
}

/* Terminals that draw the sextants themselves; elsewhere it is up to the font, and few have them. */
static bool has_sextants(void) {
    static const char *const kinds[] = {"kitty", "foot", "wezterm", "alacritty", "ghostty", "contour", NULL};
    static const char *const programs[] = {"WezTerm", "iTerm", "ghostty", "contour", NULL};
    return mentions(variable("TERM"), kinds) || mentions(variable("TERM_PROGRAM"), programs) ||
           *variable("KITTY_WINDOW_ID") || strtol(variable("VTE_VERSION"), NULL, 10) >= 6000 ||
           *variable("KONSOLE_VERSION") || *variable("WT_SESSION");
}

/* Their fonts have halves of cells, and no quarters. */
static bool has_halves_only(void) {
    static const char *const kinds[] = {"linux", "fbterm", "putty", "cygwin", NULL};
    return mentions(variable("TERM"), kinds);
}

void sw_abilities_know(struct sw_abilities *abilities) {
    static const char *const iterm2[] = {"iTerm", NULL};
    *abilities = (struct sw_abilities){.across = has_halves_only() ? 1 : 2, .down = has_sextants() ? 3 : 2};
    abilities->remote = *variable("SSH_CONNECTION") != '\0';
    abilities->multiplexed = is_multiplexed();
    abilities->iterm2 = !abilities->multiplexed &&
                        (mentions(variable("TERM_PROGRAM"), iterm2) || mentions(variable("LC_TERMINAL"), iterm2));
}

/* Kitty's graphics, which tmux would take for a title; colors of sixels; pixels of a cell and of the text; the mouse to
 * the pixel; and what every terminal answers: its kind. */
#define KITTY_QUESTION "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\"
#define OTHER_QUESTIONS "\033[?1;1;0S\033[16t\033[14t\033[?1016$p\033[c"

const char *sw_abilities_question(void) {
    return is_multiplexed() ? OTHER_QUESTIONS : KITTY_QUESTION OTHER_QUESTIONS;
}

/* ---- answers ---- */

enum { MOST_CONTROLS = 32 };

struct control {
    char mark, between, last; /* '?' or 0; '$' or 0; its last byte */
    unsigned numbers[MOST_CONTROLS], count;
};

/* A control sequence after its ESC [: its length; 0: it is none; SIZE_MAX: it does not end here. */
static size_t read_control(const char *bytes, size_t length, struct control *control) {
    size_t at = 0;
    *control = (struct control){0};
    if (at < length && bytes[at] >= '<' && bytes[at] <= '?') {
        control->mark = bytes[at++];
    }
    control->count = 1;
    for (; at < length && ((bytes[at] >= '0' && bytes[at] <= '9') || bytes[at] == ';'); at++) {
        unsigned *number = &control->numbers[control->count - 1];
        if (bytes[at] != ';') {
            *number = *number % 100000 * 10 + (unsigned)(bytes[at] - '0');
        } else if (control->count < MOST_CONTROLS) {
            control->count++;
        }
    }
    if (at < length && bytes[at] == '$') {
        control->between = bytes[at++];
    }
    if (at >= length) {
        return length < 100 ? SIZE_MAX : 0;
    }
    control->last = bytes[at];
    return bytes[at] >= '@' && bytes[at] <= '~' ? at + 1 : 0;
}

static bool take_control(struct sw_abilities *abilities, const struct control *control) {
    const unsigned *numbers = control->numbers;
    if (control->mark == '?' && control->last == 'c') {
        for (unsigned i = 1; i < control->count; i++) {
            abilities->sixel |= numbers[i] == 4 && !abilities->multiplexed;
        }
        abilities->answered = true;
    } else if (control->mark == '?' && control->last == 'S') {
        abilities->registers = control->count == 3 && numbers[0] == 1 && numbers[1] == 0 ? numbers[2] : 0;
    } else if (control->mark == '?' && control->between == '$' && control->last == 'y') {
        abilities->pixel_mouse |= numbers[0] == 1016 && (numbers[1] == 1 || numbers[1] == 2);
    } else if (!control->mark && control->last == 't' && control->count == 3) {
        unsigned *high = numbers[0] == 6 ? &abilities->cell_height : &abilities->high;
        unsigned *wide = numbers[0] == 6 ? &abilities->cell_width : &abilities->wide;
        *high = numbers[1];
        *wide = numbers[2];
    } else {
        return false;
    }
    return true;
}

/* What stands between ESC _ and ESC \: its length with both. */
static size_t read_string(const char *bytes, size_t length) {
    const char *end = length > 2 ? memmem(bytes + 2, length - 2, "\033\\", 2) : NULL;
    return end ? (size_t)(end - bytes) + 2 : length < 1000 ? SIZE_MAX : 0;
}

size_t sw_abilities_answer(struct sw_abilities *abilities, const char *bytes, size_t length) {
    static const char graphics[] = "\033_G";
    if (length >= sizeof graphics - 1 && memcmp(bytes, graphics, sizeof graphics - 1) == 0) {
        size_t whole = read_string(bytes, length);
        abilities->kitty |= whole != SIZE_MAX && whole > 0 && memmem(bytes, whole, ";OK", 3);
        return whole;
    }
    if (length < 2 || bytes[0] != '\033' || bytes[1] != '[') {
        return 0;
    }
    struct control control;
    size_t whole = read_control(bytes + 2, length - 2, &control);
    if (whole == SIZE_MAX) { /* many keys begin with ESC [ and a number */
        return control.mark || control.count > 1 ? SIZE_MAX : 0;
    }
    return whole > 0 && take_control(abilities, &control) ? whole + 2 : 0;
}

enum sw_protocol sw_abilities_protocol(const struct sw_abilities *abilities) {
    return abilities->kitty    ? SW_PROTOCOL_KITTY
           : abilities->iterm2 ? SW_PROTOCOL_ITERM2
           : abilities->sixel  ? SW_PROTOCOL_SIXEL
                               : SW_PROTOCOL_NONE;
}
