import { partitionPoint, upperBound } from '../../bytes/binary-search.ts'

/**
 * The metadata of a capture that a search uses, as valid from an instant on. A revision has a row only if one of these values differs
 * from the value before. A revision of other metadata has none.
 */
export interface RevisionRow {
  /** Epoch ms. */
  at: number
  /** Epoch ms; NaN if unknown. */
  publishedAt: number
  /** True if the caller gave `at`. */
  declared: boolean
  metadata: SearchedMetadata
}

/** The metadata of a version, besides the publish date, that a search uses: `values` for filters on fields in every mode, the rest for `webql`. */
export interface SearchedMetadata {
  author: string
  kind: string
  /** Language as the page declares it; '' if it declares none. */
  lang: string
  /** The language that the capture was analyzed in, ISO 639-1; '' when unknown. */
  language: string
  /** Hash of the description; '' for none. */
  description: string
  /** The fields, as `writeFields` wrote them. */
  values: string
}

/** True if every search treats two states of one capture alike. */
export function isSameToSearch(
  a: Omit<RevisionRow, 'at' | 'declared'>,
  b: Omit<RevisionRow, 'at' | 'declared'>,
): boolean {
  if (!Object.is(a.publishedAt, b.publishedAt)) return false
  const { author, kind, lang, language, description } = a.metadata
  const other = b.metadata
  return (
    author === other.author &&
    kind === other.kind &&
    lang === other.lang &&
    language === other.language &&
    description === other.description &&
    a.metadata.values === other.values
  )
}

/** What happened to one capture: the rows of its revisions, by time, and a declared removal. */
export interface RevisedCapture {
  captureId: number
  /** Epoch ms. This instant and `captureId` locate the capture. */
  acquiredAt: number
  /** Empty if the capture no longer has a revision. */
  rows: readonly RevisionRow[]
  /** The instant of the declared removal that ended it, epoch ms. */
  removedAt?: number
}

/** The revisions of a segment's captures: sparse, in memory, by ordinal and time. Immutable. */
export class Revisions {
  /** Ordinal of each row, ascending. */
  readonly ordinals: Uint32Array
  /** Instant of each row, ascending within an ordinal. */
  readonly at: Float64Array
  readonly publishedAt: Float64Array
  /** True if any row has no publish date. */
  readonly hasUndated: boolean
  readonly #metadata: readonly SearchedMetadata[]
  readonly #metadataOf: Uint32Array
  readonly #declared: Uint8Array
  /** The instants of declared rows, ascending. */
  readonly #declaredAt: Float64Array

  constructor(rowsByOrdinal: ReadonlyMap<number, readonly RevisionRow[]>) {
    const ordered = [...rowsByOrdinal].sort(([a], [b]) => a - b)
    const count = ordered.reduce((sum, [, rows]) => sum + rows.length, 0)
    this.ordinals = new Uint32Array(count)
    this.at = new Float64Array(count)
    this.publishedAt = new Float64Array(count)
    this.#metadataOf = new Uint32Array(count)
    this.#declared = new Uint8Array(count)
    const metadata: SearchedMetadata[] = []
    const numbers = new Map<string, number>()
    let row = 0
    for (const [ordinal, rows] of ordered)
      for (const { at, publishedAt, declared, metadata: own } of rows) {
        const name = JSON.stringify([own.author, own.kind, own.lang, own.language, own.description, own.values])
        let number = numbers.get(name)
        if (number === undefined) {
          number = metadata.push(own) - 1
          numbers.set(name, number)
        }
        this.ordinals[row] = ordinal
        this.at[row] = at
        this.publishedAt[row] = publishedAt
        this.#declared[row] = declared ? 1 : 0
        this.#metadataOf[row++] = number
      }
    this.#metadata = metadata
    this.hasUndated = this.publishedAt.some(Number.isNaN)
    this.#declaredAt = this.at.filter((_, i) => this.#declared[i] === 1).sort()
  }

  /** The row of a capture that is valid at an instant; −1 if it has no revision up to then. */
  rowAt(ordinal: number, instant: number): number {
    const { ordinals, at } = this
    const end = partitionPoint(
      ordinals.length,
      row => ordinals[row]! < ordinal || (ordinals[row] === ordinal && at[row]! <= instant),
    )
    return end > 0 && ordinals[end - 1] === ordinal ? end - 1 : -1
  }

  /** The metadata of a row. */
  metadata(row: number): SearchedMetadata {
    return this.#metadata[this.#metadataOf[row]!]!
  }

  /** The captures that have a revision up to an instant, by ascending ordinal, each with the row that is valid then. */
  *validAt(instant: number): Generator<{ ordinal: number; row: number }> {
    const { ordinals, at } = this
    for (let row = 0; row < ordinals.length; row++) {
      if (at[row]! > instant) continue
      const isLast = row + 1 === ordinals.length || ordinals[row + 1] !== ordinals[row] || at[row + 1]! > instant
      if (isLast) yield { ordinal: ordinals[row]!, row }
    }
  }

  /** The number of declared rows up to an instant. */
  declaredUpTo(instant: number): number {
    return upperBound(this.#declaredAt, this.#declaredAt.length, instant)
  }

  /** The rows of each revised capture, by ordinal. */
  byOrdinal(): Map<number, RevisionRow[]> {
    const all = new Map<number, RevisionRow[]>()
    for (let row = 0; row < this.ordinals.length; row++) {
      const rows = all.get(this.ordinals[row]!) ?? []
      all.set(this.ordinals[row]!, rows)
      rows.push({
        at: this.at[row]!,
        publishedAt: this.publishedAt[row]!,
        declared: this.#declared[row] === 1,
        metadata: this.metadata(row),
      })
    }
    return all
  }

  /** The rows of one capture. */
  rowsOf(ordinal: number): RevisionRow[] {
    const last = this.rowAt(ordinal, Number.POSITIVE_INFINITY)
    const rows: RevisionRow[] = []
    for (let row = last; row >= 0 && this.ordinals[row] === ordinal; row--)
      rows.unshift({
        at: this.at[row]!,
        publishedAt: this.publishedAt[row]!,
        declared: this.#declared[row] === 1,
        metadata: this.metadata(row),
      })
    return rows
  }
}
