/** Types of web.mjs, which the tests of pages use. */
export declare function buildWeb(node: string): Promise<string>
