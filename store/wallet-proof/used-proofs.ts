/** Maximum number of used proofs that are stored at a time. */
export const MAX_USED_PROOFS = 100_000

/** `repeated` if the proof was used before, and `full` if too many used proofs are stored. */
export type ProofUse = 'first' | 'repeated' | 'full'

/** The proofs that were used and have not expired yet. They are stored, so that a proof can't be used again after a restart. */
export interface UsedProofs {
  /**
   * Marks a proof as used. The mark is stored when the promise resolves.
   *
   * @param expiresAt - time from which the proof is not valid, epoch ms.
   * @throws ASOF_STORE_WRITE
   */
  use(proof: string, expiresAt: number): Promise<ProofUse>
  close(): Promise<void>
}
