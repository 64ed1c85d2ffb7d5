# Checks that a picture is well-formed XML, needs nothing else, lies within its own frame, and has the words expected in
# its tooltips.
# usage: validate.py SVG WORDS...     or, of pictures that may be empty, validate.py --any SVG...
import math
import re
import sys
import xml.etree.ElementTree as ElementTree

space = "{http://www.w3.org/2000/svg}"


def check(path, words):
    text = open(path, encoding="utf-8").read()
    root = ElementTree.fromstring(text)
    assert root.tag == space + "svg" and root.get("viewBox").startswith("0 0 1200 "), root.attrib
    height = float(root.get("height"))
    assert "href" not in text and "<script" not in text and "url(" not in text.replace("url(#", ""), "not self-contained"
    assert "prefers-color-scheme:dark" in text
    bars = 0
    for e in root.iter(space + "rect"):
        if e.get("width") == "100%":
            continue
        x, y, w, h = (float(e.get(k)) for k in ("x", "y", "width", "height"))
        assert 0 <= x and x + w <= 1200.02 and 0 <= y and y + h <= height + 0.02 and w >= 0 and h >= 0, e.attrib
        bars += e.find(space + "title") is not None
    for e in root.iter(space + "text"):
        size = {"small": 12, "tiny": 9.5, "title": 18}.get(e.get("class"), 13)
        length = len(e.text or "") * size * 0.62
        if e.get("transform"):
            x, y, angle = map(float, re.findall(r"-?[\d.]+", e.get("transform")))
            length *= -1 if e.get("text-anchor") == "end" else 1
            end = (x + length * math.cos(math.radians(angle)), y + length * math.sin(math.radians(angle)))
            assert -12 < end[0] < 1212 and -12 < end[1] < height + 12, (e.text, end)
            continue
        x = float(e.get("x"))
        begin = x - (length if e.get("text-anchor") == "end" else length / 2 if e.get("text-anchor") == "middle" else 0)
        assert begin > -12 and begin + length < 1212, (e.text, begin, length)
    for word in words:
        assert word in text, f"no {word!r}"
    print(f"{path}: {bars} bars, 1200 x {height:.0f}")
    return bars


if sys.argv[1] == "--any":
    for one in sys.argv[2:]:
        try:
            check(one, [])
        except Exception:
            print(one)
            raise
else:
    sys.exit(0 if check(sys.argv[1], sys.argv[2:]) else 1)
