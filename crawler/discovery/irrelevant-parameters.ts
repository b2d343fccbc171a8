import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import type { Frontier } from '../frontier/frontier.ts'
import { hostWithPort } from '../frontier/url-host.ts'
import { parameterNames, parameterValue, withoutParameters } from './page-url.ts'

/** What was seen of one parameter of a host. */
interface Votes {
  /** Pairs of URLs that differ in it alone and gave the same text. */
  same: number
  /** Pages (URLs but for the parameter) that gave such pairs. */
  pages: number
  /** Pairs that gave different texts. */
  different: number
  /** The values that gave the text of the URL without the parameter. One over and over may only be what goes without saying. */
  implied?: string[]
}

type HostVotes = Record<string, Votes>

/** The first URL that was seen of those that differ in one parameter alone. */
interface Witness {
  url: string
  textHash: string
  paired?: true
}

// Several pages, each the same under two values: that is what a parameter which changes nothing looks like. On one page
// alone (`?id=` of a record that is not there) it takes more to be sure.
const enough = ({ same, pages, different }: Votes) => different === 0 && ((pages >= 4 && same >= 8) || same >= 30)
/** After so many pairs that differ, a parameter is not looked at any more. */
const settledAt = 2
const namesPerUrl = 8
const namesPerHost = 200
const impliedPerName = 32
const hostsKept = 5000

/**
 * Learns, host by host, which parameters of a query change nothing: sessions, tracks, sort orders that the site ignores.
 * A URL is then known without them. One text that differs acquits a parameter for good.
 */
export class IrrelevantParameters {
  readonly #frontier: Frontier
  readonly #votes = new LRUCache<string, HostVotes>({ max: hostsKept })
  readonly #irrelevant = new LRUCache<string, ReadonlySet<string>>({ max: hostsKept })
  readonly #mutex = new PQueue({ concurrency: 1 })

  constructor(frontier: Frontier) {
    this.#frontier = frontier
  }

  /** A URL without the parameters that have been found to change nothing. */
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

  /** Takes note of the text that a URL gave. */
  observe(url: string, textHash: string): Promise<void> {
    if (!url.includes('?')) return Promise.resolve()
    return this.#mutex.add(() => this.#observe(url, textHash))
  }

  async #observe(url: string, textHash: string): Promise<void> {
    const host = hostWithPort(url)
    const votes = await this.#votesOf(host)
    const open = parameterNames(url).filter(name => {
      const known = votes[name]
      return known ? known.different < settledAt : Object.keys(votes).length < namesPerHost
    })
    const names = open.slice(0, namesPerUrl)
    if (names.length === 0) return
    // The same page with any other value of the parameter, or without it, has the same name here.
    const witnesses = names.map(name => witnessName(host, name, withoutParameters(url, new Set([name]))))
    const before = (await this.#frontier.facts(witnesses)) as (Witness | undefined)[]
    const own = shortHash(url)
    const learnt = new Map<string, unknown>()
    names.forEach((name, i) => {
      const witness = before[i]
      if (!witness || witness.url === own) {
        // Seen again, it says how the page is now, and nothing about the parameter.
        const compared = !witness && this.#comparePlain(url, name, textHash, votes)
        learnt.set(witnesses[i]!, { ...witness, url: own, textHash, ...(compared ? { paired: true } : {}) })
        if (compared) learnt.set(votesName(host), votes)
        return
      }
      const known = votes[name] ?? { same: 0, pages: 0, different: 0 }
      votes[name] = known
      if (witness.textHash === textHash) {
        known.same++
        if (!witness.paired) known.pages++
        learnt.set(witnesses[i]!, { ...witness, paired: true })
      } else known.different++
      learnt.set(votesName(host), votes)
    })
    await this.#frontier.learn(learnt)
    if (learnt.has(votesName(host))) this.#irrelevant.set(host, irrelevantOf(votes))
  }

  /** Compares a page with that of its URL without the parameter, where this run has seen that one. Returns whether it was worth a vote. */
  #comparePlain(url: string, name: string, textHash: string, votes: HostVotes): boolean {
    const plainHash = this.#frontier.textOf(withoutParameters(url, new Set([name])))
    if (plainHash === undefined) return false
    const known = votes[name] ?? { same: 0, pages: 0, different: 0 }
    votes[name] = known
    if (plainHash !== textHash) {
      known.different++
      return true
    }
    const value = shortHash(parameterValue(url, name) ?? '')
    const implied = known.implied ?? []
    if (implied.includes(value) || implied.length >= impliedPerName) return false
    known.implied = [...implied, value]
    known.same++
    known.pages++
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
  return new Set(Object.entries(votes).flatMap(([name, each]) => (enough(each) ? [name] : [])))
}

const votesName = (host: string) => `parameters ${host}`

function witnessName(host: string, name: string, url: string): string {
  return `parameter ${host} ${name.slice(0, 100)} ${shortHash(url)}`
}

function shortHash(url: string): string {
  return hash('sha256', url, 'base64url').slice(0, 16)
}
