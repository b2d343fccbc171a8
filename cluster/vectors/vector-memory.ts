import { setImmediate } from 'node:timers/promises'
import {
  type CaptureVector,
  Comparison,
  decodeVector,
  type QueryMeaning,
  StoredModels,
  type TimeWindow,
  type VectorTable,
  vectorKey,
} from '@asof/core/internal'
import { EARLIEST_AT } from '@asof/extract/timestamp'
import { type ClusterDatabase, type ReadTransaction, stateIn } from '../stored/database.ts'
import { ComparedVectors, type NearCapture } from './compared-vectors.ts'

/** Number of captures that are added or compared, in a few ms, before the event loop runs other work. */
const COMPARED_AT_ONCE = 65_536

/** The time in which a capture is current, epoch ms. */
interface Span {
  acquiredAt: number
  supersededAt: number
}

/** Which captures a search compares with its query. */
export interface ComparedMoment {
  /** Epoch ms. */
  instant: number
  /** `ClusterState.rewrites` as the search read it. */
  rewrites: number
  /** Only captures acquired in this window can be candidates. */
  acquired: TimeWindow
}

/** Captures and vectors that were read from PostgreSQL. */
interface Found {
  rewrites: number
  spans: Map<number, Span>
  vectors: CaptureVector[]
}

/**
 * The vectors of a model in the memory of a server, for the captures that were acquired up to some instant. Vectors never change, but captures
 * are superseded. What is known as of an instant holds until history is declared, purged or embedded, which `ClusterState.rewrites` counts.
 */
export class VectorMemory {
  readonly #database: ClusterDatabase
  /** The identity of the model. */
  readonly #model: string
  readonly #table: VectorTable
  /** The captures with a vector that were acquired up to {@link #until}, by number. */
  #spans = new Map<number, Span>()
  /** The instant up to which captures are known, epoch ms. */
  #until = Number.NEGATIVE_INFINITY
  #rewrites = -1
  #readings: Promise<void> = Promise.resolve()

  /** @param model - its identity. @param table - where the vectors are kept. */
  constructor(database: ClusterDatabase, model: string, table: VectorTable) {
    this.#database = database
    this.#model = model
    this.#table = table
  }

  /** Returns the number of captures up to which a search compares all vectors of an index. @param dimensions - of a vector. */
  capacity(dimensions: number): number {
    return this.#table.capacity(dimensions)
  }

  /** Compares all captures that are current at an instant with a query. Their number must be at most the capacity. */
  async compare(meaning: QueryMeaning, moment: ComparedMoment): Promise<ComparedVectors> {
    const { instant, rewrites, acquired } = moment
    const mine = this.#readings.then(() => this.#readUpTo(moment, this.capacity(meaning.vector.length)))
    this.#readings = mine.catch(() => {})
    await mine
    const cosine = (id: number): number | undefined => this.#table.compared(meaning, id)?.cosine
    const isOvertaken = (): boolean => this.#rewrites !== rewrites
    // Captures that other searches read meanwhile were acquired later. They come after those that are known now.
    const spans = this.#spans
    const { size } = spans
    const comparison = new Comparison(size, id => this.#table.compared(meaning, id), {
      table: this.#table,
      direction: meaning,
    })
    let place = 0
    for (const [id, { acquiredAt, supersededAt }] of spans) {
      if (++place % COMPARED_AT_ONCE === 0) await setImmediate()
      if (place > size || isOvertaken()) break
      if (acquiredAt <= instant && supersededAt > instant) comparison.add(id, place)
    }
    while (!isOvertaken() && !comparison.compare(COMPARED_AT_ONCE)) await setImmediate()
    const { scores, all } = comparison
    const near: NearCapture[] = []
    place = 0
    for (const [id, { acquiredAt }] of spans) {
      if (++place > size) break
      const score = scores[place]!
      if (score > 0 && acquiredAt >= acquired.from && acquiredAt <= acquired.to) near.push({ id, score })
    }
    const capacity = this.capacity(meaning.vector.length)
    return new ComparedVectors({ capacity, cosine, all, near, isOvertaken })
  }

  /** Reads the vectors of all captures up to an instant into memory, unless they are known. */
  async #readUpTo({ instant, rewrites }: ComparedMoment, most: number): Promise<void> {
    if (this.#rewrites === rewrites && instant <= this.#until) return
    await this.#database.reading(async tx => {
      const reading = { tx, database: this.#database }
      const state = await stateIn(tx)
      const { own } = StoredModels.decoded(state.models, this.#model)
      if (state.rewrites === this.#rewrites) {
        const found = await this.#read(reading, own, { after: this.#until, until: instant, most })
        return this.#enter(found, instant)
      }
      const all = { after: EARLIEST_AT - 1, most }
      const until = Math.max(instant, this.#until)
      const found = await this.#read(reading, own, { ...all, until })
      // More than `most` captures may have a vector as of `#until`, which is later than the instant. Then only those up to the instant are kept.
      const isTooMuch = found.spans.size > most
      const kept = isTooMuch ? await this.#read(reading, own, { ...all, until: instant }) : found
      if (kept.spans.size <= most)
        return this.#replace({ ...kept, rewrites: state.rewrites }, isTooMuch ? instant : until)
      // History was declared after the caller had compared the number of captures with `most`. Now there are too many even as of the instant, so
      // nothing is kept.
      this.#replace({ spans: new Map(), vectors: [], rewrites: state.rewrites }, Number.NEGATIVE_INFINITY)
    })
  }

  /** Reads the captures with a vector that were acquired or superseded in a stretch of time, and the vectors that are not in memory. */
  async #read(
    { tx, database }: ReadTransaction,
    own: StoredModels['own'],
    { after, until, most }: { after: number; until: number; most: number },
  ): Promise<Omit<Found, 'rewrites'>> {
    const spans = new Map<number, Span>()
    if (!own) return { spans, vectors: [] }
    const [kind] = vectorKey(0, own.id)
    const prefix = Buffer.of(kind!)
    const model = Buffer.from(vectorKey(0, own.id)).subarray(5)
    const rows = await tx<(Span & { id: number })[]>`
      select id, acquired_at as "acquiredAt", superseded_at as "supersededAt" from capture
      where (acquired_at > ${after} and acquired_at <= ${until} or superseded_at > ${after} and superseded_at <= ${until})
        and exists (select from value where key = ${prefix} || substring(int8send(capture.id) from 5) || ${model})
      limit ${most + 1}`
    for (const { id, acquiredAt, supersededAt } of rows) spans.set(id, { acquiredAt, supersededAt })
    const lacking = spans.size > most ? [] : [...spans.keys()].filter(id => !this.#spans.has(id))
    const values = await database.pages(tx).getMany(lacking.map(id => vectorKey(id, own.id)))
    const vectors = lacking.flatMap((id, i): CaptureVector[] => (values[i] ? [[id, decodeVector(values[i])]] : []))
    return { spans, vectors }
  }

  /** Adds what was read to the memory, which then is complete up to `until`. */
  #enter({ spans, vectors }: Omit<Found, 'rewrites'>, until: number): void {
    for (const [captureId, vector] of vectors) this.#table.set(captureId, vector)
    for (const [captureId, span] of spans) this.#spans.set(captureId, span)
    this.#until = until
  }

  #replace({ rewrites, spans, vectors }: Found, until: number): void {
    for (const captureId of this.#spans.keys()) if (!spans.has(captureId)) this.#table.delete(captureId)
    for (const [captureId, vector] of vectors) this.#table.set(captureId, vector)
    this.#spans = spans
    this.#rewrites = rewrites
    this.#until = until
  }
}
