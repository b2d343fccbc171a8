import { readdirSync, readFileSync } from 'node:fs'

const EVERY_MS = 200

const MAIN_THREAD = 'main thread'
/** Kinds of threads, by the names that Node gives to its threads. */
const parts: Readonly<Record<string, string>> = {
  WorkerThread: 'worker threads',
  V8Worker: 'collector and compiler',
  'libuv-worker': 'disk, DNS, compression',
}

/** Samples the CPU time of each thread of a process at short intervals, so that threads that end are counted too. Linux only. */
export class ThreadTimes {
  readonly #pid: number
  readonly #threads = new Map<string, { part: string; ms: number }>()
  readonly #sampling: NodeJS.Timeout

  constructor(pid: number) {
    this.#pid = pid
    this.#sampling = setInterval(() => this.#sample(), EVERY_MS)
  }

  /** Stops, and returns CPU milliseconds by kind of thread; undefined on systems other than Linux. */
  end(): Record<string, number> | undefined {
    clearInterval(this.#sampling)
    if (this.#threads.size === 0) return undefined
    const times: Record<string, number> = {}
    for (const { part, ms } of this.#threads.values()) times[part] = (times[part] ?? 0) + ms
    return times
  }

  #sample(): void {
    const folder = `/proc/${this.#pid}/task`
    try {
      for (const thread of readdirSync(folder)) {
        const name = readFileSync(`${folder}/${thread}/comm`, 'utf8').trim()
        const onCpuNs = Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ', 1)[0])
        const part = thread === String(this.#pid) ? MAIN_THREAD : (parts[name] ?? 'others')
        this.#threads.set(thread, { part, ms: onCpuNs / 1e6 })
      }
    } catch {
      // A thread or the process has ended, or there is no /proc.
    }
  }
}
