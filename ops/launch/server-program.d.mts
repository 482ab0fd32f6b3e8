/** Types of server-program.mjs, which the bench reads. */
export declare const SERVER_FLAGS: readonly string[]
export declare const SERVER_MEMORY: Readonly<Record<string, string>>
