#!/usr/bin/env python3
"""colors.py [--types] FILE.html: "buffer number" of each block on the maps of a page, or "type number": the number of its color among the
block colors of the theme, whatever its tone. Blocks that have another color (the last decision) are left out."""
import json
import re
import sys

BASES = 13  # of a theme: SW_BASES of app/view/scene/theme.h

types = sys.argv[1] == "--types"
page = open(sys.argv[-1], encoding="utf-8").read()
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
light = re.search(r":root\{(--.*?)\}", page).group(1)
inks = dict(re.findall(r"--(\w+):(#\w{6});", light))
number = {inks["h%d" % look]: look % BASES for look in range(len([key for key in inks if re.fullmatch(r"h\d+", key)]) - 1, -1, -1)}
fills = dict(re.findall(r"svg \.(k\d+)\{fill:var\(--(c\d+)\)", page))
run_of = {(panel[0], panel[1]): panel[2] for panel in data["panels"]}
figures = re.findall(r"<figure>(.*?)</figure>", page, re.S)
for figure, text in enumerate(figures):
    for panel, blocks in re.findall(r'<g class="blocks" data-p="(\d+)">\n(.*?)\n</g>\n', text, re.S):
        run = data["runs"][run_of[(figure, int(panel))]] if run_of[(figure, int(panel))] >= 0 else None
        for group in re.findall(r"<g[^>]* data-b=\"\d+\".*?</g>", blocks) if run else []:
            shape = re.search(r'data-b="(\d+)".*?<path class="f (k\d+)', group)
            look = number.get(inks[fills[shape.group(2)]]) if shape else None
            if look is None or "data-h" in group:
                continue
            block = run["b"][run["ids"].index(int(shape.group(1)))]
            kind = run["ops"][block[5]][1] if block[5] >= 0 else block[4]
            print(kind if types else block[0], look)
