import type { AsofError } from '@asof/extract/errors'
import type { FieldType } from '@asof/extract/page'
import { FieldTypes, MAX_FIELD_NAMES } from '../fields/field-types.ts'
import { invalidField, otherType, parseFields, typesOfFields } from '../fields/field-values.ts'
import type { ContentObservation, UnresolvedObservation } from '../history/observations.ts'
import type { UrlChange } from '../history/url-change.ts'
import type { Segment } from '../segment/segment.ts'
import type { ContentReader } from './content-reader.ts'
import { type Analyzed, captureOf } from './entry.ts'

type Content = ContentObservation<Analyzed>
type Types = ReadonlyMap<string, FieldType>

const none: Types = new Map()

/** The types of the fields, by name, of the pages that are not in the catalog. Only an index that is partly in memory has such pages. */
export type FieldsElsewhere = ReadonlyMap<string, FieldType>

/**
 * Tracks the type of each field while a commit is prepared. After each entry the types are those of the index as if the
 * commit ended there. Content that another observation of its millisecond replaced does not count.
 */
export class CommitFields {
  readonly #reader: ContentReader
  readonly #elsewhere: FieldsElsewhere
  /** The types in the index before the commit, without the captures in {@link #recounted}. */
  readonly #stored: FieldTypes
  /** Stored captures with an observation that the commit replaces. Their other observations are in {@link #counted}. */
  readonly #recounted = new Set<number>()
  /** Stored captures to recount before a type is asked for the next time. Until then their content is not read. */
  readonly #toRecount = new Map<number, UrlChange<Analyzed>>()
  /**
   * For each field, its type and the number of observations that have it, among those of the commit and of recounted
   * captures.
   */
  readonly #counted = new Map<string, { type: FieldType; observations: number }>()
  /** The fields of stored content that was already read. The key is capture and instant. */
  readonly #read = new Map<string, Types>()
  #storedNames: { recounted: number; names: ReadonlySet<string> } | undefined

  constructor(segments: readonly Segment[], reader: ContentReader, elsewhere: FieldsElsewhere = none) {
    this.#reader = reader
    this.#elsewhere = elsewhere
    this.#stored = new FieldTypes(segments, captureId => this.#recounted.has(captureId))
  }

  /**
   * Checks the fields of an observation and counts them. To be called before the observation is added to `change`.
   *
   * @param change - the change of the observation's URL.
   * @returns an error if the fields do not fit the index. Then the observation must be rejected.
   */
  enter(observation: UnresolvedObservation<Analyzed>, change: UrlChange<Analyzed>): AsofError | undefined {
    const replaced = change.replacedBy(observation)
    const given = observation.kind === 'content' ? observation.given : undefined
    const values = given && captureOf(given).values
    if (given && values) {
      if (replaced?.stored) this.#toRecount.set(replaced.stored.captureId, change)
      this.#recount()
      if (replaced) this.#count(replaced, -1)
      const problem = this.#problemOf(values)
      if (problem) {
        if (replaced) this.#count(replaced, 1)
        return problem
      }
    } else if (replaced) this.#leave(replaced, change)
    if (observation.kind === 'content' && this.#isCounted(observation)) this.#count(observation, 1)
    return undefined
  }

  #leave(replaced: Content, change: UrlChange<Analyzed>): void {
    if (this.#isCounted(replaced)) this.#count(replaced, -1)
    else if (replaced.stored) this.#toRecount.set(replaced.stored.captureId, change)
  }

  #isCounted({ given, stored }: Content): boolean {
    return given !== undefined || (stored !== undefined && this.#recounted.has(stored.captureId))
  }

  #recount(): void {
    for (const [captureId, change] of this.#toRecount) {
      if (this.#recounted.has(captureId)) continue
      this.#recounted.add(captureId)
      for (const content of change.contentOf(captureId)) this.#count(content, 1)
    }
    this.#toRecount.clear()
  }

  #count(content: Content, observations: 1 | -1): void {
    for (const [name, type] of this.#typesOf(content)) {
      const counted = this.#counted.get(name) ?? { type, observations: 0 }
      counted.observations += observations
      if (counted.observations > 0) this.#counted.set(name, counted)
      else this.#counted.delete(name)
    }
  }

  #typesOf(content: Content): Types {
    const { given, stored } = content
    if (given) return typesOfFields(parseFields(captureOf(given).values))
    if (!stored) return none
    const key = `${stored.captureId} ${stored.heldAt}`
    const types =
      this.#read.get(key) ?? typesOfFields(parseFields(this.#reader.searchable(content, '').metadata.values))
    this.#read.set(key, types)
    return types
  }

  #problemOf(values: string): AsofError | undefined {
    const fields = parseFields(values)
    let names: number | undefined
    for (const [name, type] of typesOfFields(fields)) {
      const known = this.#counted.get(name)?.type ?? this.#stored.typeOf(name) ?? this.#elsewhere.get(name)
      if (known === type) continue
      const value = known && fields[name]
      if (known && value !== undefined) return otherType(name, value, known)
      names = (names ?? this.#countNames()) + 1
      if (names > MAX_FIELD_NAMES) return invalidField(name, `is new; an index has at most ${MAX_FIELD_NAMES} fields`)
    }
    return undefined
  }

  #countNames(): number {
    const recounted = this.#recounted.size
    if (this.#storedNames?.recounted !== recounted)
      this.#storedNames = { recounted, names: new Set([...this.#stored.names(), ...this.#elsewhere.keys()]) }
    const { names } = this.#storedNames
    let count = names.size
    for (const name of this.#counted.keys()) if (!names.has(name)) count++
    return count
  }
}
