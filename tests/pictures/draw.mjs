// Draws a report, and the page on which one is made, on light and dark screens: report_light.png and so on; beside them,
// in report.txt and page.txt, how wide the font is, and the words that the picture shows.
// usage: draw.mjs CHROMIUM OUT REPORT [PAGE], in a folder with node_modules/ (puppeteer-core)
import {writeFileSync} from "node:fs";
import {resolve} from "node:path";
import {launched, width_of_font} from "./browser.mjs";

const [chromium, out, report, page_path] = process.argv.slice(2);
const {page, browser} = await launched(chromium);
// The words of which something is within the window, in the order of the document.
function shown_words() {
    const words = [],
        walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT),
        range = document.createRange();
    while (walker.nextNode()) {
        const text = walker.currentNode;
        for (const {0: word, index} of text.data.matchAll(/\S+/g)) {
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            const {width, top, bottom} = range.getBoundingClientRect();
            if (width !== 0 && bottom > 0 && top < innerHeight && text.parentElement.checkVisibility())
                words.push(word);
        }
    }
    return words;
}
async function draw(name, path, width, height, act) {
    for (const scheme of ["light", "dark"]) {
        await page.setViewport({width, height});
        await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
        await page.goto("file://" + resolve(path));
        const frames = [page, ...(await act())];
        await page.screenshot({path: `${out}/${name}_${scheme}.png`});
        const words = [];
        for (const frame of frames) words.push(...(await frame.evaluate(shown_words)));
        writeFileSync(`${out}/${name}.txt`, `${await width_of_font(page)}\n${words.join("\n")}\n`);
    }
}
await draw("report", report, 1120, 890, async () => []);
if (page_path)
    await draw("page", page_path, 1180, 880, async () => {
        await page.waitForSelector("#examples button");
        await page.click("#examples button");
        await page.waitForSelector("#report:not([hidden])");
        const frame = await (await page.$("#report")).contentFrame();
        await frame.waitForSelector("h1");
        await page.evaluate(() => {
            // How long it took differs.
            $("status").textContent = $("status").textContent.replace(/[\d.]+ s/, "0.1 s");
            scrollTo(0, 0);
            document.activeElement.blur();
        });
        // What moves under the pointer, and the frame, come to rest.
        await page.mouse.move(1, 1);
        await new Promise(done => setTimeout(done, 500));
        return [];
    });
await browser.close();
process.exit(0);
