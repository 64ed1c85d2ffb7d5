#!/usr/bin/env python3
"""No header of wlfmt has an identifier that is a macro of other people's headers: names.txt, which collect.py collected.
usage: names.py ROOT"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
# Words of C++, and functions of C and POSIX, which the standard library's own headers name, too. (Some C libraries
# define them as macros for other sizes of files and times, or as <tgmath.h>, which is not for C++.)
standard = set("""
    EINTR EIO ELOOP ENXIO EPERM ceil close errno exp2 fabs fclose floor fopen for fread fstat fwrite isfinite ldexp
    llround log log10 log2 lround lseek max memcpy min mmap nextafter open pow read remove rewind send sqrt stat
    static_assert time try""".split())
NOTHING = re.compile(r'//[^\n]*|^[ \t]*#[^\n]*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S | re.M)
names = set((root / "tests/headers/names.txt").read_text().split())
failed = len(names) < 1000
for header in sorted((root / "include/wlfmt").rglob("*.hpp")):
    for found in re.finditer(r"\b([A-Za-z]\w*)\b(\s*\()?", NOTHING.sub(" ", header.read_text())):
        name = found[1]
        if name not in standard and (name in names or (found[2] and name + "(" in names)):
            print(f"{header}: `{name}` is a macro elsewhere")
            failed = True
sys.exit(failed)
