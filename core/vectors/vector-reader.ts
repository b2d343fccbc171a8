import { vectorKey } from '../store/keys.ts'
import { decodeVector } from '../store/records/vector-records.ts'
import type { StoredValues } from '../store/store-reader.ts'
import { Comparison } from './comparison.ts'
import { nearestRows } from './nearest-rows.ts'
import { inverseLength, product } from './quantized.ts'
import type { SegmentCaptures } from './row-runs.ts'
import type { Direction } from './row-scan.ts'
import { levelOf } from './sample.ts'
import type { Similarities } from './similarities.ts'
import type { LeveledCosine, VectorTable } from './vector-table.ts'

/** Compares captures with a query by the vectors of an embedding model. */
export interface SimilarityReader {
  /** Maximum number of captures in an index for which a search compares the query with all of them. */
  capacity: number
  /** The cosine similarity of a capture and the query; `undefined` if the capture has no vector. */
  cosine(captureId: number): number | undefined
  /** Begins a comparison of many captures. @param places - see `Comparison`. */
  comparison(places: number): Comparison
  /**
   * Offers the nearest captures without comparing the query with all of them, where that is faster. Returns undefined where it is not: then all
   * must be compared, and some captures may have been offered. Missing if the reader always compares all.
   */
  nearest?(segments: readonly SegmentCaptures[], search: NearestSearch): Similarities | undefined
}

/** A search for the captures that are nearest to a query. */
export interface NearestSearch {
  /** See `Similarities.least`. */
  minDeviations: number
  /**
   * Gets the segment, the ordinal and the score of each capture that may be among the nearest. Returns the least score that further captures
   * must have.
   */
  offer(segment: number, ordinal: number, score: number): number
  /** Called every few milliseconds. May throw. */
  check(): void
}

/** The vector of a query and its model. It is plain data, so that it can be sent to a search thread. */
export interface QueryMeaning extends Direction {
  /** The identity of the model: its name, and its languages if they are limited. */
  model: string
  /**
   * The languages of the model, ISO 639-1. Undefined: every language. If the search finds that the query is in another
   * language, it does not use the vector.
   */
  languages?: readonly string[]
  /** The number of the model in the keys of its vectors. */
  modelId: number
  /** Number of the model's vectors that were written later than their capture, when the search began. */
  late: number
}

/** Compares the vectors of captures with the vector of a query. */
export class VectorReader {
  readonly #meaning: QueryMeaning
  readonly #table: VectorTable
  readonly #store: Pick<StoredValues, 'get'>
  /** Maximum number of captures in an index for which a search compares the query with all of them. */
  readonly capacity: number

  constructor(meaning: QueryMeaning, table: VectorTable, store: Pick<StoredValues, 'get'>) {
    this.#meaning = meaning
    this.#table = table
    this.#store = store
    this.capacity = table.capacity(meaning.vector.length)
  }

  /** Returns the cosine of the query and a capture; undefined if the capture has no vector of the model. */
  cosine(captureId: number): number | undefined {
    return this.#compared(captureId)?.cosine
  }

  comparison(places: number): Comparison {
    const compared = { table: this.#table, direction: this.#meaning }
    return new Comparison(places, captureId => this.#compared(captureId), compared)
  }

  nearest(segments: readonly SegmentCaptures[], { offer, ...search }: NearestSearch): Similarities | undefined {
    const table = this.#table
    const { vector } = this.#meaning
    const { kernel } = table
    const { minRows } = table.memory
    if (!kernel || table.rowCount(vector.length) < minRows || !table.layout.isDivided) return undefined
    if (!table.trials.isDue()) return undefined
    const runs = segments.map(({ captureIds }) => table.runsOf(captureIds))
    // A capture without a row may have a vector in the store.
    if (table.isFull(vector.length) && !runs.every(({ isComplete }) => isComplete)) return undefined
    let isFilled = false
    const all = nearestRows(kernel, table.layout, {
      ...search,
      direction: this.#meaning,
      minRows,
      // Read after the runs, so all their rows count.
      rows: table.rowCount(vector.length),
      mark: bits => segments.reduce((sum, captures, i) => sum + runs[i]!.mark(captures, bits), 0),
      offer: (row, score) => {
        for (const [i, one] of runs.entries()) {
          const ordinal = one.ordinalAt(row)
          if (ordinal < 0) continue
          const least = offer(i, ordinal, score)
          isFilled ||= least > 1
          return least
        }
        throw new RangeError('a marked row has no capture')
      },
    })
    // If too few captures pass the filter, the bounds cannot exclude any. That says nothing about the vectors.
    if (all || isFilled) table.trials.add(all !== undefined)
    return all
  }

  #compared(captureId: number): LeveledCosine | undefined {
    return this.#table.compared(this.#meaning, captureId) ?? this.#stored(captureId)
  }

  /** Compares the query with a capture's vector in the store. Skips the store while the table has every vector. */
  #stored(captureId: number): LeveledCosine | undefined {
    const { vector, modelId } = this.#meaning
    const bytes = this.#table.isFull(vector.length) ? this.#store.get(vectorKey(captureId, modelId)) : undefined
    const cosine = bytes && storedCosine(this.#meaning, bytes)
    return bytes && cosine !== undefined ? { cosine, level: levelOf(decodeVector(bytes)) } : undefined
  }
}

/** Returns the cosine of a query and a stored vector; undefined if their numbers of dimensions differ. */
export function storedCosine({ vector, inverse }: QueryMeaning, bytes: Uint8Array): number | undefined {
  const stored = decodeVector(bytes)
  return stored.length === vector.length ? product(vector, stored, 0) * inverse * inverseLength(stored) : undefined
}
