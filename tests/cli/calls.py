#!/usr/bin/env python3
"""usage: calls.py FOLDER: which file of the folder uses what another one defines, a line "USER OWNER NAME" each.

Read from the sources, as many of them are compiled into one object. A name is a function or a variable that begins with
sw_. A macro of a header uses what stands in it. What is used through a table (*.def) is not listed."""
import pathlib
import re
import sys

UNSEEN = re.compile(r'\b(?:struct|enum|union) \w+|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DEFINED = re.compile(r'^(?!static\b|typedef\b|extern\b)[A-Za-z_][\w \n*]*?\b(sw_\w+)(?:\([^;{}]*\)\s*\{|(?:\[[^\]]*\])*\s*=)', re.M)

folder = pathlib.Path(sys.argv[1])
texts = {path: UNSEEN.sub('x', path.read_text()) for path in sorted(folder.rglob('*.c'))}
headers = '\n'.join(path.read_text() for path in sorted(folder.rglob('*.h')))
macros = {name: re.findall(r'\bsw_\w+', body) for name, body in re.findall(r'^#define (\w+)\b((?:\\\n|[^\n])*)', headers, re.M)}
owners = {name: path for path, text in texts.items() for name in DEFINED.findall(text)}
for path, text in texts.items():
    words = set(re.findall(r'\w+', text))
    for name in sorted(words.union(*(macros[word] for word in words & macros.keys())) & owners.keys()):
        if owners[name] != path:
            print(path.relative_to(folder), owners[name].relative_to(folder), name)
