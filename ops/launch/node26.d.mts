/** Types of node26.mjs, which its test uses. */
export declare function placesOfNode(platform: string, arch: string): string[]
