/** The record of one administrative act. It contains no secrets. */
export interface AuditRecord {
  /** Number of the record, ascending from 1. */
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
