// axe finds nothing in report pages, at 1,280 and 390 pixels, on light and dark screens, with everything unfolded; no
// page is wider than its window, or says anything on the console, and no text of a picture is cut.
// usage: axe.mjs CHROMIUM PAGE..., in a folder with node_modules/ (puppeteer-core, axe-core)
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {basename, resolve} from "node:path";

const [chromium, ...pages] = process.argv.slice(2),
    require = createRequire(process.cwd() + "/");
const {default: puppeteer} = await import(require.resolve("puppeteer-core"));
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser = await puppeteer.launch({
    executablePath: chromium,
    userDataDir: process.cwd() + "/profile",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
});
process.on("exit", () => browser.process().kill());
// The heads of columns that do not sort downwards, upwards, and back to the order before. Cells without a number come last.
function sorting() {
    const wrong = [];
    for (const table of document.querySelectorAll("table.sortable")) {
        const cells = column => Array.from(table.tBodies[0].rows, row => row.cells[column]);
        const original = cells(0);
        for (const [column, head] of Array.from(table.tHead.rows[0].cells).entries()) {
            const button = head.querySelector("button");
            if (!button) continue;
            const numeric = cells(column).some(cell => cell.dataset.v !== undefined);
            const in_order = way => {
                button.click();
                const all = cells(column).map(cell => cell.dataset.v ?? (numeric ? "" : cell.textContent));
                const known = all.filter(text => text !== "" || !numeric);
                return known.every((text, n) => text === all[n] && (n === 0 || way * (numeric ? text - known[n - 1] :
                    text.localeCompare(known[n - 1], "en", {numeric: true})) >= 0));
            };
            const is_right = [in_order(-1), in_order(1)].every(Boolean);
            button.click();
            if (!is_right || cells(0).some((cell, n) => cell !== original[n])) wrong.push(head.textContent);
        }
    }
    return wrong;
}
const page = await browser.newPage(),
    found = [];
let view = "";
page.on("console", message => found.push(`${view} says ${message.text()}`));
page.on("pageerror", error => found.push(`${view} fails: ${error.message}`));
for (const path of pages) {
    await page.goto("file://" + resolve(path));
    await page.evaluate(axe);
    await page.$$eval("details", all => all.forEach(one => (one.open = true)));
    view = `${basename(path)}:`;
    found.push(...(await page.evaluate(sorting)).map(head => `${view} ${head} does not sort`));
    for (const width of [1280, 390])
        for (const scheme of ["light", "dark"]) {
            view = `${basename(path)}, ${width} pixels, ${scheme}:`;
            await page.setViewport({width, height: 900});
            await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
            // What a dark screen changes are colours.
            const {violations, is_wide, cut} = await page.evaluate(
                async rules => ({
                    ...(await axe.run(document, {...rules, resultTypes: ["violations"]})),
                    is_wide: document.documentElement.scrollWidth > innerWidth,
                    cut: Array.from(document.querySelectorAll("main svg text")).filter(text => {
                        const box = text.getBoundingClientRect(), svg = text.ownerSVGElement.getBoundingClientRect();
                        return box.width > 0 && (box.left < svg.left - 1 || box.right > svg.right + 1);
                    }).map(text => text.textContent),
                }),
                scheme === "dark" ? {runOnly: ["color-contrast"]} : {},
            );
            if (is_wide) found.push(`${view} is wider than its window`);
            if (cut.length) found.push(`${view} cuts ${cut.slice(0, 5).join(", ")}`);
            for (const {id, nodes} of violations)
                found.push(`${view} ${id}, ${nodes.length} times: ${nodes[0].html.slice(0, 200)}`);
        }
}
await browser.close();
assert.ok(pages.length !== 0);
console.log(found.join("\n") || `${pages.length} kinds of report pages without a finding of axe`);
process.exit(found.length === 0 ? 0 : 1);
