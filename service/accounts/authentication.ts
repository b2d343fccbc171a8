import { ServiceError } from '../contract/errors.ts'
import type { AccountStore } from './account-store.ts'
import { hashOf, looksLikeSecret, sameHash } from './api-key.ts'
import { LookupCache } from './lookup-cache.ts'
import type { Organization } from './organization.ts'

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

/**
 * Finds the owner of each key. Owners are cached until {@link forget}, and no longer than the `maxAgeMs` of the store: so
 * long a key may still work that another server has revoked.
 */
export class Authentication {
  readonly #store: AccountStore
  readonly #owners: LookupCache<Identified & { hash: string }>
  readonly #organizations: LookupCache<Organization>

  constructor(store: AccountStore) {
    this.#store = store
    this.#owners = new LookupCache(hash => this.#lookUp(hash), store.maxAgeMs)
    this.#organizations = new LookupCache(id => store.find('organization', id), store.maxAgeMs)
  }

  /** Clears the caches. To be called after each change of an organization, workspace or key. */
  forget(): void {
    this.#owners.forget()
    this.#organizations.forget()
  }

  /**
   * Returns the owner of an API key, with the error `forbidden` if the key is disabled or its workspace suspended.
   *
   * @throws ServiceError unauthorized - the key is invalid.
   */
  async identify(key: string): Promise<Identified> {
    if (looksLikeSecret(key)) {
      const hash = hashOf(key)
      const known = await this.#owners.get(hash)
      if (known && sameHash(known.hash, hash)) return known
    }
    throw new ServiceError('unauthorized', 'The API key is not valid.')
  }

  /**
   * Returns the organization that an access token names.
   *
   * @throws ServiceError unauthorized - it does not exist.
   */
  async organization(id: string): Promise<Organization> {
    const known = await this.#organizations.get(id)
    if (known) return known
    throw new ServiceError('unauthorized', 'The access token names an unknown organization.')
  }

  async #lookUp(hash: string): Promise<(Identified & { hash: string }) | undefined> {
    const key = await this.#store.keyOfHash(hash)
    if (!key || !sameHash(key.hash, hash) || key.revokedAt !== undefined) return undefined
    const workspace = await this.#store.find('workspace', key.workspace)
    const organization = workspace && (await this.#store.find('organization', workspace.organization))
    if (!organization) throw new TypeError(`the key ${key.id} has no organization`)
    const found = { hash, caller: { organization, workspace: workspace.id, key: key.id, sealedAt: key.sealedAt } }
    const reason = key.disabled ? 'The API key is disabled.' : workspace.suspended ? 'The workspace is suspended.' : ''
    return reason === '' ? found : { ...found, refusal: new ServiceError('forbidden', reason) }
  }
}
