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

/** A position in the export. Exported already: all URLs before `url`, and of `url` everything up to the instant `at` and the alias `alias`. */
export interface ExportCursor {
  url: string
  /** Epoch ms. */
  at: number
  /** The last exported alias of those claimed at `at`; '' for none. */
  alias: string
}

/** The claims of aliases to the current URL that were not read yet. */
export interface UrlClaims {
  /** The instant of the next claim, epoch ms; undefined after the last claim. */
  readonly claimedAt: number | undefined
  /** Returns the aliases of the next claims, if they are of the instant `at`; at most `most`. */
  takeAliases(at: number, most: number): Promise<string[]>
}

/**
 * Iterates over all URLs that have a history or that aliases claim to lead to, in the order of their bytes, with the claims of each.
 * Histories and claims are each read once, in order, and only as far as the caller iterates.
 */
export class ExportedUrls implements UrlClaims {
  readonly #records: KeyWalk
  readonly #claims: KeyWalk
  #url: string | undefined
  /** The next claim, if it is a claim to the current URL. */
  #claim: ClaimOfUrl | undefined

  /** @param after - the position after which to start. Default: the first URL. */
  constructor(store: Store, after: ExportCursor | undefined) {
    this.#records = new KeyWalk(store, after ? { ...allUrls, gte: urlKey(after.url) } : allUrls)
    // The smallest key after that of the cursor.
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

/** Iterates over the keys of a range. */
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
