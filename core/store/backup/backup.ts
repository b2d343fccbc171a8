import { AsofError } from '../../errors.ts'
import { messageOf } from '../../thrown.ts'

/** A backup that is being made. It contains the state of the store when the backup began. */
export interface Backup {
  /** Resolves with the number of bytes copied when the copy is complete and on disk. */
  readonly done: Promise<number>
  /** Stops after the current batch. {@link done} then rejects, unless the copy is complete. */
  stop(): Promise<void>
}

/** Returns the error that the caller of `backup` gets. */
export function backupError(cause: unknown): AsofError {
  const code = cause instanceof AsofError ? cause.code : 'ASOF_STORE_READ'
  const reason = messageOf(cause)
  return new AsofError(code, `the backup failed: ${reason}`, { cause })
}
