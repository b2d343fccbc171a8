import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AsofError } from '@asof/extract/errors'

/** Where Linux lists the locks of all processes: number, kind, mode, access, process, `major:minor:inode`, range. */
const LOCKS = '/proc/locks'

/**
 * Returns the id of the process that has a LevelDB folder open. Undefined if no process has it open, or if the system does not say: only
 * Linux lists locks, and it does not name the processes of other containers.
 */
function lockOwner(location: string): number | undefined {
  try {
    const { ino } = statSync(join(location, 'LOCK'))
    for (const line of readFileSync(LOCKS, 'utf8').split('\n')) {
      const words = line.split(/ +/)
      // A process that waits for the lock has `->` in place of the kind.
      if (words[1] !== 'POSIX' || words[3] !== 'WRITE' || words[5]?.split(':')[2] !== String(ino)) continue
      const pid = Number(words[4])
      if (pid > 0) return pid
    }
  } catch {
    // Without the list, the message does not name the process.
  }
  return undefined
}

/** True if this process has a LevelDB folder open. Undefined if the system has no list of locks. */
export function ownsLock(location: string): boolean | undefined {
  return existsSync(LOCKS) ? lockOwner(location) === process.pid : undefined
}

/** Returns the error for a LevelDB folder that is already open. Names the process that has it open, if the system says which one. */
export function lockedError(location: string, cause?: unknown): AsofError {
  const pid = lockOwner(location)
  if (pid === process.pid)
    return new AsofError('ASOF_STORE_LOCKED', `${location} is already open in this process`, {
      cause,
      details: { pid },
    })
  const owner = pid === undefined ? 'another process' : `process ${pid}`
  return new AsofError('ASOF_STORE_LOCKED', `${location} is in use by ${owner}: stop that process first`, {
    cause,
    details: pid === undefined ? undefined : { pid },
  })
}
