// The page in Chromium, from a file: what it shows and saves is what the command prints, it can send nothing, and axe
// finds nothing.
// usage: browser.mjs COMMAND BUILD CHROMIUM, in a folder with data/ (tests/data), runs/ (make_runs.py), node_modules/
import assert from "node:assert/strict";
import {spawnSync} from "node:child_process";
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createServer} from "node:http";
import {createRequire} from "node:module";
import {gzipSync} from "node:zlib";

const [command, build, chromium] = process.argv.slice(2),
    here = process.cwd(),
    require = createRequire(here + "/");
const {default: puppeteer} = await import(require.resolve("puppeteer-core"));
const wlfmt = (...args) => spawnSync(command, args, {cwd: here + "/runs", maxBuffer: 2 ** 30, encoding: "utf8"});
const browser = await puppeteer.launch({
    executablePath: chromium,
    userDataDir: here + "/profile",
    args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ],
});
process.on("exit", () => browser.process().kill());
const page = await browser.newPage(),
    tools = await page.createCDPSession();
const errors = [];
page.on("pageerror", e => errors.push(e.message));
await page.goto(`file://${build}/wlfmt.html`);
await page.waitForSelector("#examples button");

// Nothing can be sent or loaded: a server counts what comes, and the page what was forbidden.
let requests = 0;
const server = createServer((_, answer) => {
    ++requests;
    answer.end("came");
}).on("upgrade", (_, socket) => {
    ++requests;
    socket.end();
});
await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
const address = `127.0.0.1:${server.address().port}`;
const forbidden = await page.evaluate(async address => {
    const url = "http://" + address,
        kinds = new Set();
    document.addEventListener("securitypolicyviolation", e => kinds.add(e.effectiveDirective));
    const put = (name, attributes) => document.head.append(Object.assign(document.createElement(name), attributes));
    const answers = [
        await fetch(url).then(
            () => "came",
            () => "refused",
        ),
        await new Promise(done => {
            const image = new Image();
            image.onload = () => done("came");
            image.onerror = () => done("refused");
            image.src = url;
        }),
        await new Promise(done => {
            const socket = new WebSocket("ws://" + address);
            socket.onopen = () => done("came");
            socket.onerror = () => done("refused");
        }),
    ];
    navigator.sendBeacon(url, "x");
    put("script", {src: url});
    put("link", {rel: "stylesheet", href: url});
    put("iframe", {src: url});
    put("script", {textContent: "document.title = 'ran'"});
    const form = Object.assign(document.createElement("form"), {action: url, method: "post"});
    document.body.append(form);
    form.submit();
    // The last events come when the machine has time for them.
    for (let n = 0; n < 100 && kinds.size < 6; ++n) await new Promise(done => setTimeout(done, 100));
    return {answers, kinds: [...kinds].sort(), title: document.title};
}, address);
assert.deepEqual(forbidden.answers, ["refused", "refused", "refused"]);
assert.deepEqual(forbidden.kinds, [
    "connect-src",
    "form-action",
    "frame-src",
    "img-src",
    "script-src-elem",
    "style-src-elem",
]);
assert.notEqual(forbidden.title, "ran");
assert.equal(requests, 0);
server.close();

const status_of = async () => page.$eval("#status", e => e.textContent);
// Waits until what act() begins has ended, and returns what the page shows.
async function shown(act) {
    await page.evaluate(() => {
        say("");
        scrollTo(0, 0);
    });
    await act();
    // The page shows what a run printed a moment after the run has ended; only then does the status change.
    const under_way = /^(Beginning|Finding|Opening|Reading|Working|Writing)/;
    const ended = async () => {
        const [status, idle] = await page.evaluate(() => [$("status").textContent, $("busy").hidden]);
        return idle && status !== "" && !under_way.test(status);
    };
    for (const begin = Date.now(); !(await ended());) assert.ok(Date.now() - begin < 60000, await status_of());
    return page.evaluate(() => ({
        report: $("report").hidden ? "" : $("report").srcdoc,
        messages: $("told").hidden ? "" : $("messages").textContent,
    }));
}
const drop =
    (...paths) =>
    async () => {
        const data = {items: [], files: paths.map(path => `${here}/runs/${path}`), dragOperationsMask: 1},
            [x, y] = [300, 200];
        for (const type of ["dragEnter", "dragOver", "drop"])
            await tools.send("Input.dispatchDragEvent", {type, x, y, data});
    };
const choose =
    (id, ...paths) =>
    async () =>
        (await page.$(id)).uploadFile(...paths.map(path => `${here}/${path}`));
function same(shown, ...args) {
    const native = wlfmt(...args);
    assert.equal(shown.report, native.stdout, `wlfmt ${args.join(" ")}`);
    assert.equal(shown.messages, native.stderr, `wlfmt ${args.join(" ")}`);
}
let compared = 0;
(same(await shown(drop("slow_rank")), "report", "slow_rank"), ++compared);
(same(await shown(drop("even", "slow_stage")), "report", "even", "slow_stage"), ++compared);
const [log, table] = ["oplog_rank7_pipeline_last_stage.txt", "profiler_table_moe_train_step.txt"];
for (const name of [log, table]) {
    writeFileSync(`runs/${name}`, readFileSync(`data/${name}`));
    writeFileSync(`runs/${name}.gz`, gzipSync(readFileSync(`data/${name}`)));
    (same(await shown(choose("#files", `runs/${name}.gz`)), "report", name), ++compared);
}
// Archives: in the browser their files are those of a folder.
const pack = (...args) => assert.equal(spawnSync(args[0], args.slice(1), {cwd: here + "/runs"}).status, 0, args.join(" "));
pack("tar", "-czf", "even.tar.gz", "even");
pack("tar", "-cf", "slow_rank.tar", "slow_rank");
pack("python3", "-m", "zipfile", "-c", "slow_stage.zip", "slow_stage/");
pack("cp", "-r", "even", "flat");
pack("tar", "-czf", "flat.tgz", "-C", "flat", ".");
for (const [archive, folder] of [["even.tar.gz", "even"], ["slow_rank.tar", "slow_rank"], ["slow_stage.zip", "slow_stage"], ["flat.tgz", "flat"]])
    (same(await shown(drop(archive)), "report", folder), ++compared);
(same(await shown(drop("even.tar.gz", "slow_stage.zip")), "report", "even", "slow_stage"), ++compared);
pack("cp", "slow_rank.tar", "renamed.tar");
(await shown(drop("renamed.tar", "slow_rank.tar")), assert.deepEqual(await page.evaluate(() => given.names), ["renamed", "slow_rank"]));
// What cannot be unpacked is named, and what to do; so is an option.
writeFileSync("runs/cut.tar", readFileSync("runs/slow_rank.tar").subarray(0, 4000));
pack("python3", "-c", "import zipfile; zipfile.ZipFile('bz.zip', 'w', zipfile.ZIP_BZIP2).write('" + log + "')");
for (const name of ["cut.tar", "bz.zip"]) {
    const {messages} = await shown(drop(name));
    assert.match(messages, new RegExp(`^${name}: error: unknown_format: the file is an archive: unpack it first$`, "m"));
    assert.match(await status_of(), new RegExp(`^There is no report of ${name}: the messages below say why\\.$`));
}
writeFileSync(`runs/${"long".repeat(30)}.txt`, "nothing\n");
await shown(drop(`${"long".repeat(30)}.txt`));
assert.match(await status_of(), / --kind is typed above, under Options\.$/);
// A message is as wide as the page, and what is not is a line of a file, whose caret is below it.
writeFileSync("runs/broken.txt", `rank:0:${"forward_step".repeat(9)}(stage_id=0,batch_id=0,dura\n`);
for (const [width, name] of [[390, `${"long".repeat(30)}.txt`], [1280, `${"long".repeat(30)}.txt`], [390, "broken.txt"]]) {
    await page.setViewport({width, height: 800});
    await shown(drop(name));
    assert.deepEqual(await page.$$eval("#messages > :not(.lines)", all => all.filter(e => e.scrollWidth > e.clientWidth).length), 0);
}
assert.equal(await page.$$eval("#messages > .lines", all => all.length), 1);
// What takes long says how far it is. Logs with the same times would be copies, which are left out.
await page.evaluate(() => {
    globalThis.said = new Set();
    new MutationObserver(() => globalThis.said.add($("status").textContent)).observe($("status"), {childList: true});
});
const line = "rank:RANK:forward_step(stage_id=0,batch_id=0,duration=1.5,timestamp=1.RANK,sub_operations=[])\n";
await shown(() =>
    page.evaluate(log => {
        open_files(Array.from({length: 40}, (_, n) => [`long/rank${n}.txt`, new Blob([log.replaceAll("RANK", n)])]));
    }, line.repeat(20000)),
);
const said = await page.evaluate(() => [...globalThis.said]);
for (const words of [/^Opening files: \d+ of 40$/, /^Reading: \d+ \w+ of \d+ MiB$/, /^Working out the answers$/])
    assert.ok(said.some(text => words.test(text)), `${words}: ${said}`);
// A folder of what people have: an older run, a launcher's log, a log that is cut off, a folder.
mkdirSync("runs/mixed/checkpoints", {recursive: true});
const rank = (n, time) => `runs/mixed/wd6_tp2_pp3_exp1_rank${n}_${time}.txt`;
for (const n of [0, 1, 2])
    writeFileSync(
        rank(n, 20250101000000),
        readFileSync(`runs/slow_rank/wd6_tp2_pp3_exp1_rank${n}_20250101000000.txt`),
    );
writeFileSync(rank(0, 20240101000000), readFileSync(rank(0, 20250101000000)));
writeFileSync(rank(2, 20250101000000), readFileSync(rank(2, 20250101000000)).subarray(0, 3000));
writeFileSync("runs/mixed/launcher.log", "srun: job 17 queued\n");
writeFileSync("runs/mixed/checkpoints/iteration", "7\n");
(same(await shown(drop("mixed")), "report", "mixed"), ++compared);
// Pasted text, an option, and one that nothing has.
const text =
    "rank:0:forward_step(stage_id=0,batch_id=0,duration=1.5,timestamp=1.0,sub_operations=[])\n" +
    "rank:0:forward_step(stage_id=0,dura\n";
writeFileSync("runs/pasted.txt", text);
await page.$eval(
    "#text",
    (area, text) => {
        area.value = text;
    },
    text,
);
(same(await shown(() => page.$eval("#text", area => area.form.requestSubmit())), "report", "pasted.txt"), ++compared);
await page.$eval("#options", field => {
    field.value = "--strict";
});
(same(await shown(() => page.$eval("#text", area => area.form.requestSubmit())), "report", "--strict", "pasted.txt"),
    ++compared);
await page.$eval("#options", field => {
    field.value = "--frobnicate";
});
await shown(() => page.$eval("#text", area => area.form.requestSubmit()));
assert.match(await status_of(), /has the option --frobnicate/);
await page.$eval("#options", field => {
    field.value = "";
});

// What is saved is what the command prints.
await tools.send("Browser.setDownloadBehavior", {behavior: "allow", downloadPath: here + "/saved"});
async function saved(label, name) {
    await shown(() => page.click(`#saves ::-p-text(${label})`));
    for (let wait = 0; wait !== 100 && !existsSync(`saved/${name}`); ++wait)
        await new Promise(done => setTimeout(done, 50));
    return readFileSync(`saved/${name}`);
}
await shown(drop("slow_rank"));
for (const [label, name, ...args] of [
    ["Report", "report.html", "report"],
    ["Summary", "summary.txt", "summary"],
    ["Summary, JSON", "summary.json", "summary", "--json"],
    ["CSV", "records.csv", "csv"],
    ["Problems", "problems.txt", "check"],
    ["Timeline for Perfetto", "timeline.json", "timeline"],
    ["Picture", "picture.svg", "plot"],
])
    (assert.equal((await saved(label, name)).toString(), wlfmt(...args, "slow_rank").stdout, label), ++compared);
await saved("Chakra traces", "traces.tar.gz");
mkdirSync("runs/traces");
const script = wlfmt("chakra", "-o", "traces/rank", "slow_rank").stdout.replace(command, "wlfmt");
writeFileSync("runs/traces/simulate.sh", script);
mkdirSync("unpacked");
assert.equal(spawnSync("tar", ["-xzf", "../saved/traces.tar.gz"], {cwd: "unpacked"}).status, 0);
const difference = spawnSync("diff", ["-r", "unpacked/traces", "runs/traces"], {encoding: "utf8"});
(assert.equal(difference.stdout + difference.stderr, ""), ++compared);
rmSync("runs/traces", {recursive: true});

// What began can be cancelled, and everything can be reached by keys.
await page.evaluate(() => {
    for (let n = 0; n !== 200; ++n) $("text").value += $("text").value.length < 3e7 ? $("text").value : "";
});
await page.$eval("#text", area => area.form.requestSubmit());
await page.waitForSelector("#busy:not([hidden])");
await page.$eval("#cancel", button => button.click());
assert.equal(await status_of(), "Cancelled.");
await page.reload();
await page.waitForSelector("#examples button");
const reached = [];
for (let n = 0; n !== 12; ++n) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
}
for (const name of ["files", "folder", "A run", "Two runs", "Paste text", "Options"])
    assert.ok(reached.includes(name), `${name}: ${reached}`);

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
let views = 0;
for (const [width, height] of [
    [1280, 800],
    [390, 844],
])
    for (const scheme of ["light", "dark"]) {
        await page.setViewport({width, height});
        await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
        await page.reload();
        await page.waitForSelector("#examples button");
        for (const view of ["start", "report"]) {
            if (view === "report") {
                await shown(drop("mixed"));
                await page.$$eval("details", all =>
                    all.forEach(one => {
                        one.open = true;
                    }),
                );
            }
            await page.evaluate(axe);
            const {violations} = await page.evaluate(() => axe.run(document, {iframes: false}));
            assert.deepEqual(
                violations.map(v => [v.id, v.nodes.map(node => node.html)]),
                [],
                `${view}, ${width}, ${scheme}`,
            );
            assert.ok(
                await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
                `${view}, ${width} is too wide`,
            );
            await page.screenshot({path: `${view}_${width}_${scheme}.png`});
            ++views;
        }
    }
assert.deepEqual(errors, []);
console.log(
    `${compared} reports and files of the page: as the command prints them; ${views} views without a finding of axe`,
);
await browser.close();
process.exit(0);
