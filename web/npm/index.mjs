// wlfmt for browsers, and for programs that bundlers make for them: wlfmt.wasm is beside this file, or where the bundler
// puts it.
import {set_default} from "./commands.mjs";

set_default(() => fetch(new URL("./wlfmt.wasm", import.meta.url)));
export {check, csv, diff, format, json, load, report, run, summary, timeline} from "./commands.mjs";
