"""Has Chromium show pages at 1,280 and 390 pixels: no message on its console, no request, nothing wider than the window,
what hovering shows can be reached with the keyboard, and tables are sorted as a whole.

usage: browser.py CHROMIUM PROFILE_FOLDER PAGE... [--pictures FOLDER]    also writes pictures, light and dark, and a PDF
"""
import base64
import fcntl
import json
import os
import subprocess
import sys

arguments = sys.argv[1:]
pictures = None
if "--pictures" in arguments:
    at = arguments.index("--pictures")
    pictures = arguments[at + 1]
    del arguments[at:at + 2]
chromium, profile, *pages = arguments


class Browser:
    """Speaks Chromium's protocol through two pipes, which it has as its descriptors 3 and 4."""

    def __init__(self):
        to_read, self.to = os.pipe()
        self.source, to_write = os.pipe()
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write)]
        self.process = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync",
             "--no-first-run", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
             f"--user-data-dir={profile}", "--remote-debugging-pipe"], stderr=subprocess.DEVNULL, pass_fds=(3, 4),
            preexec_fn=lambda: [os.dup2(fd, n) for n, fd in enumerate(high, 3)])
        for fd in (to_read, to_write, *high):
            os.close(fd)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.source, 1 << 16)
            if not more:
                raise OSError("the browser has ended")
            self.buffer += more
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **parameters):
        self.number += 1
        message = dict(id=self.number, method=method, params=parameters)
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.events.append(answer)

    def open(self, page, width, dark):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[dict(name="prefers-color-scheme", value="dark" if dark else "light")])
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(page))
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def value(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, (script, result)
        return result["result"].get("value")

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode={"Tab": 9, "ArrowRight": 39, "Escape": 27}[name])

    def close(self):
        self.call("Browser.close")
        self.process.wait()


def said(browser):
    """What the page asked for beside itself, and what the console said."""
    to = []
    for e in browser.events:
        if e["method"] == "Network.requestWillBeSent":
            url = e["params"]["request"]["url"]
            if not url.startswith(("data:", "file:")) or (url.startswith("file:") and not url.endswith(".html")):
                to.append("asks for " + url)
        if e["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            to.append(json.dumps(e["params"])[:300])
    return to


# What scrolls is as wide as it needs, but for what is placed by an element around it.
wide = """[...document.querySelectorAll('main *')].filter(e => e.closest('svg') === null &&
  !e.parentElement.closest('.scroll')?.contains(e.offsetParent) && e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 60)).slice(0, 5)"""
# Sorting a table sorts all of its rows, those that are folded too, and only then folds: each column of each table is sorted
# downwards, upwards and back, from either part of the table. Rows that the column knows no number of come last.
sorting = r"""(() => {
  const wrong = [], rowsOf = parts => parts.flatMap(part => [...part.tBodies[0].rows]);
  for (const table of document.querySelectorAll('table.sortable')) {
    if (table.closest('.rest')) continue;
    const rest = table.closest('.scroll').nextElementSibling?.closest('.rest');
    const parts = rest ? [table, rest.querySelector('table')] : [table], first = rowsOf(parts);
    const shown = table.tBodies[0].rows.length, summary = rest?.querySelector('summary'), words = summary?.textContent;
    for (const part of parts)
      for (const button of part.querySelectorAll('thead th button')) {
        const column = button.parentElement.cellIndex, cell = row => row.cells[column];
        const numeric = first.some(row => cell(row).hasAttribute('data-v'));
        for (const way of [-1, 1]) {
          button.click();
          const rows = rowsOf(parts), known = rows.filter(row => !numeric || cell(row).hasAttribute('data-v'));
          const name = `${table.caption?.textContent ?? ''} ${button.textContent} ${way}`;
          if (rows.length !== first.length || new Set(rows).size !== first.length) wrong.push(name + ': other rows');
          if (table.tBodies[0].rows.length !== shown) wrong.push(name + ': another number of rows is shown');
          if (known.some((row, n) => row !== rows[n])) wrong.push(name + ': unknown values do not come last');
          const order = (x, y) => numeric ? Number(cell(x).dataset.v) - Number(cell(y).dataset.v)
            : cell(x).textContent.localeCompare(cell(y).textContent, 'en', { numeric: true });
          if (known.some((row, n) => n > 0 && way * order(known[n - 1], row) > 0)) wrong.push(name + ': not sorted');
          const said = way < 0 ? 'descending' : 'ascending';
          for (const one of parts)
            if ([...one.tHead.rows[0].cells].some((head, n) => head.ariaSort !== (n === column ? said : null)))
              wrong.push(name + ': the heads do not say so');
          if (summary && summary.textContent !== first.length - shown + ' more') wrong.push(name + ': ' + summary.textContent);
        }
        button.click();
        if (rowsOf(parts).some((row, n) => row !== first[n])) wrong.push(button.textContent + ': not as before');
        if (summary?.textContent !== words) wrong.push(button.textContent + ': other words than before');
      }
  }
  return [wrong, document.querySelectorAll('.rest').length];
})()"""
folded = 0
problems = []
try:
    browser = Browser()
except OSError:
    print("Chromium does not run here")
    sys.exit(77)
for page in pages:
    name = os.path.splitext(os.path.basename(page))[0]
    for width, dark in ((1280, False), (1280, True), (390, False)):
        browser.open(page, width, dark)
        found = said(browser)
        if browser.value("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"is wider than the window: {browser.value(wide)}")
        if not browser.value("document.documentElement.classList.contains('has-script')"):
            found.append("its script does not run")
        wrong, parted = browser.value(sorting)
        found += [f"sorting {one}" for one in wrong[:5]]
        folded += parted
        problems += [f"{page}, {width} pixels: {one}" for one in found]
        if pictures:
            size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = dict(x=0, y=0, width=width, height=min(size["height"], 12000), scale=1)
            shot = browser.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
            with open(f"{pictures}/{name}_{width}_{'dark' if dark else 'light'}.png", "wb") as f:
                f.write(base64.b64decode(shot["data"]))
    # Every shape that says something when it is hovered over is in a row that has the focus at some time, in which
    # arrow keys go to it, or says nothing that the table after it does not say.
    silent = browser.value("[...document.querySelectorAll('.lane[tabindex]')].length")
    for _ in range(min(silent, 20)):
        while True:
            browser.key("Tab")
            if browser.value("document.activeElement === document.body"):
                break
            if browser.value("document.activeElement.matches('.lane[tabindex]')"):
                break
        if browser.value("document.activeElement === document.body"):
            problems.append(f"{page}: a row is never reached by Tab")
            break
        browser.key("ArrowRight")
        if not browser.value("!document.getElementById('tip').hidden && document.getElementById('tip').textContent"):
            problems.append(f"{page}: {browser.value('document.activeElement.innerText')}: an arrow key shows nothing")
            break
    if pictures:
        pdf = browser.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        with open(f"{pictures}/{name}.pdf", "wb") as f:
            f.write(base64.b64decode(pdf["data"]))
browser.close()
if not folded and len(pages) > 5:
    problems.append("no page has a table that is folded")
print("\n".join(problems) or f"{len(pages)} pages")
sys.exit(bool(problems))
