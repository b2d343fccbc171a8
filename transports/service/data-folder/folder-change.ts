import { watch } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves when something in a folder comes, goes or changes, such as the socket of its holder; at the latest after
 * `atMostMs`, since a lock that is released shows in no folder.
 */
export async function folderChange(dir: string, atMostMs: number): Promise<void> {
  const stop = new AbortController()
  const late = sleep(atMostMs, undefined, { signal: stop.signal }).catch(() => undefined)
  const changed = new Promise<void>(resolve => {
    try {
      // A folder that is not there, or a system without room for another watcher, is waited for by the clock alone.
      watch(dir, { signal: stop.signal }, () => resolve()).on('error', () => undefined)
    } catch {
      return
    }
  })
  await Promise.race([late, changed])
  stop.abort()
}
