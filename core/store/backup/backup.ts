import { AsofError, messageOf } from '@asof/extract/errors'

/** The options of {@link Engine.backup}. */
export interface BackupOptions {
  /** Writes other files to the new folder, before the state to copy is fixed. Must not use the name `index`. */
  beside?: (folder: string) => Promise<void>
  /** Called with the number of bytes copied so far. */
  onProgress?: (copiedBytes: number) => void
  /** Stops the backup and deletes the unfinished folder. */
  signal?: AbortSignal
}

/** The result of {@link Engine.backup}. */
export interface BackupReport {
  /**
   * The instant of the backup, epoch milliseconds. As of this and every earlier instant, the backup gives the same
   * answers as the index.
   */
  instant: number
  captures: number
  urls: number
  /** Number of bytes copied. */
  bytes: number
}

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
