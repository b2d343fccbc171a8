import { ServiceError } from '../index.ts'
import { hashOf, newSecret } from './api-key.ts'
import type { AuditLog, AuditRecord } from './audit-log.ts'
import type { Journal, Write } from './journal.ts'
import { newId } from './record-id.ts'
import { storeKeys } from './store-keys.ts'

export interface Organisation {
  id: string
  name: string
  /** Zero data retention: stores no query text, no feedback text, no fetched content. */
  zdr: boolean
  /** Whether its searches get wizards unless they say otherwise. */
  wizards: boolean
  /** Requests per second, all keys together. */
  rateLimit: number
  /** Free credits in each calendar month. */
  allowance: number
  /** Epoch ms. */
  createdAt: number
}

export interface Workspace {
  id: string
  name: string
  organisation: string
  suspended: boolean
  createdAt: number
}

/** A key without its secret, of which only the hash is known. */
export interface Key {
  id: string
  workspace: string
  hash: string
  disabled: boolean
  createdAt: number
  rotatedAt?: number
  revokedAt?: number
}

export interface Page {
  limit: number
  /** The id of the last one already seen. */
  after?: string
}

type Act = Pick<AuditRecord, 'act' | 'target' | 'facts'>

/** Organisations, workspaces and keys: who there is. Every change is on disk, with its audit record, when it resolves. */
export class Directory {
  readonly #journal: Journal
  readonly #audit: AuditLog
  readonly #now: () => number
  readonly #onChange: () => void
  #last: Promise<unknown> = Promise.resolve()

  /** @param onChange - called when a change has reached the disk: whatever was cached may be outdated. */
  constructor(journal: Journal, audit: AuditLog, now: () => number, onChange: () => void) {
    this.#journal = journal
    this.#audit = audit
    this.#now = now
    this.#onChange = onChange
  }

  /** @throws ServiceError not_found */
  organisation(id: string): Organisation {
    return this.#existing('organization', id, storeKeys.organisation(id)) as Organisation
  }

  /** @throws ServiceError not_found */
  workspace(id: string): Workspace {
    return this.#existing('workspace', id, storeKeys.workspace(id)) as Workspace
  }

  /** @throws ServiceError not_found */
  key(id: string): Key {
    return this.#existing('key', id, storeKeys.key(id)) as Key
  }

  /** The key that a secret of this hash belonged to at some time; the caller compares. */
  keyOfHash(hash: string): Key | undefined {
    const id = this.#journal.read(storeKeys.secret(hash)) as string | undefined
    return id === undefined ? undefined : this.key(id)
  }

  async organisations({ limit, after }: Page): Promise<Organisation[]> {
    return (await this.#journal.list(storeKeys.organisations(after), { limit })) as Organisation[]
  }

  async workspaces({ limit, after }: Page, organisation?: string): Promise<Workspace[]> {
    if (organisation === undefined) {
      return (await this.#journal.list(storeKeys.workspaces(after), { limit })) as Workspace[]
    }
    this.organisation(organisation)
    const ids = (await this.#journal.list(storeKeys.workspacesIn(organisation, after), { limit })) as string[]
    return ids.map(id => this.workspace(id))
  }

  async keys({ limit, after }: Page, workspace?: string): Promise<Key[]> {
    if (workspace === undefined) return (await this.#journal.list(storeKeys.keys(after), { limit })) as Key[]
    this.workspace(workspace)
    const ids = (await this.#journal.list(storeKeys.keysIn(workspace, after), { limit })) as string[]
    return ids.map(id => this.key(id))
  }

  createOrganisation(actor: string, settings: Omit<Organisation, 'id' | 'createdAt'>): Promise<Organisation> {
    return this.#exclusively(async () => {
      const createdAt = this.#now()
      const organisation = { id: newId('org', createdAt), ...settings, createdAt }
      const act = { act: 'org.create', target: organisation.id, facts: { ...settings } }
      await this.#commit(actor, act, [[storeKeys.organisation(organisation.id), organisation]])
      return organisation
    })
  }

  /** @throws ServiceError not_found - there is no such organisation. */
  createWorkspace(actor: string, organisation: string, name: string): Promise<Workspace> {
    return this.#exclusively(async () => {
      this.organisation(organisation)
      const createdAt = this.#now()
      const workspace = { id: newId('ws', createdAt), name, organisation, suspended: false, createdAt }
      await this.#commit(actor, { act: 'workspace.create', target: workspace.id, facts: { name, organisation } }, [
        [storeKeys.workspace(workspace.id), workspace],
        [storeKeys.workspaceIn(organisation, workspace.id), workspace.id],
      ])
      return workspace
    })
  }

  /** @throws ServiceError not_found */
  setSuspended(actor: string, id: string, suspended: boolean): Promise<Workspace> {
    return this.#exclusively(async () => {
      const workspace = { ...this.workspace(id), suspended }
      const act = suspended ? 'workspace.suspend' : 'workspace.resume'
      await this.#commit(actor, { act, target: id }, [[storeKeys.workspace(id), workspace]])
      return workspace
    })
  }

  /** @returns the secret too, for this once. @throws ServiceError not_found - there is no such workspace. */
  createKey(actor: string, workspace: string): Promise<{ id: string; key: string }> {
    return this.#exclusively(async () => {
      this.workspace(workspace)
      const secret = newSecret()
      const createdAt = this.#now()
      const key: Key = { id: newId('key', createdAt), workspace, hash: hashOf(secret), disabled: false, createdAt }
      await this.#commit(actor, { act: 'key.create', target: key.id, facts: { workspace } }, [
        [storeKeys.key(key.id), key],
        [storeKeys.keyIn(workspace, key.id), key.id],
        [storeKeys.secret(key.hash), key.id],
      ])
      return { id: key.id, key: secret }
    })
  }

  /** @throws ServiceError not_found | invalid_request - the key is revoked. */
  setDisabled(actor: string, id: string, disabled: boolean): Promise<Key> {
    return this.#exclusively(async () => {
      const key = { ...this.#living(id), disabled }
      await this.#commit(actor, { act: disabled ? 'key.disable' : 'key.enable', target: id }, [
        [storeKeys.key(id), key],
      ])
      return key
    })
  }

  /** Ends a key for good. Again is no error, and no second act. @throws ServiceError not_found */
  revokeKey(actor: string, id: string): Promise<Key> {
    return this.#exclusively(async () => {
      const before = this.key(id)
      if (before.revokedAt !== undefined) return before
      const key = { ...before, revokedAt: this.#now() }
      await this.#commit(actor, { act: 'key.revoke', target: id }, [
        [storeKeys.key(id), key],
        [storeKeys.secret(key.hash), undefined],
      ])
      return key
    })
  }

  /** A new secret for a key; the old one is dead at once. @throws ServiceError not_found | invalid_request */
  rotateKey(actor: string, id: string): Promise<{ id: string; key: string }> {
    return this.#exclusively(async () => {
      const before = this.#living(id)
      const secret = newSecret()
      const key: Key = { ...before, hash: hashOf(secret), rotatedAt: this.#now() }
      await this.#commit(actor, { act: 'key.rotate', target: id }, [
        [storeKeys.key(id), key],
        [storeKeys.secret(before.hash), undefined],
        [storeKeys.secret(key.hash), id],
      ])
      return { id, key: secret }
    })
  }

  #existing(kind: string, id: string, key: string): unknown {
    const record = this.#journal.read(key)
    if (record === undefined) throw new ServiceError('not_found', `There is no ${kind} ${id}.`)
    return record
  }

  #living(id: string): Key {
    const key = this.key(id)
    if (key.revokedAt === undefined) return key
    throw new ServiceError('invalid_request', `The key ${id} was revoked, for good; create a new one.`)
  }

  async #commit(actor: string, act: Act, writes: Write[]): Promise<void> {
    await this.#journal.commit([...writes, this.#audit.write({ at: this.#now(), actor, ...act })])
    this.#onChange()
  }

  /** One change at a time: each reads what the one before has written. */
  #exclusively<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#last.then(change)
    // The failure is its caller's; the next change only waits.
    this.#last = result.catch(() => {})
    return result
  }
}
