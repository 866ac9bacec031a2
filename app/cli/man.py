"""The man page: its prose stands in stowage.1, and what tables of the program say is put in, as the program lists it.

python3 man.py STOWAGE stowage.1 OUT. In the page these lines are replaced:

.\\" SYNOPSIS       how each command is called
.\\" COMMAND NAME   the heading of a command, and what it does in a sentence; more may follow
.\\" COMMANDS       those that have no line of their own
.\\" OPTION NAME    the heading of an option, what it does in a sentence, and the commands that have it where these are few
.\\" OPTIONS        those that have no line of their own
.\\" DOORS          the commands of the explorer, by where they may come from
"""
import json
import re
import subprocess
import sys

program, page, out = sys.argv[1:]
FEW = 3


def listed(*topic):
    said = subprocess.run([program, "list", *topic, "--format", "json", "--config", "none"], stdout=subprocess.PIPE, check=True)
    return json.loads(said.stdout)


def plain(text):
    return re.sub(r"(?<!\w)-(?=[\w-])", r"\\-", text.replace("\\", "\\e"))


def arguments(text):
    """In italics what stands for something else, which is written in capitals: FILE|none."""
    return re.sub(r"[A-Z]+", r"\\fI\g<0>\\fR", plain(text))


def sentence(text):
    return plain(text[0].upper() + text[1:] + ("" if text.endswith("...") else "."))


def joined(names):
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


subcommands = listed("subcommands")
options = listed("options")
having = {"the explorer": {option["name"] for option in listed("options", "explore")}}
for subcommand in subcommands:
    having["\\fB%s\\fR" % subcommand["name"]] = {option["name"] for option in listed("options", subcommand["name"])}


def synopsis():
    calls = [".B stowage\n.RI [ FILE ]"]
    calls += [".B stowage %s\n%s" % (s["name"], arguments(s["arguments"])) for s in subcommands]
    return "\n.br\n".join(call + "\n.RI [ OPTION ...]" for call in calls)


def command(subcommand):
    return ".TP\n.B %s\n%s" % (subcommand["name"], sentence(subcommand["summary"]))


def option(one):
    few = [name for name, has in having.items() if one["name"] in has]
    names = ", ".join("\\fB%s\\fR" % name.replace("-", "\\-") for name in [one["letter"], one["name"]] if name)
    heading = (names + " " + arguments(one["argument"])).strip()
    return ".TP\n%s\n%s%s" % (heading, sentence(one["help"]), " For %s." % joined(few) if len(few) <= FEW else "")


def doors():
    groups = {}
    for one in listed("commands"):
        groups.setdefault(one["doors"], []).append(one["name"])
    most_first = sorted(groups.items(), key=lambda group: -len(group[1]))
    return "\n".join(".TP\n.B from: %s\n%s" % (key, plain(", ".join(names))) for key, names in most_first)


text = open(page, encoding="utf-8").read()
tables = {"COMMAND": (command, {s["name"]: s for s in subcommands}), "OPTION": (option, {o["name"][2:]: o for o in options})}
named = {kind: re.findall(r'^\.\\" %s (\S+)$' % kind, text, re.M) for kind in tables}


def replace(line):
    word, _, name = line[1].partition(" ")
    if word == "SYNOPSIS":
        return synopsis()
    if word == "DOORS":
        return doors()
    if word in tables:
        make, rows = tables[word]
        return make(rows[name])
    make, rows = tables[word[:-1]]
    return "\n".join(make(row) for key, row in rows.items() if key not in named[word[:-1]])


with open(out, "w", encoding="utf-8") as file:
    file.write(re.sub(r'^\.\\" (.*)$', replace, text, flags=re.M))
