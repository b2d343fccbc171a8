import { type Engine, open } from '../../core/index.ts'
import { queryInstant } from '../../core/internal.ts'
import type { AnsweredRequest } from '../../transports/http/request/request-record.ts'
import { addCustomer, type Customer, type CustomerSettings, usageOf } from '../service/accounts/accounts.ts'
import { type RunningServer, startServer } from '../transports/http/running-server.ts'
import { makeCorpus, observationsOf, randomNumbers, standingAt, type Version } from './corpus.ts'

/** How a request names its instant. */
export type Carrier = 'field' | 'query_time' | 'path' | 'key' | 'sealed key'

/** A result of a native route: the address of a page, and its text as of the instant. */
export interface NativeResult {
  url: string
  text: string
}

const now = Date.UTC(2025, 11, 1)

/** Returns the instant that a text names, epoch ms. */
export function instantOf(text: string): number {
  return queryInstant(text, now)
}

/** A server with the whole corpus, and servers that never received anything after an instant. */
export class World {
  readonly versions: readonly Version[]
  readonly server: RunningServer
  readonly customer: Customer
  /** The requests that the server has answered. */
  readonly records: AnsweredRequest[]
  readonly #twins = new Map<string, Promise<RunningServer>>()
  readonly #sealedKeys = new Map<string, Promise<string>>()

  private constructor(
    versions: readonly Version[],
    server: RunningServer,
    customer: Customer,
    records: AnsweredRequest[],
  ) {
    this.versions = versions
    this.server = server
    this.customer = customer
    this.records = records
  }

  static async open(): Promise<World> {
    const versions = makeCorpus()
    const records: AnsweredRequest[] = []
    const server = await serverOf(versions, record => records.push(record))
    const customer = await addCustomer(server.access, { credits: 1_000_000, rate_limit: 100_000 })
    return new World(versions, server, customer, records)
  }

  async close(): Promise<void> {
    for (const twin of this.#twins.values()) await (await twin).close()
    await this.server.close()
  }

  /** Adds a further customer. */
  addCustomer(settings: CustomerSettings): Promise<Customer> {
    return addCustomer(this.server.access, settings)
  }

  async creditsOf({ org }: Customer): Promise<number> {
    return (await usageOf(this.server.access, org)).credits_charged
  }

  /** Returns the base URL and the key with which a client reads a dialect as of an instant, or as of now without one. */
  async carried(dialect: string, carrier: Carrier, at: string | undefined): Promise<{ base: string; key: string }> {
    const { url } = this.server
    const { key } = this.customer
    const plain = { base: `${url}/${dialect}`, key }
    if (at === undefined) return plain
    if (carrier === 'path') return { base: `${url}/at/${encodeURIComponent(at)}/${dialect}`, key }
    if (carrier === 'key') return { ...plain, key: `${key}@${at}` }
    if (carrier === 'sealed key') return { ...plain, key: await this.#sealedKey(at) }
    return plain
  }

  #sealedKey(at: string): Promise<string> {
    const made = this.#sealedKeys.get(at) ?? this.#makeSealedKey(at)
    this.#sealedKeys.set(at, made)
    return made
  }

  async #makeSealedKey(at: string): Promise<string> {
    const sealed = { workspace: this.customer.workspace, sealed_at: at }
    const { key } = (await this.server.access.administer('key.create', sealed, 'tests')) as { key: string }
    return key
  }

  /** Returns the server that never received anything after an instant. */
  twin(at: string): Promise<RunningServer> {
    const made = this.#twins.get(at) ?? serverOf(this.versions.filter(version => version.at <= instantOf(at)))
    this.#twins.set(at, made)
    return made
  }

  /** Searches by the native route with the key. */
  native(body: object): Promise<NativeResult[]> {
    return nativeSearch(this.server, body, { 'X-API-Key': this.customer.key })
  }

  /** Searches the server that never received anything after an instant, as it is now. */
  async nativeTwin(at: string, body: object): Promise<NativeResult[]> {
    return await nativeSearch(await this.twin(at), body, { 'X-Service-Title': 'tests' })
  }

  /** Returns the text of a page on the server that never received anything after an instant. Undefined if that server does not have the page. */
  async twinText(at: string, page: string): Promise<string | undefined> {
    const { url } = await this.twin(at)
    const headers = { 'X-Service-Title': 'tests' }
    const response = await fetch(`${url}/v1/fetch/public?url=${encodeURIComponent(page)}`, { headers })
    if (response.status === 404) return undefined
    return ((await response.json()) as { content: string }).content
  }

  /** Draws addresses of pages, each once. Repeated draws leave fewer than `count`. */
  drawUrls(count: number, seed: number): string[] {
    const draw = randomNumbers(seed)
    const all = [...new Set(this.versions.map(({ url }) => url))]
    return [...new Set(Array.from({ length: count }, () => all[draw(all.length)]!))]
  }

  /** Returns the versions that stood at an instant. */
  standing(at: string): Version[] {
    return standingAt(this.versions, instantOf(at))
  }
}

async function serverOf(
  versions: readonly Version[],
  onAnswer?: (record: AnsweredRequest) => void,
): Promise<RunningServer> {
  const engine: Engine = await open(':memory:')
  const observations = observationsOf(versions)
  const batch = 200
  for (let i = 0; i < observations.length; i += batch) await engine.add(observations.slice(i, i + batch))
  const server = await startServer({ engine, accounts: true, http: { onAnswer } })
  return {
    ...server,
    close: async () => {
      await server.close()
      await engine.close()
    },
  }
}

async function nativeSearch(
  server: RunningServer,
  body: object,
  headers: Record<string, string>,
): Promise<NativeResult[]> {
  const keyless = headers['X-API-Key'] === undefined
  const response = await fetch(`${server.url}/v1/search${keyless ? '/public' : ''}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ include: ['content'], ...body }),
  })
  const answer = (await response.json()) as { results?: { url: string; content: string }[]; message?: string }
  if (!answer.results) throw new Error(answer.message)
  return answer.results.map(({ url, content }) => ({ url, text: content }))
}

/** True if all cases are played, and not only some of each kind. */
export const isFull = process.env.ASOF_TEST_DIALECTS === 'full'

/** One of so many cases is played in the small run. */
const ONE_OF = 8

/** Returns the cases of a kind that this run plays. */
export function played<Case>(cases: readonly Case[]): Case[] {
  return isFull ? [...cases] : cases.filter((_, i) => i % ONE_OF === 0)
}

/** Returns every pair of an item of one list with an item of another. */
export function pairs<A, B>(as: readonly A[], bs: readonly B[]): [A, B][] {
  return as.flatMap(a => bs.map((b): [A, B] => [a, b]))
}
