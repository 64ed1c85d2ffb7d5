#!/usr/bin/env python3
"""check counts the records that json prints, of each file that is given. usage: counts.py WLFMT FILE..."""
import json
import re
import subprocess
import sys

wlfmt, *files = sys.argv[1:]
failed = 0
compared = 0
for name in files:
    checked = subprocess.run([wlfmt, 'check', name], capture_output=True).stdout.decode('utf-8', 'replace')
    found = re.search(r': (oplog|workload|table), (\d+) \w+(?:, (\d+) rows?)?', checked)
    if not found:
        continue
    kind, first, rows = found.groups()
    lines = subprocess.run([wlfmt, 'json', name], capture_output=True).stdout.decode('utf-8', 'replace').splitlines()
    records = [json.loads(line) for line in lines]
    heads = [r for r in records if 'columns' in r or 'header' in r]
    counted = {'oplog': (len(records), None), 'workload': (len(records) - len(heads), None),
               'table': (len(heads), len(records) - len(heads))}[kind]
    compared += 1
    if counted != (int(first), int(rows) if rows else None):
        failed += 1
        print(f'{name}: check says {found.group()[2:]}, json prints {counted}')
print(f'{compared} files')
sys.exit(failed != 0 or compared == 0)
