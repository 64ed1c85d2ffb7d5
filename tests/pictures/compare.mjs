// Compares pictures with those that were drawn before: the words, as far as both show them, and, where the fonts are the
// same, the picture: blocks of 4 by 4 pixels, of which few may differ, as versions of a browser smooth letters differently.
// usage: compare.mjs CHROMIUM BEFORE NOW, in a folder with node_modules/ (puppeteer-core)
import {existsSync, readFileSync} from "node:fs";
import {launched} from "./browser.mjs";

const [chromium, before, now] = process.argv.slice(2);
const {page, browser} = await launched(chromium);
async function differing_blocks(paths) {
    const urls = paths.map(path => "data:image/png;base64," + readFileSync(path).toString("base64"));
    return page.evaluate(async urls => {
        const means = await Promise.all(
            urls.map(async url => {
                const image = new Image();
                image.src = url;
                await image.decode();
                const [width, height] = [image.width >> 2, image.height >> 2],
                    canvas = new OffscreenCanvas(width, height);
                const pen = canvas.getContext("2d");
                pen.imageSmoothingQuality = "high";
                pen.drawImage(image, 0, 0, 4 * width, 4 * height, 0, 0, width, height);
                return pen.getImageData(0, 0, width, height);
            }),
        );
        if (means[0].width !== means[1].width || means[0].height !== means[1].height) return 1;
        let differing = 0;
        for (let at = 0; at < means[0].data.length; at += 4)
            differing += [0, 1, 2].some(
                channel => Math.abs(means[0].data[at + channel] - means[1].data[at + channel]) > 24,
            );
        return (4 * differing) / means[0].data.length;
    }, urls);
}
let failed = 0,
    compared = 0,
    other_fonts = false;
for (const name of ["report", "page"]) {
    if (!existsSync(`${now}/${name}.txt`)) continue;
    const [old, drawn] = [before, now].map(folder => readFileSync(`${folder}/${name}.txt`, "utf8").trim().split("\n"));
    const same_font = old.shift() === drawn.shift(),
        both = Math.min(old.length, drawn.length);
    other_fonts ||= !same_font;
    const at = old.findIndex((word, n) => n < both && word !== drawn[n]);
    const cut = !same_font && both >= 0.8 * Math.max(old.length, drawn.length); // other fonts fill the window differently
    if (at !== -1 || (old.length !== drawn.length && !cut)) {
        const part = words =>
            words.slice(Math.max(0, (at === -1 ? both : at) - 4), (at === -1 ? both : at) + 6).join(" ");
        console.log(`${name}: the picture says "${part(old)}", the program "${part(drawn)}"`);
        ++failed;
    }
    for (const scheme of same_font ? ["light", "dark"] : []) {
        const share = await differing_blocks([before, now].map(folder => `${folder}/${name}_${scheme}.png`));
        ++compared;
        if (share <= 0.002) continue;
        console.log(`${name}_${scheme}.png: ${(100 * share).toFixed(1)} % of the picture differ`);
        ++failed;
    }
}
await browser.close();
console.log(
    other_fonts
        ? "the fonts are others than those of the pictures: their words are compared"
        : `${compared} PNGs compared`,
);
if (failed !== 0) console.log("tests/pictures/draw.sh draws them again");
process.exit(failed === 0 ? 0 : 1);
