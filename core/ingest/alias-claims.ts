import { aliasKey, claimKey } from '../store/keys.ts'
import { type AliasClaim, decodeAliasRecord, encodeAliasRecord, withClaims } from '../store/records/alias-record.ts'
import type { Operation, ReadableStore } from '../store/store.ts'

/** Number of alias records that are read at a time. */
const RECORDS_AT_ONCE = 256

/**
 * Collects the aliases that the captures of a commit declare. An alias is another URL that led to the page at an
 * instant.
 */
export class AliasClaims {
  readonly #claims = new Map<string, AliasClaim[]>()

  add(alias: string, claim: AliasClaim): void {
    const claims = this.#claims.get(alias)
    if (claims) claims.push(claim)
    else this.#claims.set(alias, [claim])
  }

  /** Returns the operations that add the collected claims to the stored records of the aliases. */
  async operations(store: ReadableStore): Promise<Operation[]> {
    const operations: Operation[] = []
    const aliases = [...this.#claims]
    for (let from = 0; from < aliases.length; from += RECORDS_AT_ONCE) {
      const some = aliases.slice(from, from + RECORDS_AT_ONCE)
      const stored = await store.getMany(some.map(([alias]) => aliasKey(alias)))
      some.forEach(([alias, claims], i) => {
        const bytes = stored[i]
        const record = withClaims(bytes ? decodeAliasRecord(bytes) : [], claims)
        operations.push({ type: 'put', key: aliasKey(alias), value: encodeAliasRecord(record) })
        for (const { at, url } of claims)
          operations.push({ type: 'put', key: claimKey({ url, at, alias }), value: new Uint8Array(0) })
      })
    }
    return operations
  }
}
