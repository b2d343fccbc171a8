import { readFileSync } from 'node:fs'

/**
 * The memory that another process holds, MiB, or 0 where it cannot be read: once the process has ended, and on systems
 * other than Linux (proc(5), `VmRSS`).
 */
export function residentMb(pid: number): number {
  try {
    const [, kb = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kb) / 1024
  } catch {
    return 0
  }
}
