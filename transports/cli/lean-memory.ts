import { setFlagsFromString } from 'node:v8'

/**
 * V8 flags for smaller heaps. By default each thread's heap of young objects is several times larger, and its heap may grow to
 * four times the surviving objects before a collection. Benchmarks showed no gain from larger heaps. Still smaller heaps cost
 * processor time: with growth by a quarter instead of double, garbage collection makes a crawl take 8 % more.
 */
export const leanFlags: readonly string[] = ['--max-semi-space-size=8', '--heap-growing-percent=100']

/**
 * Settings of glibc's allocator (mallopt(3)) that return freed memory to the system. By default every thread has its own arena,
 * which keeps memory that other threads free. Freed buffers below a size return to the arena and not to the system, and that
 * size grows up to 32 MiB. asof passes buffers of all sizes between threads, so much freed memory would be kept.
 */
export const leanAllocator: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '1048576',
}

/** Sets {@link leanFlags} for this thread and all threads that start later. */
export function setLeanFlags(): void {
  for (const flag of leanFlags) setFlagsFromString(flag)
}

/**
 * Restarts the process with {@link leanAllocator}, which a process reads only at its start. The process keeps its id and open
 * files. Returns without a restart on systems other than Linux, under a parent that uses Node's IPC channel, and if the
 * environment already configures the allocator. The last case also ends the restart itself.
 */
export function restartLean(): void {
  const { env, platform, execve } = process
  if (platform !== 'linux' || execve === undefined || process.channel) return
  if (Object.keys(leanAllocator).some(name => env[name] !== undefined) || env.LD_PRELOAD) return
  execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...env,
    ...leanAllocator,
  })
}
