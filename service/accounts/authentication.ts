import { LRUCache } from 'lru-cache'
import { ServiceError } from '../contract/errors.ts'
import { hashOf, looksLikeSecret, sameHash } from './api-key.ts'
import type { Directory, Organization } from './directory.ts'

/** The organization, workspace and key of a call. */
export interface Caller {
  organization: Organization
  /** The id of the workspace. It is empty for an access token, which belongs to no workspace. */
  workspace: string
  /** The id of the key, or `token:` and the subject of an access token. */
  key: string
}

/** The result of identifying a key that exists. */
export interface Identified {
  caller: Caller
  /** The error to reject the call with, if the key must not be used now. */
  refusal?: ServiceError
}

const CACHED_KEYS = 10_000

/** Identifies callers by their keys. Caches keys in memory until {@link forget} is called. */
export class Authentication {
  readonly #directory: Directory
  readonly #known = new LRUCache<string, Identified & { hash: string }>({ max: CACHED_KEYS })

  constructor(directory: Directory) {
    this.#directory = directory
  }

  /** Clears the cache. Must be called whenever an organization, workspace or key has changed. */
  forget(): void {
    this.#known.clear()
  }

  /**
   * Returns the owner of an API key, with a refusal (`forbidden`) if the key is disabled or its workspace is suspended.
   *
   * @throws ServiceError unauthorized - the key is invalid.
   */
  identify(key: string): Identified {
    const known = looksLikeSecret(key) ? this.#lookUp(hashOf(key)) : undefined
    if (!known) throw new ServiceError('unauthorized', 'The API key is not valid.')
    return known
  }

  #lookUp(hash: string): Identified | undefined {
    const cached = this.#known.get(hash)
    if (cached) return sameHash(cached.hash, hash) ? cached : undefined
    const key = this.#directory.keyOfHash(hash)
    if (!key || !sameHash(key.hash, hash) || key.revokedAt !== undefined) return undefined
    const workspace = this.#directory.workspace(key.workspace)
    const organization = this.#directory.organization(workspace.organization)
    const found = { hash, caller: { organization, workspace: workspace.id, key: key.id } }
    const reason = key.disabled ? 'The API key is disabled.' : workspace.suspended ? 'The workspace is suspended.' : ''
    const known = reason === '' ? found : { ...found, refusal: new ServiceError('forbidden', reason) }
    this.#known.set(hash, known)
    return known
  }
}
