/** A program that registered itself to buy plans. Only the hash of its token is stored. */
export interface Agent {
  id: string
  hash: string
  /** Epoch ms. */
  createdAt: number
  /** The token is invalid from this instant on, epoch ms. */
  expiresAt: number
  revokedAt?: number
}
