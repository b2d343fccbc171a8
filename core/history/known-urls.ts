import {
  allClaims,
  allUrls,
  type ClaimOfUrl,
  claimKey,
  claimOfKey,
  type KeyRange,
  urlKey,
  urlOfClaim,
  urlOfKey,
} from '../store/keys.ts'
import type { ReadableStore } from '../store/store.ts'

/**
 * A position in the export. Everything before it is exported: all URLs before `url`; the observations of `url` before the
 * instant `at`; and those at `at` with their aliases up to `alias`.
 */
export interface ExportCursor {
  url: string
  /** Epoch ms. */
  at: number
  /** The last exported alias that was declared for the instant `at`; '' if there is none. */
  alias: string
}

/** The alias claims of one URL that were not exported yet. A claim says that an alias led to the URL at an instant. */
export interface UrlClaims {
  /** The instant of the next claim, epoch ms. Undefined after the last claim. */
  readonly claimedAt: number | undefined
  /** Takes the next aliases that were claimed at the instant `at`, at most `most` of them. */
  takeAliases(at: number, most: number): Promise<string[]>
}

/** A store whose ranges can be read. */
export type RangeStore = Pick<ReadableStore, 'iterate'>

/** The keys of the histories and claims of some URLs. */
export interface UrlRanges {
  records: KeyRange
  claims: KeyRange
}

/** Returns the keys of what is exported after a position. Default: from the first URL on. */
export function rangesAfter(after: ExportCursor | undefined): UrlRanges {
  if (!after) return { records: allUrls, claims: allClaims }
  // The smallest key after the claim at which the previous slice ended.
  const gte = Buffer.concat([claimKey(after), Uint8Array.of(0)])
  return { records: { ...allUrls, gte: urlKey(after.url) }, claims: { ...allClaims, gte } }
}

/**
 * Iterates over the URLs that have a history or alias claims, in byte order, each with its claims. Histories and claims
 * are each read once, in order, and only as far as the caller iterates.
 */
export class KnownUrls implements UrlClaims {
  readonly #records: KeyWalk
  readonly #claims: KeyWalk
  #url: string | undefined
  /** The next claim of the current URL; undefined if there are no more. */
  #claim: ClaimOfUrl | undefined

  constructor(store: RangeStore, { records, claims }: UrlRanges) {
    this.#records = new KeyWalk(store, records)
    this.#claims = new KeyWalk(store, claims)
  }

  /** Returns the next URL; undefined after the last. Skips the remaining claims of the previous URL. */
  async next(): Promise<string | undefined> {
    if (this.#url === undefined) await Promise.all([this.#records.advance(), this.#claims.advance()])
    else {
      while (this.#claim) await this.#nextClaim()
      if (this.#records.key && urlOfKey(this.#records.key) === this.#url) await this.#records.advance()
    }
    const [recorded, claimed] = [this.#records.key?.subarray(1), this.#claims.key && urlOfClaim(this.#claims.key)]
    const first = recorded && (!claimed || Buffer.compare(recorded, claimed) <= 0) ? recorded : claimed
    this.#url = first && Buffer.from(first).toString()
    this.#readClaim()
    return this.#url
  }

  /** The stored history of the current URL; undefined if it has only claims. */
  get record(): Uint8Array | undefined {
    const { key, value } = this.#records
    return key && urlOfKey(key) === this.#url ? value : undefined
  }

  /** Number of keys that were read so far. */
  get keysRead(): number {
    return this.#records.read + this.#claims.read
  }

  get claimedAt(): number | undefined {
    return this.#claim?.at
  }

  async takeAliases(at: number, most: number): Promise<string[]> {
    const aliases: string[] = []
    for (; this.#claim?.at === at && aliases.length < most; await this.#nextClaim()) aliases.push(this.#claim.alias)
    return aliases
  }

  async close(): Promise<void> {
    await Promise.all([this.#records.close(), this.#claims.close()])
  }

  async #nextClaim(): Promise<void> {
    await this.#claims.advance()
    this.#readClaim()
  }

  #readClaim(): void {
    const claim = this.#claims.key && claimOfKey(this.#claims.key)
    this.#claim = claim?.url === this.#url ? claim : undefined
  }
}

class KeyWalk {
  readonly #entries: AsyncGenerator<[Uint8Array, Uint8Array]>
  /** The current key. Undefined before the first and after the last. */
  key: Uint8Array | undefined
  value: Uint8Array | undefined
  /** Number of keys that were read. */
  read = 0

  constructor(store: RangeStore, range: KeyRange) {
    this.#entries = store.iterate(range)
  }

  async advance(): Promise<void> {
    const { value: entry } = (await this.#entries.next()) as IteratorResult<[Uint8Array, Uint8Array], undefined>
    this.key = entry?.[0]
    this.value = entry?.[1]
    this.read++
  }

  async close(): Promise<void> {
    await this.#entries.return(undefined)
  }
}
