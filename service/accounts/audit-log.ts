import type { Journal, Write } from '../records/journal.ts'
import { accountKeys } from './account-keys.ts'

/** The record of one administrative act. It contains no secrets. */
export interface AuditRecord {
  sequence: number
  /** Epoch ms. */
  at: number
  /** Who acted: the user of the command line, or the address that used the admin token. */
  actor: string
  /** The name of the act, such as `key.rotate`. */
  act: string
  /** What was changed: the id of an organization, workspace or key, pages that were deleted, the name of a crawl, the index. */
  target: string
  /** The values that the act set. */
  facts?: Readonly<Record<string, string | number | boolean>>
}

/**
 * The log of administrative acts, to which records are only appended. A record is committed together with its change.
 */
export class AuditLog {
  readonly #journal: Journal
  #next: number

  private constructor(journal: Journal, next: number) {
    this.#journal = journal
    this.#next = next
  }

  static async open(journal: Journal): Promise<AuditLog> {
    const [last] = (await journal.list(accountKeys.audits(), { limit: 1, reverse: true })) as AuditRecord[]
    return new AuditLog(journal, (last?.sequence ?? 0) + 1)
  }

  /** Returns the write of a new record, which the caller must commit together with the change. */
  write(record: Omit<AuditRecord, 'sequence'>): Write {
    const sequence = this.#next++
    return [accountKeys.audit(sequence), { sequence, ...record } satisfies AuditRecord]
  }

  /**
   * Lists records, newest first.
   *
   * @param before - lists only records with a lower sequence number.
   */
  async list(limit: number, before?: number): Promise<AuditRecord[]> {
    return (await this.#journal.list(accountKeys.audits(before), { limit, reverse: true })) as AuditRecord[]
  }
}
