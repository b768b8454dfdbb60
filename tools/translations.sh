#!/bin/sh
# Bring the catalogues up to date with the templates and the code, and compile them.
# What is left untranslated fails a test.
set -eu
cd "$(dirname "$0")/.."
pybabel=.venv/bin/pybabel
catalogue=$(mktemp)
trap 'rm -f "$catalogue"' EXIT
"$pybabel" -q extract -F babel.cfg -k _ --no-location --sort-output --width 100 -o "$catalogue" .
"$pybabel" -q update -i "$catalogue" -d translations --width 100 --no-fuzzy-matching --ignore-obsolete
for file in translations/*/LC_MESSAGES/messages.po; do
    # Babel's own header names dates and people that say nothing
    grep -vE '^"(Report-Msgid-Bugs-To|P[OT]*-[A-Za-z]+-Date|Last-Translator|Language-Team|Generated-By):' \
        "$file" | sed 's/Project-Id-Version:.*WaLiSSH[^\\]*/Project-Id-Version: WaLiSSH/' >"$catalogue"
    cat "$catalogue" >"$file"
done
"$pybabel" -q compile -d translations
