import type { Journal, Write } from '../records/journal.ts'
import { accountKeys } from './account-keys.ts'

/** The record of one administrative act. Contains no secret. */
export interface AuditRecord {
  sequence: number
  /** Epoch ms. */
  at: number
  /** The author of the act: the user of the command line, or the address that used the admin token. */
  actor: string
  /** The name of the act, such as `key.rotate`. */
  act: string
  /** The id of the organization, workspace or key. */
  target: string
  /** The values that the act set. */
  facts?: Readonly<Record<string, string | number | boolean>>
}

/** The append-only log of administrative acts. A record is committed together with the change that it describes. */
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

  /** Returns the write of a new record. The caller must commit it together with the change. */
  write(record: Omit<AuditRecord, 'sequence'>): Write {
    const sequence = this.#next++
    return [accountKeys.audit(sequence), { sequence, ...record } satisfies AuditRecord]
  }

  /** Lists records, newest first. @param before - lists records before this sequence number. */
  async list(limit: number, before?: number): Promise<AuditRecord[]> {
    return (await this.#journal.list(accountKeys.audits(before), { limit, reverse: true })) as AuditRecord[]
  }
}
