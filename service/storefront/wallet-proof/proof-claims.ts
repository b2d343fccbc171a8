import { Journal } from '../../records/journal.ts'

/** Maximum number of proofs that are remembered at a time. */
export const MAX_CLAIMS = 100_000

const prefix = 'claim/'

/**
 * The proofs that were used and have not expired yet. They are on disk, so that a proof can't be used again after a restart.
 */
export class ProofClaims {
  readonly #journal: Journal
  readonly #now: () => number
  /** When each proof expires, epoch ms, oldest claim first. */
  readonly #expiries: Map<string, number>
  /** No claim expires before this time, epoch ms. */
  #noneBefore = 0

  private constructor(journal: Journal, now: () => number, expiries: Map<string, number>) {
    this.#journal = journal
    this.#now = now
    this.#expiries = expiries
  }

  /**
   * Opens the claims in a folder and creates the folder if it is missing.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  static async open(dir: string, now: () => number): Promise<ProofClaims> {
    const journal = await Journal.open(dir, () => {}, 'the wallet proofs')
    const expiries = new Map<string, number>()
    try {
      for await (const [key, read] of journal.records())
        if (key.startsWith(prefix)) expiries.set(key.slice(prefix.length), read() as number)
    } catch (error) {
      await journal.close()
      throw error
    }
    const claims = new ProofClaims(journal, now, expiries)
    await claims.#forgetExpired()
    return claims
  }

  /**
   * Claims a proof, which is on disk when this resolves.
   *
   * @param expiresAt - from then on the proof is not valid anyway, epoch ms.
   * @returns `used` if it was claimed before, and `full` if too many proofs are remembered.
   * @throws ASOF_STORE_WRITE
   */
  async claim(proof: string, expiresAt: number): Promise<'claimed' | 'used' | 'full'> {
    if (this.#expiries.has(proof)) return 'used'
    if (this.#expiries.size >= MAX_CLAIMS) await this.#forgetExpired()
    if (this.#expiries.has(proof)) return 'used'
    if (this.#expiries.size >= MAX_CLAIMS) return 'full'
    this.#expiries.set(proof, expiresAt)
    this.#noneBefore = Math.min(this.#noneBefore, expiresAt)
    // After a failed write the proof stays used in this process.
    await this.#journal.commit([[prefix + proof, expiresAt]])
    return 'claimed'
  }

  async close(): Promise<void> {
    await this.#journal.close()
  }

  async #forgetExpired(): Promise<void> {
    const now = this.#now()
    if (now < this.#noneBefore) return
    const expired = [...this.#expiries].filter(([, expiresAt]) => expiresAt <= now)
    if (expired.length > 0) await this.#journal.commit(expired.map(([proof]) => [prefix + proof, undefined]))
    for (const [proof] of expired) this.#expiries.delete(proof)
    this.#noneBefore = [...this.#expiries.values()].reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY)
  }
}
