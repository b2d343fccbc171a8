/** An organization. It has credits, and owns workspaces. */
export interface Organization {
  id: string
  name: string
  /** True for zero data retention: no query text, feedback text or fetched content is stored. */
  zdr: boolean
  /** True if searches without `enable_wizards` have wizards. */
  wizards: boolean
  /** Maximum number of requests per second with all keys together. */
  rateLimit: number
  /** Free credits per calendar month. */
  allowance: number
  /** Epoch ms. */
  createdAt: number
}

/** A part of an organization. It owns keys. */
export interface Workspace {
  id: string
  name: string
  organization: string
  suspended: boolean
  createdAt: number
}

/** An API key. Only the hash of its secret is stored. */
export interface Key {
  id: string
  workspace: string
  /** What the key is for. Absent if nobody said. */
  label?: string
  /** The instant at which the engine is sealed for calls with this key, epoch ms. Absent if they see all. */
  sealedAt?: number
  hash: string
  disabled: boolean
  createdAt: number
  rotatedAt?: number
  revokedAt?: number
}
