/**
 * How the server's program is run, by npm start and by the bench that measures it. Without bounds the
 * engine lets its heap grow to several times of what is alive before it looks: a server that takes
 * thousands of joins a second would hold half as much memory again. Measured: a smaller young
 * generation (8 MB) costs a third more processor time for a join, a larger one (32 MB, the engine's
 * own choice) none less.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=16', '--initial-old-space-size=64', '--heap-growing-percent=50']

/** Threads that make bytes and throw them away leave a pool of memory behind each; two pools serve all. */
export const SERVER_MEMORY = { MALLOC_ARENA_MAX: '2' }
