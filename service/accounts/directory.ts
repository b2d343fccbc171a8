import { ServiceError } from '../contract/errors.ts'
import type { AccountReads, AccountRecords, AccountStore, ListSlice, RecordKind } from './account-store.ts'
import { hashOf, newSecret } from './api-key.ts'
import type { Key, Organization, Workspace } from './organization.ts'
import { newId } from './record-id.ts'

/** @throws ServiceError not_found */
async function existing<Kind extends RecordKind>(
  accounts: AccountReads,
  kind: Kind,
  id: string,
): Promise<AccountRecords[Kind]> {
  const record = await accounts.find(kind, id)
  if (record === undefined) throw new ServiceError('not_found', `There is no ${kind} ${id}.`)
  return record
}

/** @throws ServiceError not_found | invalid_request - the key is revoked. */
async function notRevoked(accounts: AccountReads, id: string): Promise<Key> {
  const key = await existing(accounts, 'key', id)
  if (key.revokedAt === undefined) return key
  throw new ServiceError('invalid_request', `The key ${id} was revoked permanently; create a new one.`)
}

/** Organizations, workspaces and keys. A change and its audit record are on disk when its promise resolves. */
export class Directory {
  readonly #store: AccountStore
  readonly #now: () => number
  readonly #onChange: () => void

  /** @param onChange - called after each change, so that caches can be cleared. */
  constructor(store: AccountStore, now: () => number, onChange: () => void) {
    this.#store = store
    this.#now = now
    this.#onChange = onChange
  }

  /** @throws ServiceError not_found */
  organization(id: string): Promise<Organization> {
    return existing(this.#store, 'organization', id)
  }

  organizations(page: ListSlice): Promise<Organization[]> {
    return this.#store.list('organization', page)
  }

  /** @throws ServiceError not_found - the organization does not exist. */
  async workspaces(page: ListSlice, organization?: string): Promise<Workspace[]> {
    if (organization === undefined) return await this.#store.list('workspace', page)
    await this.organization(organization)
    return await this.#store.workspacesOf(organization, page)
  }

  /** @throws ServiceError not_found - the workspace does not exist. */
  async keys(page: ListSlice, workspace?: string): Promise<Key[]> {
    if (workspace === undefined) return await this.#store.list('key', page)
    await existing(this.#store, 'workspace', workspace)
    return await this.#store.keysOf(workspace, page)
  }

  createOrganization(actor: string, settings: Omit<Organization, 'id' | 'createdAt'>): Promise<Organization> {
    const createdAt = this.#now()
    const organization = { id: newId('org', createdAt), ...settings, createdAt }
    return this.#change(organization.id, async () => ({
      result: organization,
      act: { organization, audit: this.#audit(actor, 'org.create', organization.id, { ...settings }) },
    }))
  }

  /**
   * Changes settings of an organization.
   *
   * @param changes - the settings that change, with their new values.
   * @throws ServiceError not_found
   */
  updateOrganization(
    actor: string,
    id: string,
    changes: Partial<Omit<Organization, 'id' | 'createdAt'>>,
  ): Promise<Organization> {
    return this.#change(id, async accounts => {
      const organization = { ...(await existing(accounts, 'organization', id)), ...changes }
      return {
        result: organization,
        act: { organization, audit: this.#audit(actor, 'org.update', id, { ...changes }) },
      }
    })
  }

  /** @throws ServiceError not_found - the organization does not exist. */
  createWorkspace(actor: string, organization: string, name: string): Promise<Workspace> {
    const createdAt = this.#now()
    const workspace = { id: newId('ws', createdAt), name, organization, suspended: false, createdAt }
    return this.#change(workspace.id, async accounts => {
      await existing(accounts, 'organization', organization)
      const audit = this.#audit(actor, 'workspace.create', workspace.id, { name, organization })
      return { result: workspace, act: { workspace, audit } }
    })
  }

  /** @throws ServiceError not_found */
  setSuspended(actor: string, id: string, suspended: boolean): Promise<Workspace> {
    return this.#change(id, async accounts => {
      const workspace = { ...(await existing(accounts, 'workspace', id)), suspended }
      const audit = this.#audit(actor, suspended ? 'workspace.suspend' : 'workspace.resume', id)
      return { result: workspace, act: { workspace, audit } }
    })
  }

  /**
   * Creates a key. Returns its secret, which is not stored.
   *
   * @throws ServiceError not_found - the workspace does not exist.
   */
  createKey(
    actor: string,
    workspace: string,
    given: Pick<Key, 'label' | 'sealedAt'> = {},
  ): Promise<{ id: string; key: string }> {
    const secret = newSecret()
    const createdAt = this.#now()
    const facts: Pick<Key, 'workspace' | 'label' | 'sealedAt'> = { workspace }
    if (given.label !== undefined) facts.label = given.label
    if (given.sealedAt !== undefined) facts.sealedAt = given.sealedAt
    const key: Key = { id: newId('key', createdAt), ...facts, hash: hashOf(secret), disabled: false, createdAt }
    return this.#change(key.id, async accounts => {
      await existing(accounts, 'workspace', workspace)
      return {
        result: { id: key.id, key: secret },
        act: { key, audit: this.#audit(actor, 'key.create', key.id, facts) },
      }
    })
  }

  /** @throws ServiceError not_found | invalid_request - the key is revoked. */
  setDisabled(actor: string, id: string, disabled: boolean): Promise<Key> {
    return this.#change(id, async accounts => {
      const key = { ...(await notRevoked(accounts, id)), disabled }
      return { result: key, act: { key, audit: this.#audit(actor, disabled ? 'key.disable' : 'key.enable', id) } }
    })
  }

  /**
   * Revokes a key permanently. Does nothing if it is revoked already.
   *
   * @throws ServiceError not_found
   */
  revokeKey(actor: string, id: string): Promise<Key> {
    return this.#change(id, async accounts => {
      const before = await existing(accounts, 'key', id)
      if (before.revokedAt !== undefined) return { result: before }
      const key = { ...before, revokedAt: this.#now() }
      return { result: key, act: { key, audit: this.#audit(actor, 'key.revoke', id) } }
    })
  }

  /**
   * Replaces the secret of a key. The old one stops working at once; with a database that other servers share, within the
   * `maxAgeMs` of the store on those.
   *
   * @throws ServiceError not_found | invalid_request - the key is revoked.
   */
  rotateKey(actor: string, id: string): Promise<{ id: string; key: string }> {
    const secret = newSecret()
    return this.#change(id, async accounts => {
      const key: Key = { ...(await notRevoked(accounts, id)), hash: hashOf(secret), rotatedAt: this.#now() }
      return { result: { id, key: secret }, act: { key, audit: this.#audit(actor, 'key.rotate', id) } }
    })
  }

  #audit(actor: string, act: string, target: string, facts?: Record<string, string | number | boolean>) {
    return { at: this.#now(), actor, act, target, facts }
  }

  async #change<T>(about: string, decide: Parameters<AccountStore['change']>[1]): Promise<T> {
    const result = await this.#store.change(about, decide)
    this.#onChange()
    return result as T
  }
}
