import type { RecordStore, RecordTable } from '../../service/records/index.ts'

/** Maximum number of used proofs that are stored at a time. */
export const MAX_USED_PROOFS = 100_000
/** How far the clocks of servers may differ, ms: so long a proof is kept after it has expired by the clock of one of them. */
const CLOCKS_DIFFER_MS = 60_000
/** How long a server relies on its count of proofs while others use some too. */
const COUNT_MS = 1_000
/** Maximum number of expired proofs that are deleted at a time. */
const SWEEP = 100

interface UsedProof {
  id: string
  /** Epoch ms. */
  expiresAt: number
}

const proofs: RecordTable<UsedProof, 'expiry'> = {
  name: 'used_proof',
  id: ({ id }) => [id],
  keys: { expiry: ({ expiresAt }) => [expiresAt] },
}

/** `repeated` if the proof was used before, and `full` if too many used proofs are stored. */
export type ProofUse = 'first' | 'repeated' | 'full'

/** The proofs that were used and have not expired yet. They are stored, so that a proof can't be used again after a restart. */
export class UsedProofs {
  readonly #records: RecordStore
  readonly #now: () => number
  /** How long a proof is kept after it has expired by the clock of this process, ms. */
  readonly #keptMs: number
  /** Number of stored proofs, with those that are being stored. What other servers did is known when they are counted again. */
  #stored = 0
  #countAt = Number.NEGATIVE_INFINITY
  /** When the next proof is to be deleted, or all are to be counted again. */
  #sweepAt = Number.NEGATIVE_INFINITY
  #sweeping: Promise<void> | undefined

  private constructor(records: RecordStore, now: () => number) {
    this.#records = records
    this.#now = now
    this.#keptMs = records.isShared ? CLOCKS_DIFFER_MS : 0
  }

  /** Opens the used proofs in some records, which are closed with them. @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT */
  static async open(records: RecordStore, now: () => number): Promise<UsedProofs> {
    await records.define('proofs', [proofs])
    return new UsedProofs(records, now)
  }

  /**
   * Marks a proof as used. The mark is stored when the promise resolves.
   *
   * @param expiresAt - time from which the proof is not valid, epoch ms.
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  async use(id: string, expiresAt: number): Promise<ProofUse> {
    if (this.#now() >= this.#sweepAt) {
      this.#sweeping ??= this.#sweep().finally(() => {
        this.#sweeping = undefined
      })
      await this.#sweeping
    }
    if (this.#stored >= MAX_USED_PROOFS) return (await this.#records.find(proofs, [id])) ? 'repeated' : 'full'
    // Counted before it is stored, so that proofs that are used at once are not too many.
    this.#stored += 1
    this.#sweepAt = Math.min(this.#sweepAt, expiresAt + this.#keptMs)
    let isFirst = false
    try {
      isFirst = await this.#records.change(change => change.add(proofs, { id, expiresAt }))
    } finally {
      if (!isFirst) this.#stored -= 1
    }
    return isFirst ? 'first' : 'repeated'
  }

  close(): Promise<void> {
    return this.#records.close()
  }

  /** Deletes expired proofs. Counts the stored ones the first time, and again if other servers use some too. */
  async #sweep(): Promise<void> {
    const now = this.#now()
    if (now >= this.#countAt) {
      this.#stored = await this.#records.count(proofs)
      this.#countAt = this.#records.isShared ? now + COUNT_MS : Number.POSITIVE_INFINITY
    }
    const isExpired = ({ expiresAt }: UsedProof) => expiresAt + this.#keptMs <= now
    const expired = (await this.#records.list(proofs, { by: 'expiry', limit: SWEEP })).filter(isExpired)
    if (expired.length > 0) {
      this.#stored -= await this.#records.change(async change => {
        // Another server may have deleted one, and taken it again, since they were listed.
        const found = (await change.findAll(proofs, expired.map(proofs.id))).filter(isExpired)
        await change.delete(proofs, ...found.map(proofs.id))
        return found.length
      })
    }
    const [next] = await this.#records.list(proofs, { by: 'expiry', limit: 1 })
    this.#sweepAt = Math.min(next ? next.expiresAt + this.#keptMs : Number.POSITIVE_INFINITY, this.#countAt)
  }
}
