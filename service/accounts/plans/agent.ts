/** A program that registered itself to buy plans. Only the hash of its token is stored. */
export interface Agent {
  id: string
  /** The hash of the token. */
  hash: string
  /** Epoch ms. */
  createdAt: number
  /** The token is invalid from this instant on, epoch ms. */
  expiresAt: number
  /** When the token was revoked, epoch ms. */
  revokedAt?: number
}
