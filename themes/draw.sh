#!/usr/bin/env bash
# draw.sh STOWAGE: the pictures of the themes in this folder's README, with the program at that path.
set -euo pipefail
program=${1:?"usage: draw.sh STOWAGE"}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
"$program" list themes | while read -r theme _; do
    "$program" export scripts/models/mobilenet_v1_025_96.json -p greedy-by-size --step 18 \
        --theme "$theme" --size 600x360 --dpi 96 -o "themes/$theme.png" </dev/null
done
