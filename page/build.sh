#!/usr/bin/env bash
# build.sh FOLDER NPM NODE: builds FOLDER/report.html out of this folder, which stays as it is. What npm needs is
# fetched once, as package-lock.json says. Not being able to fetch it is a warning, not an error: all but the page works.
set -eu
folder=$1 npm=$2 node=$3
mkdir -p "$folder/work"
rm -rf "$folder/work/src"
cp -r src package.json package-lock.json build.mjs .npmrc "$folder/work/"
cd "$folder/work"
if ! cmp -s package-lock.json installed.json; then
  if ! "$npm" ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error > npm.log 2>&1; then
    echo "warning: the report page is not built: npm could not fetch its packages (see $folder/work/npm.log)" >&2
    exit 0
  fi
  cp package-lock.json installed.json
fi
"$node" build.mjs "$folder/report.html"
