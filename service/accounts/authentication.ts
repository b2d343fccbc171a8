import { LRUCache } from 'lru-cache'
import { ServiceError } from '../contract/errors.ts'
import { hashOf, looksLikeSecret, sameHash } from './api-key.ts'
import type { Directory, Organization } from './directory.ts'

/** The organization, workspace and key that a call comes from. */
export interface Caller {
  organization: Organization
  /** The id of the workspace; '' for an access token, which has none. */
  workspace: string
  /** The id of the key. For an access token, `token:` and its subject. */
  key: string
  /** The instant at which the index is sealed for the caller, epoch ms. Absent if the caller sees all. */
  sealedAt?: number | undefined
}

/** The owner of a key that exists. */
export interface Identified {
  caller: Caller
  /** The error for the call, if the key must not be used now. */
  refusal?: ServiceError
}

const CACHED_KEYS = 10_000

/** Finds the owner of each key. Owners are cached until {@link forget}. */
export class Authentication {
  readonly #directory: Directory
  readonly #known = new LRUCache<string, Identified & { hash: string }>({ max: CACHED_KEYS })

  constructor(directory: Directory) {
    this.#directory = directory
  }

  /** Clears the cache. To be called after each change of an organization, workspace or key. */
  forget(): void {
    this.#known.clear()
  }

  /**
   * Returns the owner of an API key, with the error `forbidden` if the key is disabled or its workspace suspended.
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
    const found = { hash, caller: { organization, workspace: workspace.id, key: key.id, sealedAt: key.sealedAt } }
    const reason = key.disabled ? 'The API key is disabled.' : workspace.suspended ? 'The workspace is suspended.' : ''
    const known = reason === '' ? found : { ...found, refusal: new ServiceError('forbidden', reason) }
    this.#known.set(hash, known)
    return known
  }
}
