import { readdirSync, readFileSync } from 'node:fs'

interface ProcessRow {
  parent: number
  bytes: number
}

function rowOf(pid: string): ProcessRow | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
    // File-backed pages are not counted, because the system can reclaim them.
    return { parent: figure('PPid'), bytes: figure('RssAnon') * 1_024 }
  } catch {
    // The process has exited meanwhile.
    return undefined
  }
}

/** Returns the memory of a process and of its descendants in bytes, or 0 on systems without /proc. */
export function memoryOf(root: number): { own: number; withChildren: number } {
  let pids: string[]
  try {
    pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  } catch {
    return { own: 0, withChildren: 0 }
  }
  const rows = new Map(pids.flatMap(pid => (row => (row ? [[Number(pid), row] as const] : []))(rowOf(pid))))
  const isBelow = (pid: number): boolean => pid === root || (rows.has(pid) && isBelow(rows.get(pid)!.parent))
  const family = [...rows].filter(([pid]) => isBelow(pid))
  return {
    own: rows.get(root)?.bytes ?? 0,
    withChildren: family.reduce((sum, [, { bytes }]) => sum + bytes, 0),
  }
}
