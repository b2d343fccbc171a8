import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import type { Frontier } from '../frontier/frontier.ts'
import { hostWithPort } from '../frontier/url-host.ts'
import { parameterNames, parameterValue, withoutParameters } from './page-url.ts'

/** Evidence for whether one query parameter of a host changes the text of pages. */
interface Votes {
  /** Number of pairs of URLs with the same text that differ only in the parameter. */
  same: number
  /** Number of pages with such pairs. A page is a URL with the parameter removed. */
  pages: number
  /** Number of pairs of URLs with different texts that differ only in the parameter. */
  different: number
  /**
   * Hashes of values with which a page has the same text as without the parameter. Each value counts only once, because
   * it may be the default (`page=1`).
   */
  implied?: string[]
}

type HostVotes = Record<string, Votes>

/** Of the URLs that differ only in one parameter, the one that was visited first. */
interface Witness {
  /** Hash of the whole URL. */
  url: string
  textHash: string
  /** Present if another of these URLs had the same text. */
  paired?: true
}

// A parameter is irrelevant if different values give the same text on several pages. More pairs are needed on a single
// page, which may be an error page with the same text for every `?id=`.
const isIrrelevant = ({ same, pages, different }: Votes) => different === 0 && ((pages >= 4 && same >= 8) || same >= 30)
/** Number of pairs with different texts from which a parameter is no longer examined. */
const PROVEN_AT = 2
const NAMES_PER_URL = 8
const NAMES_PER_HOST = 200
const IMPLIED_PER_NAME = 32
const HOSTS_KEPT = 5000
/** Time for which evidence is cached that other crawlers add to, ms. */
const SHARED_KEPT_MS = 10_000

/**
 * Learns for each host which query parameters do not change the text of a page, such as identifiers of sessions and
 * tracking, and sort orders that the site ignores. The crawler removes them from URLs. One pair with different texts
 * proves that a parameter is relevant.
 */
export class IrrelevantParameters {
  readonly #frontier: Frontier
  readonly #votes: LRUCache<string, HostVotes>
  readonly #irrelevant: LRUCache<string, ReadonlySet<string>>
  readonly #mutex = new PQueue({ concurrency: 1 })

  constructor(frontier: Frontier) {
    this.#frontier = frontier
    const options = { max: HOSTS_KEPT, ttl: frontier.isShared ? SHARED_KEPT_MS : 0 }
    this.#votes = new LRUCache(options)
    this.#irrelevant = new LRUCache(options)
  }

  /** Drops what is cached about a host, because another crawler may have learned about it meanwhile. */
  forget(host: string): void {
    this.#votes.delete(host)
    this.#irrelevant.delete(host)
  }

  /** Removes the parameters from a URL that were found irrelevant. */
  async strip(url: string): Promise<string> {
    if (!url.includes('?')) return url
    const host = hostWithPort(url)
    let irrelevant = this.#irrelevant.get(host)
    if (!irrelevant) {
      irrelevant = irrelevantOf(await this.#votesOf(host))
      this.#irrelevant.set(host, irrelevant)
    }
    return irrelevant.size === 0 ? url : withoutParameters(url, irrelevant)
  }

  /** Learns from the text of a visited URL. */
  observe(url: string, textHash: string): Promise<void> {
    if (!url.includes('?')) return Promise.resolve()
    return this.#mutex.add(() => this.#observe(url, textHash))
  }

  async #observe(url: string, textHash: string): Promise<void> {
    const host = hostWithPort(url)
    const votes = await this.#votesOf(host)
    const open = parameterNames(url).filter(name => {
      const vote = votes[name]
      return vote ? vote.different < PROVEN_AT : Object.keys(votes).length < NAMES_PER_HOST
    })
    const names = open.slice(0, NAMES_PER_URL)
    if (names.length === 0) return
    // URLs that differ only in this parameter share one key.
    const tested = names.map(name => ({ name, key: witnessName(host, name, withoutParameters(url, new Set([name]))) }))
    const before = (await this.#frontier.facts(tested.map(({ key }) => key))) as (Witness | undefined)[]
    const own = shortHash(url)
    const learned = new Map<string, unknown>()
    for (const [i, { name, key }] of tested.entries()) {
      const witness = before[i]
      if (!witness || witness.url === own) {
        // A second visit of the same URL only updates its text. It says nothing about the parameter.
        const compared = !witness && (await this.#comparePlain(url, name, textHash, votes))
        learned.set(key, { ...witness, url: own, textHash, paired: witness?.paired || compared || undefined })
        if (compared) learned.set(votesName(host), votes)
        continue
      }
      const vote = votes[name] ?? { same: 0, pages: 0, different: 0 }
      votes[name] = vote
      if (witness.textHash === textHash) {
        vote.same++
        if (!witness.paired) vote.pages++
        learned.set(key, { ...witness, paired: true })
      } else vote.different++
      learned.set(votesName(host), votes)
    }
    await this.#frontier.learn(learned)
    if (learned.has(votesName(host))) this.#irrelevant.set(host, irrelevantOf(votes))
  }

  /**
   * Compares the text of a URL with the text of the URL without the parameter, if this run visited that. Returns true
   * if this changed `votes`.
   */
  async #comparePlain(url: string, name: string, textHash: string, votes: HostVotes): Promise<boolean> {
    const plainHash = await this.#frontier.textOf(withoutParameters(url, new Set([name])))
    if (plainHash === undefined) return false
    const vote = votes[name] ?? { same: 0, pages: 0, different: 0 }
    votes[name] = vote
    if (plainHash !== textHash) {
      vote.different++
      return true
    }
    const value = shortHash(parameterValue(url, name) ?? '')
    const implied = vote.implied ?? []
    if (implied.includes(value) || implied.length >= IMPLIED_PER_NAME) return false
    vote.implied = [...implied, value]
    vote.same++
    vote.pages++
    return true
  }

  async #votesOf(host: string): Promise<HostVotes> {
    let votes = this.#votes.get(host)
    if (!votes) {
      const [kept] = await this.#frontier.facts([votesName(host)])
      votes = Object.assign(Object.create(null) as HostVotes, kept)
      this.#votes.set(host, votes)
    }
    return votes
  }
}

function irrelevantOf(votes: HostVotes): ReadonlySet<string> {
  return new Set(Object.entries(votes).flatMap(([name, each]) => (isIrrelevant(each) ? [name] : [])))
}

const votesName = (host: string) => `parameters ${host}`

function witnessName(host: string, name: string, url: string): string {
  return `parameter ${host} ${name.slice(0, 100)} ${shortHash(url)}`
}

function shortHash(url: string): string {
  return hash('sha256', url, 'base64url').slice(0, 16)
}
