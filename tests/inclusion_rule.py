#!/usr/bin/env python3
"""Checks who includes whom: arrows point down, rooms do not include each other, only frontends see LLVM."""
import pathlib, re, sys

ORDER = ["base", "expr", "record", "engine", "frontends", "methods", "report", "cli"]
MAY_SEE = {
    "base": {"base"},
    "expr": {"base", "expr"},
    "record": {"base", "expr", "record"},
    "engine": {"base", "expr", "record", "engine"},
    "frontends": {"base", "expr", "record", "engine", "frontends"},
    "methods": {"base", "expr", "record", "engine", "methods"},
    "report": {"base", "expr", "record", "report"},
    "cli": set(ORDER),
    "simgrid": {"base", "expr", "record", "engine"},  # the helper program
}
COMPILER = re.compile(r'#include [<"](llvm|clang|clang-c|flang|mlir)/')
OURS = re.compile(r'#include "([a-z_]+)/([a-z_]+)')


def complaints(root):
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cc", ".cpp") or path.is_dir():
            continue
        room = path.relative_to(root / "src").parts
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(root)}:{number}"
            if COMPILER.match(line) and room[0] != "frontends":
                yield f"{place}: only frontends/ may include the compiler's headers"
            seen = OURS.match(line)
            if not seen or seen.group(1) not in ORDER:
                continue
            layer, inner = seen.groups()
            if layer not in MAY_SEE[room[0]]:
                yield f"{place}: {room[0]} may not include {layer}"
            if layer == "methods" == room[0] and inner != room[1]:
                yield f"{place}: the room {room[1]} includes the room {inner}; what both need moves down"


found = list(complaints(pathlib.Path(sys.argv[1])))
print("\n".join(found) if found else "the inclusion rule holds")
sys.exit(bool(found))
