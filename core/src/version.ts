/** The release of the product. ops/release/release.test.ts compares it with every package. */
export const VERSION = '1.1.0'
