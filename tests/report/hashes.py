# Checks that a report's Content-Security-Policy has the hashes of its style sheet and script.
# usage: hashes.py PAGE...
import base64
import hashlib
import re
import sys

failed = False
for path in sys.argv[1:]:
    page = open(path, encoding="utf-8").read()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    for tag in ("style", "script"):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.S).group(1)
        wanted = "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        if f"{tag}-src '{wanted}'" not in policy:
            print(f"{path}: the hash of the {tag} is {wanted}: put it into analysis/report/style.hpp")
            failed = True
sys.exit(failed)
