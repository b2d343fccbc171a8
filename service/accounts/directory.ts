import PQueue from 'p-queue'
import { ServiceError } from '../contract/errors.ts'
import type { Journal, Write } from '../records/journal.ts'
import { accountKeys, newId } from './account-keys.ts'
import { hashOf, newSecret } from './api-key.ts'
import type { AuditLog, AuditRecord } from './audit-log.ts'

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

/** Which part of a list to return. */
export interface Page {
  limit: number
  /** The id of the last item of the previous part. */
  after?: string
}

type Act = Pick<AuditRecord, 'act' | 'target' | 'facts'>

/** Organizations, workspaces and keys. A change and its audit record are on disk when its promise resolves. */
export class Directory {
  readonly #journal: Journal
  readonly #audit: AuditLog
  readonly #now: () => number
  readonly #onChange: () => void
  /** Runs one change at a time, because each reads the result of the one before. */
  readonly #changes = new PQueue({ concurrency: 1 })

  /** @param onChange - called after each change, so that caches can be cleared. */
  constructor(journal: Journal, audit: AuditLog, now: () => number, onChange: () => void) {
    this.#journal = journal
    this.#audit = audit
    this.#now = now
    this.#onChange = onChange
  }

  /** @throws ServiceError not_found */
  organization(id: string): Organization {
    return this.#existing('organization', id, accountKeys.organization(id)) as Organization
  }

  /** @throws ServiceError not_found */
  workspace(id: string): Workspace {
    return this.#existing('workspace', id, accountKeys.workspace(id)) as Workspace
  }

  /** @throws ServiceError not_found */
  key(id: string): Key {
    return this.#existing('key', id, accountKeys.key(id)) as Key
  }

  /**
   * Returns the key that is stored for the hash of a secret. The caller must compare the hashes, because the key may
   * have got a new secret.
   */
  keyOfHash(hash: string): Key | undefined {
    const id = this.#journal.read(accountKeys.secret(hash)) as string | undefined
    return id === undefined ? undefined : this.key(id)
  }

  async organizations({ limit, after }: Page): Promise<Organization[]> {
    return (await this.#journal.list(accountKeys.organizations(after), { limit })) as Organization[]
  }

  async workspaces({ limit, after }: Page, organization?: string): Promise<Workspace[]> {
    if (organization === undefined) {
      return (await this.#journal.list(accountKeys.workspaces(after), { limit })) as Workspace[]
    }
    this.organization(organization)
    const ids = (await this.#journal.list(accountKeys.workspacesIn(organization, after), { limit })) as string[]
    return ids.map(id => this.workspace(id))
  }

  async keys({ limit, after }: Page, workspace?: string): Promise<Key[]> {
    if (workspace === undefined) return (await this.#journal.list(accountKeys.keys(after), { limit })) as Key[]
    this.workspace(workspace)
    const ids = (await this.#journal.list(accountKeys.keysIn(workspace, after), { limit })) as string[]
    return ids.map(id => this.key(id))
  }

  createOrganization(actor: string, settings: Omit<Organization, 'id' | 'createdAt'>): Promise<Organization> {
    return this.#changes.add(async () => {
      const createdAt = this.#now()
      const organization = { id: newId('org', createdAt), ...settings, createdAt }
      const act = { act: 'org.create', target: organization.id, facts: { ...settings } }
      await this.#commit(actor, act, [[accountKeys.organization(organization.id), organization]])
      return organization
    })
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
    return this.#changes.add(async () => {
      const organization = { ...this.organization(id), ...changes }
      const act = { act: 'org.update', target: id, facts: { ...changes } }
      await this.#commit(actor, act, [[accountKeys.organization(id), organization]])
      return organization
    })
  }

  /** @throws ServiceError not_found - the organization does not exist. */
  createWorkspace(actor: string, organization: string, name: string): Promise<Workspace> {
    return this.#changes.add(async () => {
      this.organization(organization)
      const createdAt = this.#now()
      const workspace = { id: newId('ws', createdAt), name, organization, suspended: false, createdAt }
      await this.#commit(actor, { act: 'workspace.create', target: workspace.id, facts: { name, organization } }, [
        [accountKeys.workspace(workspace.id), workspace],
        [accountKeys.workspaceIn(organization, workspace.id), workspace.id],
      ])
      return workspace
    })
  }

  /** @throws ServiceError not_found */
  setSuspended(actor: string, id: string, suspended: boolean): Promise<Workspace> {
    return this.#changes.add(async () => {
      const workspace = { ...this.workspace(id), suspended }
      const act = suspended ? 'workspace.suspend' : 'workspace.resume'
      await this.#commit(actor, { act, target: id }, [[accountKeys.workspace(id), workspace]])
      return workspace
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
    return this.#changes.add(async () => {
      this.workspace(workspace)
      const secret = newSecret()
      const createdAt = this.#now()
      const facts = {
        workspace,
        ...(given.label !== undefined && { label: given.label }),
        ...(given.sealedAt !== undefined && { sealedAt: given.sealedAt }),
      }
      const key: Key = { id: newId('key', createdAt), ...facts, hash: hashOf(secret), disabled: false, createdAt }
      await this.#commit(actor, { act: 'key.create', target: key.id, facts }, [
        [accountKeys.key(key.id), key],
        [accountKeys.keyIn(workspace, key.id), key.id],
        [accountKeys.secret(key.hash), key.id],
      ])
      return { id: key.id, key: secret }
    })
  }

  /** @throws ServiceError not_found | invalid_request - the key is revoked. */
  setDisabled(actor: string, id: string, disabled: boolean): Promise<Key> {
    return this.#changes.add(async () => {
      const key = { ...this.#notRevoked(id), disabled }
      await this.#commit(actor, { act: disabled ? 'key.disable' : 'key.enable', target: id }, [
        [accountKeys.key(id), key],
      ])
      return key
    })
  }

  /**
   * Revokes a key permanently. Does nothing if it is revoked already.
   *
   * @throws ServiceError not_found
   */
  revokeKey(actor: string, id: string): Promise<Key> {
    return this.#changes.add(async () => {
      const before = this.key(id)
      if (before.revokedAt !== undefined) return before
      const key = { ...before, revokedAt: this.#now() }
      await this.#commit(actor, { act: 'key.revoke', target: id }, [
        [accountKeys.key(id), key],
        [accountKeys.secret(key.hash), undefined],
      ])
      return key
    })
  }

  /**
   * Replaces the secret of a key. The old one stops working at once.
   *
   * @throws ServiceError not_found | invalid_request - the key is revoked.
   */
  rotateKey(actor: string, id: string): Promise<{ id: string; key: string }> {
    return this.#changes.add(async () => {
      const before = this.#notRevoked(id)
      const secret = newSecret()
      const key: Key = { ...before, hash: hashOf(secret), rotatedAt: this.#now() }
      await this.#commit(actor, { act: 'key.rotate', target: id }, [
        [accountKeys.key(id), key],
        [accountKeys.secret(before.hash), undefined],
        [accountKeys.secret(key.hash), id],
      ])
      return { id, key: secret }
    })
  }

  #existing(kind: string, id: string, key: string): unknown {
    const record = this.#journal.read(key)
    if (record === undefined) throw new ServiceError('not_found', `There is no ${kind} ${id}.`)
    return record
  }

  #notRevoked(id: string): Key {
    const key = this.key(id)
    if (key.revokedAt === undefined) return key
    throw new ServiceError('invalid_request', `The key ${id} was revoked permanently; create a new one.`)
  }

  async #commit(actor: string, act: Act, writes: Write[]): Promise<void> {
    await this.#journal.commit([...writes, this.#audit.write({ at: this.#now(), actor, ...act })])
    this.#onChange()
  }
}
