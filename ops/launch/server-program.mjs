/**
 * How the server's program is run, by npm start and by the bench that measures it. Without bounds the
 * engine lets its heap grow to several times of what is alive before it looks: a server that takes
 * thousands of joins a second would hold half as much memory again. Measured: a smaller young
 * generation (8 MB) costs a third more processor time for a join, a larger one (32 MB, the engine's
 * own choice) none less. What makes much outside of the heap may have it looked through at once (gc).
 */
export const SERVER_FLAGS = ['--max-semi-space-size=16', '--initial-old-space-size=64', '--heap-growing-percent=50', '--expose-gc']

/**
 * Threads that make bytes and throw them away leave a pool of memory behind each; two pools serve all.
 * What is as large as the list of a day lies outside of them and is given back as it goes; without a
 * threshold the first of its kind would make the pools keep room for the next.
 */
export const SERVER_MEMORY = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '8388608' }
