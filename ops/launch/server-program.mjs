import { availableParallelism } from 'node:os'

/**
 * The flags and memory settings of the server, for `npm start` and for the bench.
 * - The heap is bounded. Without these flags it grows to several times the live data before a collection.
 *   At thousands of joins per second the server would then take half as much memory again.
 * - The old generation may grow by a fifth before a full collection. V8 adds the size of the young one: with 41 MB of live data
 *   that is 82 MB, and 94 with a half. Measured: a full collection after about 100,000 joins instead of 130,000.
 * - The young generation has 32 MB from the start, and only the main thread collects it.
 *   Measured against 16 MB with two threads: a join takes a twelfth less CPU time, and the server 12 MB more.
 *   32 MB with two threads take 45 MB more and no less time, because each thread reserves its own space.
 * - Pretenuring is off: it promoted objects that lived long only while the first requests waited for each other.
 *   Once dead, they kept alive what every request leaves behind, and a young collection took five times as long.
 * - One pool thread per processor besides the main one, at most four, does the work that can run in parallel.
 * - `--expose-gc`: code that allocates much memory outside the heap may start a collection at once.
 */
export const SERVER_FLAGS = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  '--no-parallel-scavenge',
  '--no-allocation-site-pretenuring',
  '--initial-old-space-size=64',
  '--heap-growing-percent=20',
  `--v8-pool-size=${Math.min(4, Math.max(1, availableParallelism() - 1))}`,
  '--expose-gc',
]

/**
 * glibc's allocator.
 * - Each thread that allocates and frees memory would keep an arena of its own. Two arenas serve all threads.
 * - Blocks of 1 MiB and more, such as a day's list, are mapped separately and returned to the system when freed. Without a fixed
 *   threshold, glibc would raise it after the first such block and keep the next ones in the arenas.
 */
export const SERVER_MEMORY = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '8388608' }
