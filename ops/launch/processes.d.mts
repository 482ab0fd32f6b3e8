/** Types of processes.mjs, which the tests of starts use. */
export declare function marked(mark: string, folder: string): number[]
