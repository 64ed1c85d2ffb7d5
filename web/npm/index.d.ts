/** A text, as a string or as bytes. */
export type Text = string | ArrayBuffer | ArrayBufferView | Blob;
/** Texts by their paths: {"run/wd8_rank0_20250101000000.txt": text}. What is in a folder is read as the command reads the
 * folder: of repeated runs the newest, without what is of no format. */
export type Texts = Record<string, Text> | Map<string, Text>;
export type Files = Text | Texts;
/** Options of the command: {strict: true, tp: 2, failAbove: "5%"} is --strict --tp=2 --fail-above=5%. */
export type Options = Record<string, string | number | boolean | undefined>;
/** Something that is wrong with a file, or worth knowing. */
export interface Problem {
    file: string;
    /** From 1 on, 0 if there is no place; columns count bytes. */ line: number; column: number;
    severity: "error" | "warning" | "note";
    /** Such as "unterminated_record", or empty. */ kind: string;
    message: string;
    /** The line and its caret, or empty. */ excerpt: string;
}
export interface Result {
    /** 0: all is well; 1: there are problems, and the output has what could be read, or `diff` finds a difference;
     *  2: nothing could be done; 3: `diff` with {failAbove} finds such a growth. */
    status: 0 | 1 | 2 | 3;
    output: string;
    /** The output as it is: `output` replaces what is not UTF-8. */ bytes: Uint8Array;
    problems: Problem[];
    /** All that the command says, as it says it. */ messages: string;
    /** Files that the command wrote, by their paths. */ written: Record<string, Uint8Array>;
}
export type Command = (files: Files, options?: Options) => Promise<Result>;
/** Records as lines of JSON (docs/interchange.schema.json). */ export declare const json: Command;
/** All problems; the output says what each file holds. */ export declare const check: Command;
/** What is known of a run, a workload file or tables; {json: true}: docs/summary.schema.json. */
export declare const summary: Command;
/** Records, layers or rows as CSV. */ export declare const csv: Command;
/** A page, HTML, that explains a run, a workload file or tables. */ export declare const report: Command;
/** Trace events for ui.perfetto.dev. */ export declare const timeline: Command;
/** The text as its original program writes it. */ export declare const format: Command;
/** What differs in the second text, run or table. */
export declare function diff(before: Files, after: Files, options?: Options): Promise<Result>;
/** Any command, as on a command line: run(["chakra", "-o", "traces/rank", "run"], files). */
export declare function run(args: string[], files?: Texts): Promise<Result>;
/** Takes wlfmt.wasm, compiled or as bytes, where the program cannot find it: with a bundler that does not copy it, or
 * none that knows `new URL(..., import.meta.url)`. To be awaited before the first command. */
export declare function load(wasm: WebAssembly.Module | ArrayBuffer | ArrayBufferView | Blob | Response | Promise<Response>):
    Promise<void>;
