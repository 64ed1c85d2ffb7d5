#!/bin/sh
# The seeds of the fuzz targets and past findings, an archive for each target, as OSS-Fuzz takes them:
# corpus/TARGET_seed_corpus.zip. They are unpacked to FOLDER/TARGET, unless they are there, and packed from it.
# usage: fuzz/seeds.sh unpack|pack FOLDER [TARGET...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
action=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
# shellcheck disable=SC2046  # the targets are words
[ $# -gt 0 ] || set -- $(cd "$here/corpus" && ls ./*_seed_corpus.zip | sed 's|^\./||; s|_seed_corpus\.zip$||')

for target in "$@"; do
    archive=$here/corpus/${target}_seed_corpus.zip
    case $action in
    unpack)
        [ -d "$folder/$target" ] && [ -z "$(find "$archive" -newer "$folder/$target")" ] && continue
        # Another process may unpack the same seeds now: they appear at once, and all of them.
        new=$folder/$target.new.$$
        rm -rf "$new"
        mkdir "$new"
        (cd "$new" && cmake -E tar xf "$archive")
        rm -rf "${folder:?}/$target"
        mv "$new/$target" "$folder/" || [ -d "$folder/$target" ]
        rm -rf "$new"
        touch "$folder/$target"
        ;;
    pack)
        # The same seeds give the same bytes: in order, without times.
        python3 - "$folder" "$target" "$archive" << 'END'
import pathlib, sys, zipfile
folder, target, archive = sys.argv[1:]
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
    for seed in sorted(pathlib.Path(folder, target).iterdir()):
        made.writestr(zipfile.ZipInfo(f"{target}/{seed.name}"), seed.read_bytes(), zipfile.ZIP_DEFLATED, 9)
END
        ;;
    *)
        sed -n 's/^# usage: //p' "$0"
        exit 2
        ;;
    esac
done
