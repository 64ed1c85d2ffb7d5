// Programs that esbuild, Vite and webpack make of the package, for browsers and for Node, run. Without Chromium, those for
// browsers are only built. usage: bundlers.mjs [CHROMIUM], in a folder with bundlers/ (node_modules/ of esbuild, vite,
// webpack, wlfmt) and node_modules/ of puppeteer-core
import assert from "node:assert/strict";
import {spawnSync} from "node:child_process";
import {copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync} from "node:fs";
import {createServer} from "node:http";
import {createRequire} from "node:module";

const chromium = process.argv[2],
    here = process.cwd() + "/bundlers",
    require = createRequire(here + "/");
const line = "rank:0:forward_step(stage_id=0,batch_id=0,duration=1.5,timestamp=1.0,sub_operations=None)\\n";
const tells = `
async function tell() {
    const {output, status} = await json("${line}");
    const told = status + " " + JSON.parse(output).duration;
    if (typeof document === "object") document.title = told;
    else console.log(told);
}
`;
// A program that finds wlfmt.wasm, and one that gives it.
writeFileSync(`${here}/finds.mjs`, `import {json} from "wlfmt";${tells}tell();\n`);
writeFileSync(
    `${here}/gives.mjs`,
    `import {json, load} from "wlfmt";\nimport wasm from "wlfmt/wlfmt.wasm";${tells}load(wasm).then(tell);\n`,
);
const page = script => `<!DOCTYPE html><title></title><body><script type="module" src="${script}"></script>`;

const esbuild = require("esbuild"),
    webpack = require("webpack"),
    vite = await import(require.resolve("vite"));
const built = (name, entry, options) =>
    esbuild.build({
        absWorkingDir: here,
        entryPoints: [`${entry}.mjs`],
        bundle: true,
        target: "es2022",
        outfile: `${name}/program.${options.platform === "node" && options.format === "cjs" ? "cjs" : "mjs"}`,
        loader: {".wasm": "binary"},
        logLevel: "error",
        ...options,
    });
const packed = (name, target) =>
    new Promise((good, bad) =>
        webpack(
            {
                context: here,
                mode: "production",
                entry: "./finds.mjs",
                target,
                output: {path: `${here}/${name}`, filename: "program.js"},
                experiments: target === "node" ? {outputModule: true} : {},
                ...(target === "node" && {
                    output: {path: `${here}/${name}`, filename: "program.mjs", module: true, chunkFormat: "module"},
                }),
            },
            (error, stats) => (error || stats.hasErrors() ? bad(error ?? stats.toString()) : good()),
        ),
    );
await built("esbuild-browser", "gives", {format: "esm", platform: "browser"});
await built("esbuild-script", "gives", {format: "iife", platform: "browser"});
await built("esbuild-beside", "finds", {format: "esm", platform: "browser"});
await built("esbuild-node", "finds", {format: "esm", platform: "node"});
await built("esbuild-commonjs", "gives", {format: "cjs", platform: "node"});
await built("esbuild-lost", "finds", {format: "cjs", platform: "node", logOverride: {"empty-import-meta": "silent"}});
for (const name of ["esbuild-beside", "esbuild-node"])
    copyFileSync(require.resolve("wlfmt/wlfmt.wasm"), `${here}/${name}/wlfmt.wasm`);
await packed("webpack-browser", "web");
await packed("webpack-node", "node");
mkdirSync(`${here}/vite`, {recursive: true});
writeFileSync(`${here}/vite/index.html`, page("../finds.mjs"));
await vite.build({
    root: `${here}/vite`,
    base: "./",
    configFile: false,
    logLevel: "error",
    build: {outDir: `${here}/vite-browser`},
});
const browsers = ["esbuild-browser", "esbuild-script", "esbuild-beside", "webpack-browser", "vite-browser"];
for (const name of browsers) {
    const files = readdirSync(`${here}/${name}`, {recursive: true}).filter(file => /js$/.test(file));
    assert.notEqual(files.length, 0);
    for (const file of files)
        assert.doesNotMatch(readFileSync(`${here}/${name}/${file}`, "utf8"), /node:|\bfs\/promises/, `${name}/${file}`);
    const script = files.find(file => /^program/.test(file));
    if (!existsSync(`${here}/${name}/index.html`)) writeFileSync(`${here}/${name}/index.html`, page(script));
}
for (const program of ["esbuild-node/program.mjs", "esbuild-commonjs/program.cjs", "webpack-node/program.mjs"]) {
    const {stdout, stderr} = spawnSync(process.execPath, [program], {cwd: here, encoding: "utf8"});
    assert.equal(stdout, "0 1.5\n", program + stderr);
}
const lost = spawnSync(process.execPath, ["esbuild-lost/program.cjs"], {cwd: here, encoding: "utf8"});
assert.match(lost.stderr, /Error: wlfmt: wlfmt\.wasm is not beside the program, .*: give load\(\) its bytes/);

if (!chromium) console.log("no Chromium: what bundlers make for browsers is built, and not tested");
else {
    const types = {html: "text/html", js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm"};
    const server = createServer((request, answer) => {
        const path = here + request.url;
        if (!existsSync(path)) return answer.writeHead(404).end();
        answer.writeHead(200, {"content-type": types[path.slice(path.lastIndexOf(".") + 1)]}).end(readFileSync(path));
    });
    await new Promise(done => server.listen(0, "127.0.0.1", done));
    const {default: puppeteer} = await import(createRequire(process.cwd() + "/").resolve("puppeteer-core"));
    const browser = await puppeteer.launch({
        executablePath: chromium,
        userDataDir: process.cwd() + "/bundlers_profile",
        args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
    });
    process.on("exit", () => browser.process().kill());
    const tab = await browser.newPage(),
        errors = [];
    tab.on("pageerror", e => errors.push(e.message));
    for (const name of browsers) {
        await tab.goto(`http://127.0.0.1:${server.address().port}/${name}/index.html`);
        await tab.waitForFunction("document.title !== ''", {timeout: 60000}).catch(() => errors.push("no title"));
        assert.deepEqual([await tab.title(), errors], ["0 1.5", []], name);
    }
    await browser.close();
    server.close();
}
console.log(`${browsers.length + 3} programs of esbuild, Vite and webpack: as the command says`);
process.exit(0);
