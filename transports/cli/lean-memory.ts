import { setFlagsFromString } from 'node:v8'

/**
 * V8 lets short-lived objects take several times as much before it looks at them, and a heap grow to up to four times
 * what survived, in each thread, to no gain that a bench could show. Less than twice costs: where a heap may
 * grow by a quarter, a crawl spends a twelfth more processor time, all of it on collecting.
 */
export const leanFlags: readonly string[] = ['--max-semi-space-size=8', '--heap-growing-percent=100']

/**
 * By default glibc gives each thread an arena of its own, and keeps in it what other threads free; and with every large
 * buffer that is freed it raises the size from which on buffers are given back to the system, up to 32 MiB (mallopt(3)).
 * Here buffers of all sizes wander between threads.
 */
export const leanAllocator: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '1048576',
}

/** Sets how V8 uses memory, for threads that are yet to start too. */
export function setLeanFlags(): void {
  for (const flag of leanFlags) setFlagsFromString(flag)
}

/**
 * Begins the process anew, under the same id and with the same open files, with settings of the allocator that can only
 * be made before it begins. Returns where that can't be done or is done: not on Linux, under a parent that talks to the
 * process by Node's channel, or where the environment has a say of its own.
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
