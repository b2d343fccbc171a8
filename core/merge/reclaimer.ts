import { AsofError } from '../errors.ts'
import { type KeyRange, wasteKey } from '../store/keys.ts'
import type { Operation, Store } from '../store/store.ts'

/** Ranges remembered one by one; beyond, what lies between ranges of one kind is compacted with them. */
const MAX_RANGES = 16

/**
 * Gives the disk space back that deleted and overwritten values still take up: LevelDB itself does so only when it
 * happens to rewrite the files they are in. What is to be compacted is noted in the store, in the same write that
 * makes the waste, so that a crash forgets none of it.
 */
export class Reclaimer {
  readonly #store: Store
  /** To be compacted. */
  #ranges: KeyRange[] = []
  /** Being compacted: what is noted meanwhile may come too late for it. */
  #inHand: KeyRange[] = []
  #bytes = 0
  /** Set when something must leave the disk however small it is. */
  #isUrgent = false
  /** Who needs a state of the store that compaction can't go behind, as a backup does. */
  #holders = 0
  /** Grows with every hold: a compaction during one may have kept what it should drop. */
  #holds = 0
  #running: Promise<void> | undefined
  #stopped = false

  constructor(store: Store) {
    this.#store = store
    this.load()
  }

  /** Reads what an earlier process, or this one before a failed write, left to be done. */
  load(): void {
    const stored = this.#store.get(wasteKey)
    this.#ranges = stored ? decodeRanges(stored) : []
  }

  get isEmpty(): boolean {
    return this.#ranges.length + this.#inHand.length === 0
  }

  /**
   * Notes waste. The operation returned makes the note durable: it belongs into a commit that is asked for before
   * anything else is awaited.
   *
   * @param bytes - about how much it is.
   */
  note(ranges: readonly KeyRange[], bytes: number): Operation {
    this.#ranges = compacted([...this.#ranges, ...ranges])
    this.#bytes += bytes
    return this.#record()
  }

  /** Whether what was noted is to be compacted, where less than so many bytes are left alone. */
  isDue(leastBytes: number): boolean {
    return this.#ranges.length > 0 && (this.#isUrgent || this.#bytes >= leastBytes)
  }

  /** Makes everything noted so far due, however little it is. */
  hasten(): void {
    this.#isUrgent = true
  }

  /**
   * Compacts what was noted; nothing while a hold lasts.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_WRITE - it remains noted.
   */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Resolves when no compaction is under way. */
  async settled(): Promise<void> {
    // Who ran it is told of its failure.
    await this.#running?.catch(() => {})
  }

  /** Keeps compaction off until the function returned is called; one that is under way is not relied on. */
  hold(): () => void {
    this.#holders++
    this.#holds++
    return () => {
      this.#holders--
    }
  }

  /** Ends after the range in hand; what is left remains noted. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.settled()
  }

  async #run(): Promise<void> {
    if (this.#stopped || this.#holders > 0 || this.#ranges.length === 0) return
    const bytes = this.#bytes
    const isUrgent = this.#isUrgent
    const holds = this.#holds
    this.#inHand = this.#ranges
    this.#ranges = []
    this.#isUrgent = false
    let isDone = false
    try {
      for (const range of this.#inHand) {
        if (this.#stopped || this.#holds !== holds) return
        await this.#store.compact(range)
      }
      isDone = this.#holds === holds
    } finally {
      if (isDone) this.#bytes = Math.max(0, this.#bytes - bytes)
      else {
        this.#ranges = compacted([...this.#inHand, ...this.#ranges])
        this.#isUrgent ||= isUrgent
      }
      this.#inHand = []
    }
    if (isDone) await this.#store.commit([this.#record()])
  }

  #record(): Operation {
    const ranges = compacted([...this.#inHand, ...this.#ranges])
    return ranges.length === 0
      ? { type: 'del', key: wasteKey }
      : { type: 'put', key: wasteKey, value: encodeRanges(ranges) }
  }
}

/** The same keys in fewer ranges, in order. */
function compacted(ranges: readonly KeyRange[]): KeyRange[] {
  const sorted = [...ranges].sort((a, b) => Buffer.compare(a.gte, b.gte))
  const joined = join(sorted, (last, next) => Buffer.compare(next.gte, last.lt) <= 0)
  return joined.length <= MAX_RANGES ? joined : join(joined, (last, next) => last.gte[0] === next.gte[0])
}

function join(sorted: readonly KeyRange[], belong: (last: KeyRange, next: KeyRange) => boolean): KeyRange[] {
  const joined: KeyRange[] = []
  for (const next of sorted) {
    const last = joined.at(-1)
    if (!last || !belong(last, next)) joined.push(next)
    else if (Buffer.compare(next.lt, last.lt) > 0) joined[joined.length - 1] = { gte: last.gte, lt: next.lt }
  }
  return joined
}

const VERSION = 1

function encodeRanges(ranges: readonly KeyRange[]): Uint8Array {
  const hex = (key: Uint8Array): string => Buffer.from(key).toString('hex')
  return Buffer.from(JSON.stringify({ version: VERSION, ranges: ranges.map(({ gte, lt }) => [hex(gte), hex(lt)]) }))
}

/**
 * @throws ASOF_STORE_CORRUPT, ASOF_STORE_NEWER
 */
function decodeRanges(bytes: Uint8Array): KeyRange[] {
  let record: { version?: unknown; ranges?: unknown }
  try {
    record = JSON.parse(Buffer.from(bytes).toString()) as typeof record
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', 'the note of waste is not JSON', { cause })
  }
  if (typeof record?.version === 'number' && record.version > VERSION)
    throw new AsofError('ASOF_STORE_NEWER', `the note of waste has version ${record.version}: upgrade asof`)
  if (record?.version !== VERSION || !Array.isArray(record.ranges))
    throw new AsofError('ASOF_STORE_CORRUPT', 'the note of waste has no ranges')
  return record.ranges.map((range: unknown) => {
    const [gte, lt] = Array.isArray(range) ? range.map(hex => Buffer.from(String(hex), 'hex')) : []
    if (!gte?.length || !lt?.length) throw new AsofError('ASOF_STORE_CORRUPT', 'the note of waste has an empty range')
    return { gte, lt }
  })
}
