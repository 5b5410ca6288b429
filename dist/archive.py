#!/usr/bin/env python3
"""Packs a folder into an archive: the same bytes whenever the files are the same, on every system.

    dist/archive.py FOLDER ARCHIVE.tar.gz|ARCHIVE.zip

Names are sorted, owners left out, all times are that of $SOURCE_DATE_EPOCH (seconds since 1970; else 1980-01-01).
Beside the archive its SHA-256 is written as ARCHIVE.sha256, in the format of `sha256sum --check`.
"""

import gzip
import hashlib
import os
import sys
import tarfile
import time
import zipfile

EXECUTABLE = ("duchamp", "duchamp.exe")
# A zip file knows no earlier time.
EARLIEST = 315532800


def entries(folder):
    """All files below a folder: path, name in the archive, mode."""
    top = os.path.basename(os.path.abspath(folder))
    for here, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(here, name)
            inside = os.path.relpath(path, folder).replace(os.sep, "/")
            yield path, f"{top}/{inside}", 0o755 if inside in EXECUTABLE else 0o644


def pack_tar(folder, archive, when):
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, when) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path, name, mode in entries(folder):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = os.path.getsize(path), mode, when
                with open(path, "rb") as file:
                    tar.addfile(entry, file)


def pack_zip(folder, archive, when):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path, name, mode in entries(folder):
            entry = zipfile.ZipInfo(name, time.gmtime(when)[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = mode << 16
            with open(path, "rb") as file:
                packed.writestr(entry, file.read())


def main(folder, archive):
    when = max(int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)), EARLIEST)
    (pack_zip if archive.endswith(".zip") else pack_tar)(folder, archive, when)
    with open(archive, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with open(archive + ".sha256", "w", encoding="ascii", newline="\n") as file:
        file.write(f"{digest}  {os.path.basename(archive)}\n")
    print(f"{archive}: {os.path.getsize(archive) / 1e6:.1f} MB, SHA-256 {digest}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].endswith((".tar.gz", ".zip")):
        sys.exit("usage: dist/archive.py FOLDER ARCHIVE.tar.gz|ARCHIVE.zip")
    main(*sys.argv[1:])
