import { ServiceError } from '../../contract/errors.ts'
import type { AccountReads, AccountStore, ListSlice } from '../account-store.ts'
import { hashOf, newSecret, sameHash } from '../api-key.ts'
import { LookupCache } from '../lookup-cache.ts'
import { newId } from '../record-id.ts'
import type { Agent } from './agent.ts'

const DAY_MS = 86_400_000
const TOKEN_DAYS = 365
const TOKEN_PREFIX = 'agent_'
const tokenForm = /^agent_asof_[A-Za-z0-9_-]{43}$/

/** @throws ServiceError not_found */
async function existing(accounts: AccountReads, id: string): Promise<Agent> {
  const found = await accounts.find('agent', id)
  if (!found) throw new ServiceError('not_found', `There is no agent ${id}.`)
  return found
}

/**
 * The agents and their tokens. Agents are cached, no longer than the `maxAgeMs` of the store: so long a token may still
 * work that another server has revoked.
 */
export class Agents {
  readonly #store: AccountStore
  readonly #now: () => number
  readonly #byHash: LookupCache<Agent>

  constructor(store: AccountStore, now: () => number) {
    this.#store = store
    this.#now = now
    this.#byHash = new LookupCache(hash => store.agentOfHash(hash), store.maxAgeMs)
  }

  /** Drops cached agents, so that they are read from the store again. */
  forget(): void {
    this.#byHash.forget()
  }

  /** Registers an agent. Returns its token, which is not stored. The agent is on disk when this resolves. */
  register(): Promise<{ agent: Agent; token: string }> {
    const token = TOKEN_PREFIX + newSecret()
    const createdAt = this.#now()
    const expiresAt = createdAt + TOKEN_DAYS * DAY_MS
    const agent: Agent = { id: newId('agent', createdAt), hash: hashOf(token), createdAt, expiresAt }
    return this.#store.change(agent.id, async () => ({ result: { agent, token }, act: { agent } }))
  }

  /** Returns the agent with a token. Undefined if the token is unknown, expired or revoked. */
  async ofToken(token: string): Promise<Agent | undefined> {
    if (!tokenForm.test(token)) return undefined
    const hash = hashOf(token)
    const agent = await this.#byHash.get(hash)
    const valid = agent && sameHash(agent.hash, hash) && agent.revokedAt === undefined && this.#now() < agent.expiresAt
    return valid ? agent : undefined
  }

  /** @throws ServiceError not_found */
  agent(id: string): Promise<Agent> {
    return existing(this.#store, id)
  }

  /** Lists agents, oldest first. */
  list(page: ListSlice): Promise<Agent[]> {
    return this.#store.list('agent', page)
  }

  /**
   * Revokes the token of an agent permanently. Does nothing if it is revoked already.
   *
   * @throws ServiceError not_found
   */
  async revoke(actor: string, id: string): Promise<Agent> {
    const revoked = await this.#store.change(id, async accounts => {
      const before = await existing(accounts, id)
      if (before.revokedAt !== undefined) return { result: before }
      const at = this.#now()
      const agent: Agent = { ...before, revokedAt: at }
      return { result: agent, act: { agent, audit: { at, actor, act: 'agent.revoke', target: id } } }
    })
    this.#byHash.forget()
    return revoked
  }
}
