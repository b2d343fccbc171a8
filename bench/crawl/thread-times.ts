import { readdirSync, readFileSync } from 'node:fs'

const EVERY_MS = 200

/** Threads of a Node process by the names that it gives them. */
const parts: Readonly<Record<string, string>> = {
  MainThread: 'main thread',
  WorkerThread: 'worker threads',
  V8Worker: 'collector and compiler',
  'libuv-worker': 'disk, DNS, compression',
}

/** Looks every now and then at what each thread of a process has used, so that threads that end are counted too. Linux only. */
export class ThreadTimes {
  readonly #pid: number
  readonly #threads = new Map<string, { part: string; ms: number }>()
  readonly #sampling: NodeJS.Timeout

  constructor(pid: number) {
    this.#pid = pid
    this.#sampling = setInterval(() => this.#look(), EVERY_MS)
  }

  /** CPU milliseconds by part of the process; `undefined` where the system does not tell. */
  end(): Record<string, number> | undefined {
    clearInterval(this.#sampling)
    if (this.#threads.size === 0) return undefined
    const times: Record<string, number> = {}
    for (const { part, ms } of this.#threads.values()) times[part] = (times[part] ?? 0) + ms
    return times
  }

  #look(): void {
    const folder = `/proc/${this.#pid}/task`
    try {
      for (const thread of readdirSync(folder)) {
        const name = readFileSync(`${folder}/${thread}/comm`, 'utf8').trim()
        const onCpuNs = Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ', 1)[0])
        const part = thread === String(this.#pid) ? parts.MainThread : (parts[name] ?? 'others')
        this.#threads.set(thread, { part, ms: onCpuNs / 1e6 })
      }
    } catch {
      // A thread, or the process, has ended meanwhile; or there is no /proc, and then nothing is told.
    }
  }
}
