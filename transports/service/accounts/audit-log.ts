import type { Journal, Write } from '../records/journal.ts'
import { accountKeys } from './account-keys.ts'

/** One administrative act. Holds no secret. */
export interface AuditRecord {
  sequence: number
  /** Epoch ms. */
  at: number
  /** Who: the user of the command line, or the address that used the admin token. */
  actor: string
  /** What, such as `key.rotate`. */
  act: string
  /** The id of what was acted upon. */
  target: string
  /** What was set, where an id does not say it. */
  facts?: Readonly<Record<string, string | number | boolean>>
}

/** Append-only: who did what to the accounts, when. A record is committed together with what it tells of. */
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

  write(record: Omit<AuditRecord, 'sequence'>): Write {
    const sequence = this.#next++
    return [accountKeys.audit(sequence), { sequence, ...record } satisfies AuditRecord]
  }

  /** The newest records first. @param before - a sequence number. */
  async list(limit: number, before?: number): Promise<AuditRecord[]> {
    return (await this.#journal.list(accountKeys.audits(before), { limit, reverse: true })) as AuditRecord[]
  }
}
