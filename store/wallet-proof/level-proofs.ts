import { Journal } from '../../service/records/index.ts'
import { MAX_USED_PROOFS, type ProofUse, type UsedProofs } from './used-proofs.ts'

const prefix = 'proof/'

/** The used proofs in a folder, for one process. */
export class LevelProofs implements UsedProofs {
  readonly #journal: Journal
  readonly #now: () => number
  /** When each proof expires, epoch ms, in the order in which the proofs were used. */
  readonly #expiries: Map<string, number>
  /** No proof expires before this time, epoch ms. */
  #noneBefore = 0

  private constructor(journal: Journal, now: () => number, expiries: Map<string, number>) {
    this.#journal = journal
    this.#now = now
    this.#expiries = expiries
  }

  /**
   * Opens the used proofs in a folder and creates the folder if it is missing.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  static async open(dir: string, now: () => number): Promise<LevelProofs> {
    const journal = await Journal.open(dir, () => {}, 'the wallet proofs')
    const expiries = new Map<string, number>()
    try {
      for await (const [key, read] of journal.records())
        if (key.startsWith(prefix)) expiries.set(key.slice(prefix.length), read() as number)
    } catch (error) {
      await journal.close()
      throw error
    }
    const used = new LevelProofs(journal, now, expiries)
    await used.#deleteExpired()
    return used
  }

  async use(proof: string, expiresAt: number): Promise<ProofUse> {
    if (this.#expiries.has(proof)) return 'repeated'
    if (this.#expiries.size >= MAX_USED_PROOFS) await this.#deleteExpired()
    if (this.#expiries.has(proof)) return 'repeated'
    if (this.#expiries.size >= MAX_USED_PROOFS) return 'full'
    this.#expiries.set(proof, expiresAt)
    this.#noneBefore = Math.min(this.#noneBefore, expiresAt)
    // If the write fails, the proof still counts as used in this process.
    await this.#journal.commit([[prefix + proof, expiresAt]])
    return 'first'
  }

  async close(): Promise<void> {
    await this.#journal.close()
  }

  async #deleteExpired(): Promise<void> {
    const now = this.#now()
    if (now < this.#noneBefore) return
    const expired = [...this.#expiries].filter(([, expiresAt]) => expiresAt <= now)
    if (expired.length > 0) await this.#journal.commit(expired.map(([proof]) => [prefix + proof, undefined]))
    for (const [proof] of expired) this.#expiries.delete(proof)
    this.#noneBefore = [...this.#expiries.values()].reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY)
  }
}
