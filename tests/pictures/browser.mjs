// Chromium with an empty tab, and how wide its fonts are, for the scripts beside this one.
import {createRequire} from "node:module";

export async function launched(chromium) {
    const {default: puppeteer} = await import(createRequire(process.cwd() + "/").resolve("puppeteer-core"));
    const browser = await puppeteer.launch({
        executablePath: chromium,
        userDataDir: process.cwd() + "/profile",
        args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
    });
    process.on("exit", () => browser.process().kill());
    return {browser, page: await browser.newPage()};
}
// The widths of a sentence in the fonts of a page, in pixels: the same on machines with the same fonts.
export const width_of_font = page =>
    page.evaluate(() => {
        const pen = document.createElement("canvas").getContext("2d"),
            {fontFamily} = getComputedStyle(document.body);
        return ["", "bold "]
            .map(weight => {
                pen.font = `${weight}100px ${fontFamily}`;
                return Math.round(pen.measureText("Where each rank's time went, 0123456789.").width);
            })
            .join(" ");
    });
