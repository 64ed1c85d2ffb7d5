// wlfmt for Node: wlfmt.wasm is a file beside this one.
import {readFile} from "node:fs/promises";
import {set_default} from "./commands.mjs";

set_default(() => readFile(new URL("./wlfmt.wasm", import.meta.url)));
export {check, csv, diff, format, json, load, report, run, summary, timeline} from "./commands.mjs";
