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

/** A place in the export: everything before `url`, and what is known of `url` up to the instant and the alias, is behind it. */
export interface ExportCursor {
  url: string
  /** Epoch ms. */
  at: number
  /** Of the claims of aliases at the instant, the last one that is behind the place; '' for none. */
  alias: string
}

/** The claims of aliases to the current URL that were not taken yet. */
export interface UrlClaims {
  /** The instant of the next claim, epoch ms; undefined after the last claim. */
  readonly claimedAt: number | undefined
  /** Takes up to `most` claims of the same instant. */
  takeAliases(at: number, most: number): Promise<string[]>
}

/**
 * Walks through all URLs that have a history or that aliases claim to lead to, in the order of their bytes, with the claims of
 * each. Both are read once, in order, and only as far as the walk goes.
 */
export class ExportedUrls implements UrlClaims {
  readonly #records: KeyWalk
  readonly #claims: KeyWalk
  #url: string | undefined
  /** The next claim, if it is one of the current URL. */
  #claim: ClaimOfUrl | undefined

  /** @param after - the place to begin at. Default: the first URL. */
  constructor(store: Store, after: ExportCursor | undefined) {
    this.#records = new KeyWalk(store, after ? { ...allUrls, gte: urlKey(after.url) } : allUrls)
    // The least key behind that of the cursor.
    const gte = after && Buffer.concat([claimKey(after), Uint8Array.of(0)])
    this.#claims = new KeyWalk(store, gte ? { ...allClaims, gte } : allClaims)
  }

  /** The next URL; undefined behind the last. Claims of the URL before that were not taken are left out. */
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

/** The keys of a range, one at a time. */
class KeyWalk {
  readonly #entries: AsyncGenerator<[Uint8Array, Uint8Array]>
  /** Undefined before the first and behind the last. */
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
