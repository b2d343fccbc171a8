import { LRUCache } from 'lru-cache'
import { ServiceError } from '../contract/errors.ts'
import { hashOf, looksLikeSecret, sameHash } from './api-key.ts'
import type { Directory, Organization } from './directory.ts'

/** The organization, workspace and key of a call. */
export interface Caller {
  organization: Organization
  /** The id of the workspace; empty for an access token, which belongs to no workspace. */
  workspace: string
  /** The id of the key, or `token:` and the subject of an access token. */
  key: string
}

/** The result for a known key. */
export interface Identified {
  caller: Caller
  /** Present if the call must be rejected although the key is known. */
  refusal?: ServiceError
}

/** Request headers as Node.js represents them. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

const CACHED_KEYS = 10_000

/** Returns the API key in a request: from `X-API-Key`, else from `Authorization: Bearer` (spec part 5). */
export function presentedKey(headers: Headers): string | undefined {
  const key = headers['x-api-key']
  if (key !== undefined) return typeof key === 'string' ? key.trim() : key.join()
  return bearerToken(headers)
}

/** Returns the token of `Authorization: Bearer`. The scheme is case-insensitive (RFC 9110, 11.1). */
export function bearerToken({ authorization }: Headers): string | undefined {
  return typeof authorization === 'string' ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined
}

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
   * Returns the owner of the key in a request's headers, with a refusal (403) if the key is disabled or its workspace is
   * suspended.
   *
   * @throws ServiceError unauthorized - there is no key, or it is invalid.
   */
  identify(headers: Headers): Identified {
    const presented = presentedKey(headers)
    if (presented === undefined || presented === '') {
      throw new ServiceError('unauthorized', 'Send an API key in X-API-Key or as Authorization: Bearer.')
    }
    const known = looksLikeSecret(presented) ? this.#lookUp(hashOf(presented)) : undefined
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
