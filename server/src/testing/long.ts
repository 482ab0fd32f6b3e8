/** Left out of a whole `npm test`; `npm run test:all`, or a filter that names the file, runs it. */
export const LONG = process.env.ROZ_TEST_SHORT !== '1'
