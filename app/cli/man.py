"""The man pages: their prose stands in stowage.1, and what tables of the program say is put in, as the program lists it.

python3 man.py STOWAGE stowage.1 OUT/stowage.1 OUT/stowage-NAME.1...: the page of the whole program, and one for each command.
In stowage.1 these lines are replaced:

.\\" SYNOPSIS       how each command is called
.\\" COMMAND NAME   the heading of a command, and what it does in a sentence; more may follow
.\\" COMMANDS       those that have no line of their own
.\\" OPTION NAME    the heading of an option, what it does in a sentence, and the commands that have it where these are few
.\\" OPTIONS        those that have no line of their own
.\\" ALSO NAME      a paragraph that belongs to this command
.\\" DOORS          the commands of the explorer, by where they may come from
.\\" PAGES          the pages of the commands

What follows such a line, up to the next one or to a heading or a paragraph, stands on the page of the command as well. What
that has besides, its --help says.
"""
import json
import re
import subprocess
import sys

program, source, out, *pages = sys.argv[1:]
FEW = 3


def said(*words):
    return subprocess.run([program, *words, "--config", "none"][: None if words[0] == "list" else -2], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8").stdout


def listed(*topic):
    return json.loads(said("list", *topic, "--format", "json"))


def plain(text):
    return re.sub(r"(?<!\w)-(?=[\w-])", r"\\-", text.replace("\\", "\\e"))


def lines(text):
    """Whole lines, of which none is taken for a request."""
    return re.sub(r"^(?=[.'])", r"\\&", plain(text), flags=re.M)


def arguments(text):
    """In italics what stands for something else, which is written in capitals: FILE|none."""
    return re.sub(r"[A-Z]+", r"\\fI\g<0>\\fR", plain(text))


def sentence(text):
    return plain(text[0].upper() + text[1:] + ("" if text.endswith("...") else "."))


def joined(names):
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


subcommands = {one["name"]: one for one in listed("subcommands")}
options = {one["name"][2:]: one for one in listed("options")}
own = {name: {one["name"][2:]: one for one in listed("options", name)} for name in [*subcommands, "explore"]}
having = {"the explorer" if name == "explore" else "\\fB%s\\fR" % name: has for name, has in own.items()}


def call(one):
    return ".B stowage %s\n%s\n.RI [ OPTION ...]" % (one["name"], arguments(one["arguments"]))


def synopsis():
    return "\n.br\n".join([".B stowage\n.RI [ FILE ]\n.RI [ OPTION ...]"] + [call(one) for one in subcommands.values()])


def command(one):
    return ".TP\n.B %s\n%s" % (one["name"], sentence(one["summary"]))


def option_alone(one):
    names = ", ".join("\\fB%s\\fR" % name.replace("-", "\\-") for name in [one["letter"], one["name"]] if name)
    return ".TP\n%s\n%s" % ((names + " " + arguments(one["argument"])).strip(), sentence(one["help"]))


def option(one):
    few = [name for name, has in having.items() if one["name"][2:] in has]
    return option_alone(one) + (" For %s." % joined(few) if len(few) <= FEW else "")


def doors():
    groups = {}
    for one in listed("commands"):
        groups.setdefault(one["doors"], []).append(one["name"])
    most_first = sorted(groups.items(), key=lambda group: -len(group[1]))
    return "\n".join(".TP\n.B from: %s\n%s" % (key, plain(", ".join(names))) for key, names in most_first)


def see_also(name=None):
    names = ([] if name is None else ["stowage"]) + ["stowage\\-" + other for other in subcommands if other != name]
    return ",\n".join(".BR %s (1)" % other for other in names)


text = open(source, encoding="utf-8").read()
tables = {"COMMAND": (command, subcommands), "OPTION": (option, options)}
named = {kind: re.findall(r'^\.\\" %s (\S+)$' % kind, text, re.M) for kind in tables}
more = {}  # the prose of each
for kind, name, prose in re.findall(r'^\.\\" (COMMAND|OPTION|ALSO) (\S+)\n((?:(?!\.S|\.P|\.\\").*\n)*)', text, re.M):
    more[kind, name] = ".PP\n".join(filter(None, [more.get((kind, name)), prose]))


def replace(line):
    word, _, name = line[1].partition(" ")
    alone = {"SYNOPSIS": synopsis, "DOORS": doors, "PAGES": see_also, "ALSO": lambda: ".PP"}
    if word in alone:
        return alone[word]()
    if word in tables:
        make, rows = tables[word]
        return make(rows[name])
    make, rows = tables[word[:-1]]
    return "\n".join(make(row) for key, row in rows.items() if key not in named[word[:-1]])


def page(name):
    one = subcommands[name]
    help_text = said(name, "--help").partition("\n\n")[2].partition("\n\n")[2].partition("\noptions:\n")[0]  # behind the summary
    prose = [more[kind, name] for kind in ["COMMAND", "ALSO"] if more.get((kind, name))]
    examples = re.findall(r"^  (.*)$", help_text, re.M)
    paragraphs = [lines(part.strip()) + "\n" for part in re.sub(r"^  .*$", "", help_text, flags=re.M).split("\n\n") if part.strip()]
    return "\n".join([
        '.TH STOWAGE\\-%s 1 "" "stowage" "User Commands"' % name.upper(),
        ".SH NAME\nstowage\\-%s \\- %s" % (name, plain(one["summary"])),
        ".SH SYNOPSIS\n" + call(one),
        ".SH DESCRIPTION\n" + ".PP\n".join(paragraphs + prose) + ".SH OPTIONS",
        *[option_alone(has) + "\n" + more.get(("OPTION", key), "").rstrip("\n") for key, has in own[name].items()],
        ".TP\n.BR \\-h \", \" \\-\\-help\nHow it is called, its options and examples.",
        ".SH EXAMPLES\n.nf\n" + lines("\n".join(examples)) + "\n.fi",
        re.search(r"^\.SH EXIT STATUS\n.*?\n(?=\.SH)", text, re.M | re.S)[0] + ".SH SEE ALSO\n" + see_also(name) + "\n"])


def write(path, page_text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r"\n+", "\n", page_text))


write(out, re.sub(r'^\.\\" (.*)$', replace, text, flags=re.M))
if len(pages) != len(subcommands):
    sys.exit("man.py: there are %d commands, and %d pages" % (len(subcommands), len(pages)))
for path in pages:
    write(path, page(re.search(r"stowage-(.*)\.1$", path)[1]))
