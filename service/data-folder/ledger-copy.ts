import type { JournalSnapshot } from '../records/journal.ts'

/** An open ledger that is stored in a data folder, not in a database. */
export interface OwnLedger {
  /** Returns the subfolder of a data folder with this ledger. */
  dirIn: (dataDir: string) => string
  /** Takes a snapshot. Returns undefined if the ledger has moved to a database meanwhile. */
  snapshot: () => JournalSnapshot | undefined
}

/**
 * Copies ledgers that refer to each other, such as payments, purchases and accounts, to another data folder. All of them are copied as of
 * one point of their common sequence, so that the copy is a state in which a killed process could have left them.
 */
export async function copyLedgers(ledgers: readonly OwnLedger[], target: string): Promise<void> {
  // All snapshots are taken in one turn of the event loop. A step of a sale begins only after a turn in which the step before was seen
  // to be on disk, so that no snapshot has a step whose predecessor another one lacks.
  const snapshots = ledgers.map(ledger => ({ ...ledger, taken: ledger.snapshot() }))
  try {
    for (const { taken, dirIn } of snapshots) await taken?.copyTo(dirIn(target))
  } finally {
    for (const { taken } of snapshots) await taken?.close()
  }
}
