# Checks the table of colours: texts have a contrast of at least 4.5:1 to both grounds, marks of 3:1, and marks of one
# family differ from each other for people with normal and with each kind of colour-blind sight, as Machado, Oliveira
# and Fernandes (2009) simulate it, and by their lightness on paper.
# usage: colours.py THEME_HPP
import itertools
import math
import re
import sys

sights = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour):
    parts = [int(colour[n:n + 2], 16) / 255 for n in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def luminance(colour):
    r, g, b = linear(colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    x, y = sorted((luminance(one), luminance(other)))
    return (y + 0.05) / (x + 0.05)


def lab(colour, sight):
    rgb = [min(1, max(0, sum(k * c for k, c in zip(row, linear(colour))))) for row in sights[sight]]
    white = (0.9505, 1, 1.089)
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    x, y, z = (sum(k * c for k, c in zip(row, rgb)) / w for row, w in zip(rows, white))
    f = lambda t: t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
    return 116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))


row = re.compile(r'\{"(\w+)", "(#\w{6})", "(#\w{6})", "(#\w{6})",\s+colour_use::(\w+), "(\w*)"\}')
colours = [(name, light, dark, use, family, paper)
           for name, light, dark, paper, use, family in row.findall(open(sys.argv[1]).read())]
assert len(colours) >= 20, f"only {len(colours)} rows are understood"
problems = []
for screen in (1, 2):
    grounds = [c[screen] for c in colours if c[0] in ("ground", "lane")]
    families = {}
    for c in colours:
        least = {"text": 4.5, "mark": 3.0}.get(c[3], 0)
        for ground in grounds:
            if contrast(c[screen], ground) < least:
                problems.append(f"{c[0]} {c[screen]}: {contrast(c[screen], ground):.2f}:1 to {ground}, not {least}:1")
        if c[3] == "mark":
            families.setdefault(c[4], []).append(c)
    # The strongest cell of a matrix is half of its colour (style.hpp), and has a number on it.
    of = {c[0]: c[screen] for c in colours}
    for name in "stage", "pipeline":
        cell = "#" + "".join(f"{(int(of[name][n:n + 2], 16) + int(of['ground'][n:n + 2], 16)) // 2:02x}" for n in (1, 3, 5))
        if contrast(cell, of["ink"]) < 4.5:
            problems.append(f"ink on the strongest cell of {name} {screen}: {contrast(cell, of['ink']):.2f}:1")
    for family, marks in families.items():
        least = min((math.dist(lab(x[screen], sight), lab(y[screen], sight)), sight, x[0], y[0])
                    for sight in sights for x, y in itertools.combinations(marks, 2)) if len(marks) > 1 else (99,)
        if least[0] < 15:
            problems.append(f"{family}: {least[2]} and {least[3]} differ by {least[0]:.1f} with {least[1]}, not by 15")
# In grey on paper; what is unknown is hatched.
greys = {c[0]: lab(c[5], "normal")[0] for c in colours}
for x, y in itertools.combinations([c for c in colours if c[3] == "mark" and c[0] != "unknown"], 2):
    if x[4] == y[4] and abs(greys[x[0]] - greys[y[0]]) < 10:
        problems.append(f"{x[0]} and {y[0]} differ by {abs(greys[x[0]] - greys[y[0]]):.1f} on paper, not by 10")
print("\n".join(problems) or f"{len(colours)} colours")
sys.exit(bool(problems))
