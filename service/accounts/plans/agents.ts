import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import { ServiceError } from '../../contract/errors.ts'
import type { Journal } from '../../records/journal.ts'
import { accountKeys, newId } from '../account-keys.ts'
import { hashOf, newSecret, sameHash } from '../api-key.ts'
import type { AuditLog } from '../audit-log.ts'
import type { Page } from '../directory.ts'

/** A program that registered itself to buy plans. Only the hash of its token is stored. */
export interface Agent {
  id: string
  hash: string
  /** Epoch ms. */
  createdAt: number
  /** The token is invalid from this instant on, epoch ms. */
  expiresAt: number
  revokedAt?: number
}

const DAY_MS = 86_400_000
const TOKEN_DAYS = 365
const TOKEN_PREFIX = 'agent_'
const tokenForm = /^agent_asof_[A-Za-z0-9_-]{43}$/
const CACHED_AGENTS = 10_000

/** The agents and their tokens. */
export class Agents {
  readonly #journal: Journal
  readonly #audit: AuditLog
  readonly #now: () => number
  readonly #changes = new PQueue({ concurrency: 1 })
  readonly #byHash = new LRUCache<string, Agent>({ max: CACHED_AGENTS })

  constructor(journal: Journal, audit: AuditLog, now: () => number) {
    this.#journal = journal
    this.#audit = audit
    this.#now = now
  }

  /** Drops cached agents after a failed write, so that they are read from disk again. */
  reload(): void {
    this.#byHash.clear()
  }

  /** Registers an agent. Returns its token, which is not stored. The agent is on disk when this resolves. */
  async register(): Promise<{ agent: Agent; token: string }> {
    const token = TOKEN_PREFIX + newSecret()
    const createdAt = this.#now()
    const expiresAt = createdAt + TOKEN_DAYS * DAY_MS
    const agent: Agent = { id: newId('agent', createdAt), hash: hashOf(token), createdAt, expiresAt }
    await this.#journal.commit([
      [accountKeys.agent(agent.id), agent],
      [accountKeys.agentToken(agent.hash), agent.id],
    ])
    return { agent, token }
  }

  /** Returns the agent with a token. Undefined if the token is unknown, expired or revoked. */
  ofToken(token: string): Agent | undefined {
    if (!tokenForm.test(token)) return undefined
    const hash = hashOf(token)
    let agent = this.#byHash.get(hash)
    if (!agent) {
      const id = this.#journal.read(accountKeys.agentToken(hash)) as string | undefined
      if (id === undefined) return undefined
      agent = this.agent(id)
      this.#byHash.set(hash, agent)
    }
    const valid = sameHash(agent.hash, hash) && agent.revokedAt === undefined && this.#now() < agent.expiresAt
    return valid ? agent : undefined
  }

  /** @throws ServiceError not_found */
  agent(id: string): Agent {
    const found = this.#journal.read(accountKeys.agent(id)) as Agent | undefined
    if (!found) throw new ServiceError('not_found', `There is no agent ${id}.`)
    return found
  }

  /** Lists agents, oldest first. */
  async list({ limit, after }: Page): Promise<Agent[]> {
    return (await this.#journal.list(accountKeys.agents(after), { limit })) as Agent[]
  }

  /**
   * Revokes the token of an agent permanently. Does nothing if it is revoked already.
   *
   * @throws ServiceError not_found
   */
  revoke(actor: string, id: string): Promise<Agent> {
    return this.#changes.add(() => this.#revoke(actor, id))
  }

  async #revoke(actor: string, id: string): Promise<Agent> {
    const before = this.agent(id)
    this.#byHash.delete(before.hash)
    if (before.revokedAt !== undefined) return before
    const at = this.#now()
    const agent: Agent = { ...before, revokedAt: at }
    await this.#journal.commit([
      [accountKeys.agent(id), agent],
      [accountKeys.agentToken(agent.hash), undefined],
      this.#audit.write({ at, actor, act: 'agent.revoke', target: id }),
    ])
    this.#byHash.delete(agent.hash)
    return agent
  }
}
