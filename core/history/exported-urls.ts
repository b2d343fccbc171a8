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
import type { Store } from '../store/store.ts'

/**
 * A position in the export. All URLs before `url` are exported; of `url`, all observations before the instant `at`, and
 * those at `at` with their aliases up to `alias`.
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

/**
 * Iterates over all URLs that have a history or alias claims, in byte order, each with its claims. Histories and claims
 * are each read once, in order, and only as far as the caller iterates.
 */
export class ExportedUrls implements UrlClaims {
  readonly #records: KeyWalk
  readonly #claims: KeyWalk
  #url: string | undefined
  /** The next claim of the current URL; undefined if there are no more. */
  #claim: ClaimOfUrl | undefined

  /** @param after - the position after which to start. Default: the first URL. */
  constructor(store: Store, after: ExportCursor | undefined) {
    this.#records = new KeyWalk(store, after ? { ...allUrls, gte: urlKey(after.url) } : allUrls)
    // The smallest key after the claim at which the previous part ended.
    const gte = after && Buffer.concat([claimKey(after), Uint8Array.of(0)])
    this.#claims = new KeyWalk(store, gte ? { ...allClaims, gte } : allClaims)
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

  constructor(store: Store, range: KeyRange) {
    this.#entries = store.iterate(range)
  }

  async advance(): Promise<void> {
    const { value } = (await this.#entries.next()) as IteratorResult<[Uint8Array, Uint8Array], undefined>
    this.key = value?.[0]
  }

  async close(): Promise<void> {
    await this.#entries.return(undefined)
  }
}
