import { watch } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves when a file in a folder is created, deleted or changed, such as the socket of its holder. Resolves after `atMostMs`
 * at the latest, because the release of a lock does not change any file.
 */
export async function folderChange(dir: string, atMostMs: number): Promise<void> {
  const stop = new AbortController()
  const late = sleep(atMostMs, undefined, { signal: stop.signal }).catch(() => undefined)
  const changed = new Promise<void>(resolve => {
    try {
      // If the folder is missing or the system has no free watcher, only the time limit counts.
      watch(dir, { signal: stop.signal }, () => resolve()).on('error', () => undefined)
    } catch {
      return
    }
  })
  await Promise.race([late, changed])
  stop.abort()
}
