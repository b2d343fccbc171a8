import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import type { Frontier } from '../frontier/frontier.ts'
import { hostWithPort } from '../frontier/url-host.ts'
import { parameterNames, parameterValue, withoutParameters } from './page-url.ts'

/** The evidence about one query parameter of a host. */
interface Votes {
  /** Number of pairs of URLs that differ only in the parameter and had the same text. */
  same: number
  /** Number of pages with such pairs. A page is a URL without the parameter. */
  pages: number
  /** Number of pairs of URLs that differ only in the parameter and had different texts. */
  different: number
  /**
   * Hashes of the parameter's values with which a page had the same text as without the parameter. Each value counts once,
   * because it may be the default value (`page=1`).
   */
  implied?: string[]
}

type HostVotes = Record<string, Votes>

/** The first visited URL of those that differ only in one parameter. */
interface Witness {
  /** Hash of the URL. */
  url: string
  textHash: string
  /** Present if another URL had the same text. */
  paired?: true
}

// A parameter is irrelevant if several pages have the same text with different values of it. A single page needs more evidence,
// because it may be an error page, which has the same text for every value of `?id=`.
const isIrrelevant = ({ same, pages, different }: Votes) => different === 0 && ((pages >= 4 && same >= 8) || same >= 30)
/** Number of pairs with different texts after which a parameter is relevant for good and is no longer examined. */
const provenAt = 2
const namesPerUrl = 8
const namesPerHost = 200
const impliedPerName = 32
const hostsKept = 5000

/**
 * Learns for each host which query parameters do not change the text of a page, such as session identifiers, tracking
 * identifiers, and sort orders that the site ignores. The crawler strips these from URLs. A single pair of different texts
 * proves that a parameter is relevant.
 */
export class IrrelevantParameters {
  readonly #frontier: Frontier
  readonly #votes = new LRUCache<string, HostVotes>({ max: hostsKept })
  readonly #irrelevant = new LRUCache<string, ReadonlySet<string>>({ max: hostsKept })
  readonly #mutex = new PQueue({ concurrency: 1 })

  constructor(frontier: Frontier) {
    this.#frontier = frontier
  }

  /** Removes from a URL the parameters that were found irrelevant. */
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

  /** Records the text of a URL, as evidence about the parameters of the URL. */
  observe(url: string, textHash: string): Promise<void> {
    if (!url.includes('?')) return Promise.resolve()
    return this.#mutex.add(() => this.#observe(url, textHash))
  }

  async #observe(url: string, textHash: string): Promise<void> {
    const host = hostWithPort(url)
    const votes = await this.#votesOf(host)
    const open = parameterNames(url).filter(name => {
      const vote = votes[name]
      return vote ? vote.different < provenAt : Object.keys(votes).length < namesPerHost
    })
    const names = open.slice(0, namesPerUrl)
    if (names.length === 0) return
    // URLs that differ only in the value or the presence of the parameter have the same witness.
    const tested = names.map(name => ({ name, key: witnessName(host, name, withoutParameters(url, new Set([name]))) }))
    const before = (await this.#frontier.facts(tested.map(({ key }) => key))) as (Witness | undefined)[]
    const own = shortHash(url)
    const learned = new Map<string, unknown>()
    tested.forEach(({ name, key }, i) => {
      const witness = before[i]
      if (!witness || witness.url === own) {
        // A second visit of the witness updates its text, and is no evidence about the parameter.
        const compared = !witness && this.#comparePlain(url, name, textHash, votes)
        learned.set(key, { ...witness, url: own, textHash, paired: witness?.paired || compared || undefined })
        if (compared) learned.set(votesName(host), votes)
        return
      }
      const vote = votes[name] ?? { same: 0, pages: 0, different: 0 }
      votes[name] = vote
      if (witness.textHash === textHash) {
        vote.same++
        if (!witness.paired) vote.pages++
        learned.set(key, { ...witness, paired: true })
      } else vote.different++
      learned.set(votesName(host), votes)
    })
    await this.#frontier.learn(learned)
    if (learned.has(votesName(host))) this.#irrelevant.set(host, irrelevantOf(votes))
  }

  /**
   * Compares the text of a URL with the text that the URL without the parameter had in this run, if there is one. Returns true if
   * that changed the votes.
   */
  #comparePlain(url: string, name: string, textHash: string, votes: HostVotes): boolean {
    const plainHash = this.#frontier.textOf(withoutParameters(url, new Set([name])))
    if (plainHash === undefined) return false
    const vote = votes[name] ?? { same: 0, pages: 0, different: 0 }
    votes[name] = vote
    if (plainHash !== textHash) {
      vote.different++
      return true
    }
    const value = shortHash(parameterValue(url, name) ?? '')
    const implied = vote.implied ?? []
    if (implied.includes(value) || implied.length >= impliedPerName) return false
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
