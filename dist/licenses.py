#!/usr/bin/env python3
"""Prints the licences of all packages that are linked into the program, for the archives of a release.

    dist/licenses.py TARGET > THIRD-PARTY-LICENSES.md

The packages and the folders of their sources come from `cargo metadata`. Each text is printed
once, with the packages that it belongs to. Fails if a package names no licence or comes without the text of one.
"""

import json
import os
import subprocess
import sys

# What the file of a licence begins with, in any case.
NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")
# Sources of others inside a package, with their licence.
INSIDE = {"zstd-sys": ["zstd/LICENSE"]}


def linked(metadata, program):
    """The packages that a program is made of, build scripts' own dependencies left out."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    todo = [id for id in metadata["workspace_members"] if packages[id]["name"] == program]
    found = set()
    while todo:
        id = todo.pop()
        if id not in found:
            found.add(id)
            for dependency in nodes[id]["deps"]:
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    todo.append(dependency["pkg"])
    # The workspace's own have no source.
    return [packages[id] for id in found if packages[id]["source"]]


def texts(package):
    """The texts of a package's licences."""
    folder = os.path.dirname(package["manifest_path"])
    files = [name for name in sorted(os.listdir(folder)) if name.lower().startswith(NAMES)]
    for name in files + INSIDE.get(package["name"], []):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                yield "\n".join(line.rstrip() for line in file.read().strip("\n\ufeff").splitlines())


def main(target):
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    packages = sorted(linked(metadata, "duchamp"), key=lambda package: (package["name"], package["version"]))
    owners, faults = {}, []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        found = list(texts(package))
        if not package["license"] or not found:
            faults.append(name)
        for text in found:
            owners.setdefault(text, []).append(name)
    if faults:
        sys.exit("no licence, or no text of one: " + ", ".join(faults))

    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    print("# Licences of what this program contains\n")
    print("Duchamp itself: MIT OR Apache-2.0 (LICENSE-MIT, LICENSE-APACHE). So is the standard library of Rust,")
    print("(c) The Rust Project contributors. The other packages:\n")
    print("| package | licence | source |\n|---|---|---|")
    for package in packages:
        source = package["repository"] or package["homepage"] or ""
        print(f"| {package['name']} {package['version']} | {package['license']} | {source} |")
    for text, names in sorted(owners.items(), key=lambda item: (-len(item[1]), item[1])):
        fence = "~~~~"
        print(f"\n## {', '.join(names)}\n\n{fence}\n{text}\n{fence}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: dist/licenses.py TARGET")
    main(sys.argv[1])
