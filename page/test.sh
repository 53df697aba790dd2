#!/usr/bin/env bash
# test.sh FOLDER NPM NODE PERFCAST: checks the types of the page, and looks at pages in a headless browser. FOLDER is
# where build.sh built. Exit 77 (skipped) when the tools for it are not here and cannot be fetched.
set -eu
folder=$1 npm=$2 node=$3 perfcast=$4
[ -f "$folder/report.html" ] || { echo "skipped: the page was not built"; exit 77; }
rm -rf "$folder/work/test"
cp -r test tsconfig.json "$folder/work/"
cd "$folder/work"
if [ ! -d node_modules/playwright-core ]; then
  "$npm" ci --ignore-scripts --no-audit --no-fund --loglevel=error > npm.log 2>&1 || { echo "skipped: npm could not fetch the test tools (see $folder/work/npm.log)"; exit 77; }
fi
"$node" node_modules/typescript/bin/tsc --noEmit
"$perfcast" report saavedra-linpack vax-11-780 cray-x-mp-48 -o paper.html
"$perfcast" report emerald-rapids toy -o machines.html
"$node" test/browser.mjs "$folder/report.html" paper.html machines.html
