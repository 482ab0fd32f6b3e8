import { availableParallelism } from 'node:os'

/**
 * How the server's program is run, by npm start and by the bench that measures it. Without bounds the
 * engine lets its heap grow to several times of what is alive before it looks: a server that takes
 * thousands of joins a second would hold half as much memory again. Measured: a young generation of
 * 32 MB from the start, looked through by the main thread alone, costs a twelfth less processor time for
 * a join than one of 16 looked through by two threads, and 12 MB more; by two threads it would be 45 more,
 * for each keeps room of its own, and no time less. Nothing is put among the old because its likes once
 * lived long (allocation-site pretenuring): what did so while the first requests waited for each other then
 * held on, dead and old, to all that a request leaves behind, and a look through the young took five times
 * as long. One thread for each processor beside the main one does what else may be done beside it. What
 * makes much outside of the heap may have it looked through at once (gc).
 */
export const SERVER_FLAGS = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  '--no-parallel-scavenge',
  '--no-allocation-site-pretenuring',
  '--initial-old-space-size=64',
  '--heap-growing-percent=50',
  `--v8-pool-size=${Math.min(4, Math.max(1, availableParallelism() - 1))}`,
  '--expose-gc',
]

/**
 * Threads that make bytes and throw them away leave a pool of memory behind each; two pools serve all.
 * What is as large as the list of a day lies outside of them and is given back as it goes; without a
 * threshold the first of its kind would make the pools keep room for the next.
 */
export const SERVER_MEMORY = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '8388608' }
