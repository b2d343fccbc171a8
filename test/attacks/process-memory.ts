import { readdirSync, readFileSync } from 'node:fs'

interface ProcessRow {
  parent: number
  bytes: number
}

function rowOf(pid: string): ProcessRow | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
    // Without pages of files, which are the system's to take back.
    return { parent: figure('PPid'), bytes: figure('RssAnon') * 1_024 }
  } catch {
    // It ended meanwhile.
    return undefined
  }
}

/** Memory of a process and of those that it started, bytes; 0 where the system has no /proc. */
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
