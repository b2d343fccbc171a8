import { LRUCache } from 'lru-cache'
import { ServiceError } from '../index.ts'
import { hashOf, looksLikeSecret, sameHash } from './api-key.ts'
import type { Directory, Organisation } from './directory.ts'

/** Whose call it is. */
export interface Caller {
  organisation: Organisation
  /** Its id; empty for an access token, which belongs to no workspace. */
  workspace: string
  /** Id of the key, or `token:` and the subject of an access token. */
  key: string
}

/** A known key: its owner, and why the call is refused all the same, where it is. */
export interface Identified {
  caller: Caller
  refusal?: ServiceError
}

/** Headers as Node gives them. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

const CACHED_KEYS = 10_000

/** The key that a request presents: `X-API-Key`, else `Authorization: Bearer` (spec part 5). */
export function presentedKey(headers: Headers): string | undefined {
  const key = headers['x-api-key']
  if (key !== undefined) return typeof key === 'string' ? key.trim() : key.join()
  return bearerToken(headers)
}

/** The token of `Authorization: Bearer`; the scheme in any case (RFC 9110, 11.1). */
export function bearerToken({ authorization }: Headers): string | undefined {
  return typeof authorization === 'string' ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined
}

/** Tells callers by their keys. What it looked up it keeps in memory, until {@link forget}. */
export class Authentication {
  readonly #directory: Directory
  readonly #known = new LRUCache<string, Identified & { hash: string }>({ max: CACHED_KEYS })

  constructor(directory: Directory) {
    this.#directory = directory
  }

  /** Called whenever organisations, workspaces or keys changed. */
  forget(): void {
    this.#known.clear()
  }

  /**
   * @returns the owner of the key; with a refusal when the key is disabled or its workspace suspended (403).
   * @throws ServiceError unauthorized - no key, or none that is good.
   */
  identify(headers: Headers): Identified {
    const presented = presentedKey(headers)
    if (presented === undefined || presented === '') {
      throw new ServiceError('unauthorized', 'Give an API key in X-API-Key, or as Authorization: Bearer.')
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
    const organisation = this.#directory.organisation(workspace.organisation)
    const found = { hash, caller: { organisation, workspace: workspace.id, key: key.id } }
    const reason = key.disabled ? 'The API key is disabled.' : workspace.suspended ? 'The workspace is suspended.' : ''
    const known = reason === '' ? found : { ...found, refusal: new ServiceError('forbidden', reason) }
    this.#known.set(hash, known)
    return known
  }
}
