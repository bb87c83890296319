#!/bin/sh
# Takes pictures of report pages in both themes, as wide as a desktop and as a phone, for somebody to look at.
# usage: screenshots.sh FOLDER PAGE…      (make screenshots does it for the latest run)
set -eu
folder=$1
shift
[ "$#" -gt 0 ] && [ -f "$1" ] || { echo "screenshots: there is no page; make one with: make run"; exit 1; }
for browser in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable ""; do
  [ -n "$browser" ] || { echo "screenshots: there is no Chromium in PATH; install one, e.g. apt-get install chromium-headless-shell"; exit 1; }
  command -v "$browser" >/dev/null && break
done
sandbox=
[ "$(id -u)" != 0 ] || sandbox=--no-sandbox # Chromium refuses its sandbox to root
mkdir -p "$folder"
for page; do
  name=$(basename "$(dirname "$page")")
  for view in desktop:1280,6000 phone:390,9000; do
    for theme in dark:0 light:1; do
      picture=$folder/$name-${view%%:*}-${theme%%:*}.png
      "$browser" $sandbox --headless --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
        --window-size="${view#*:}" --blink-settings=preferredColorScheme="${theme#*:}" \
        --screenshot="$picture" "file://$(realpath "$page")" >"$folder/browser.log" 2>&1 ||
        { echo "screenshots: $browser failed on $page; its words are in $folder/browser.log"; exit 1; }
      echo "$picture"
    done
  done
done
