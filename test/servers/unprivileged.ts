import { execFileSync } from 'node:child_process'

/** The ids of `nobody` if this process is root, as which neither PostgreSQL nor OpenSearch starts. Else undefined. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
