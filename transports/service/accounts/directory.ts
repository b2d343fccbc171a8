import PQueue from 'p-queue'
import { ServiceError } from '../index.ts'
import type { Journal, Write } from '../records/journal.ts'
import { accountKeys } from './account-keys.ts'
import { hashOf, newSecret } from './api-key.ts'
import type { AuditLog, AuditRecord } from './audit-log.ts'
import { newId } from './record-id.ts'

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
  /** Runs one change at a time, because each reads what the previous one wrote. */
  readonly #changes = new PQueue({ concurrency: 1 })

  /** @param onChange - called when a change has reached the disk: whatever was cached may be outdated. */
  constructor(journal: Journal, audit: AuditLog, now: () => number, onChange: () => void) {
    this.#journal = journal
    this.#audit = audit
    this.#now = now
    this.#onChange = onChange
  }

  /** @throws ServiceError not_found */
  organisation(id: string): Organisation {
    return this.#existing('organization', id, accountKeys.organisation(id)) as Organisation
  }

  /** @throws ServiceError not_found */
  workspace(id: string): Workspace {
    return this.#existing('workspace', id, accountKeys.workspace(id)) as Workspace
  }

  /** @throws ServiceError not_found */
  key(id: string): Key {
    return this.#existing('key', id, accountKeys.key(id)) as Key
  }

  /** The key that a secret of this hash belonged to at some time; the caller compares. */
  keyOfHash(hash: string): Key | undefined {
    const id = this.#journal.read(accountKeys.secret(hash)) as string | undefined
    return id === undefined ? undefined : this.key(id)
  }

  async organisations({ limit, after }: Page): Promise<Organisation[]> {
    return (await this.#journal.list(accountKeys.organisations(after), { limit })) as Organisation[]
  }

  async workspaces({ limit, after }: Page, organisation?: string): Promise<Workspace[]> {
    if (organisation === undefined) {
      return (await this.#journal.list(accountKeys.workspaces(after), { limit })) as Workspace[]
    }
    this.organisation(organisation)
    const ids = (await this.#journal.list(accountKeys.workspacesIn(organisation, after), { limit })) as string[]
    return ids.map(id => this.workspace(id))
  }

  async keys({ limit, after }: Page, workspace?: string): Promise<Key[]> {
    if (workspace === undefined) return (await this.#journal.list(accountKeys.keys(after), { limit })) as Key[]
    this.workspace(workspace)
    const ids = (await this.#journal.list(accountKeys.keysIn(workspace, after), { limit })) as string[]
    return ids.map(id => this.key(id))
  }

  createOrganisation(actor: string, settings: Omit<Organisation, 'id' | 'createdAt'>): Promise<Organisation> {
    return this.#changes.add(async () => {
      const createdAt = this.#now()
      const organisation = { id: newId('org', createdAt), ...settings, createdAt }
      const act = { act: 'org.create', target: organisation.id, facts: { ...settings } }
      await this.#commit(actor, act, [[accountKeys.organisation(organisation.id), organisation]])
      return organisation
    })
  }

  /** @throws ServiceError not_found - there is no such organisation. */
  createWorkspace(actor: string, organisation: string, name: string): Promise<Workspace> {
    return this.#changes.add(async () => {
      this.organisation(organisation)
      const createdAt = this.#now()
      const workspace = { id: newId('ws', createdAt), name, organisation, suspended: false, createdAt }
      await this.#commit(actor, { act: 'workspace.create', target: workspace.id, facts: { name, organisation } }, [
        [accountKeys.workspace(workspace.id), workspace],
        [accountKeys.workspaceIn(organisation, workspace.id), workspace.id],
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

  /** @returns the secret too, for this once. @throws ServiceError not_found - there is no such workspace. */
  createKey(actor: string, workspace: string): Promise<{ id: string; key: string }> {
    return this.#changes.add(async () => {
      this.workspace(workspace)
      const secret = newSecret()
      const createdAt = this.#now()
      const key: Key = { id: newId('key', createdAt), workspace, hash: hashOf(secret), disabled: false, createdAt }
      await this.#commit(actor, { act: 'key.create', target: key.id, facts: { workspace } }, [
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
      const key = { ...this.#living(id), disabled }
      await this.#commit(actor, { act: disabled ? 'key.disable' : 'key.enable', target: id }, [
        [accountKeys.key(id), key],
      ])
      return key
    })
  }

  /** Ends a key for good. Again is no error, and no second act. @throws ServiceError not_found */
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

  /** A new secret for a key; the old one is dead at once. @throws ServiceError not_found | invalid_request */
  rotateKey(actor: string, id: string): Promise<{ id: string; key: string }> {
    return this.#changes.add(async () => {
      const before = this.#living(id)
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

  #living(id: string): Key {
    const key = this.key(id)
    if (key.revokedAt === undefined) return key
    throw new ServiceError('invalid_request', `The key ${id} was revoked, for good; create a new one.`)
  }

  async #commit(actor: string, act: Act, writes: Write[]): Promise<void> {
    await this.#journal.commit([...writes, this.#audit.write({ at: this.#now(), actor, ...act })])
    this.#onChange()
  }
}
