import { AsofError } from '../errors.ts'
import { type KeyRange, wasteKey } from '../store/keys.ts'
import type { Operation, Store } from '../store/store.ts'

/** Maximum number of separate ranges. With more, ranges of the same kind of keys are joined, with everything between them. */
const MAX_RANGES = 16

/**
 * Reclaims the disk space of deleted and overwritten values by compacting their key ranges. LevelDB itself does so only when
 * it happens to rewrite their files. The ranges to compact are stored in the write that deletes the values, so that they
 * survive a crash.
 */
export class Reclaimer {
  readonly #store: Store
  /** Ranges to compact. */
  #ranges: KeyRange[] = []
  /** Ranges being compacted. Values deleted in the meantime may be missed, so their ranges are kept separately. */
  #current: KeyRange[] = []
  #bytes = 0
  /** True if deleted values must be removed from the disk soon, however few they are. */
  #isUrgent = false
  /** Number of holders, such as backups, that keep an old state of the store. Compaction cannot remove values of that state. */
  #holders = 0
  /** Number of holds so far: a compaction during a hold may not have removed everything. */
  #holds = 0
  #running: Promise<void> | undefined
  #stopped = false

  constructor(store: Store) {
    this.#store = store
    this.load()
  }

  /** Loads the ranges that an earlier process, or this one before a failed write, left to compact. */
  load(): void {
    const stored = this.#store.get(wasteKey)
    this.#ranges = stored ? decodeRanges(stored) : []
  }

  get isEmpty(): boolean {
    return this.#ranges.length + this.#current.length === 0
  }

  /**
   * Adds ranges to compact. The operation returned makes them durable: the caller must add it to a commit that it begins
   * before it awaits anything else.
   *
   * @param bytes - about how many bytes can be reclaimed.
   */
  note(ranges: readonly KeyRange[], bytes: number): Operation {
    this.#ranges = joinRanges([...this.#ranges, ...ranges])
    this.#bytes += bytes
    return this.#record()
  }

  /** True if compaction is due: at least `leastBytes` can be reclaimed, or it is urgent. */
  isDue(leastBytes: number): boolean {
    return this.#ranges.length > 0 && (this.#isUrgent || this.#bytes >= leastBytes)
  }

  /** Makes compaction due however little it reclaims. */
  hasten(): void {
    this.#isUrgent = true
  }

  /**
   * Compacts the ranges. Does nothing during a hold.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_WRITE - the ranges are kept.
   */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Resolves when no compaction is under way. */
  async settled(): Promise<void> {
    // A failure is reported to the caller of `run`.
    await this.#running?.catch(() => {})
  }

  /** Prevents compaction until the function returned is called. A compaction under way is repeated later. */
  hold(): () => void {
    this.#holders++
    this.#holds++
    return () => {
      this.#holders--
    }
  }

  /** Stops after the current range. The others are kept. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.settled()
  }

  async #run(): Promise<void> {
    if (this.#stopped || this.#holders > 0 || this.#ranges.length === 0) return
    const bytes = this.#bytes
    const isUrgent = this.#isUrgent
    const holds = this.#holds
    this.#current = this.#ranges
    this.#ranges = []
    this.#isUrgent = false
    let isDone = false
    try {
      for (const range of this.#current) {
        if (this.#stopped || this.#holds !== holds) return
        await this.#store.compact(range)
      }
      isDone = this.#holds === holds
    } finally {
      if (isDone) this.#bytes = Math.max(0, this.#bytes - bytes)
      else {
        this.#ranges = joinRanges([...this.#current, ...this.#ranges])
        this.#isUrgent ||= isUrgent
      }
      this.#current = []
    }
    if (isDone) await this.#store.commit([this.#record()])
  }

  #record(): Operation {
    const ranges = joinRanges([...this.#current, ...this.#ranges])
    return ranges.length === 0
      ? { type: 'del', key: wasteKey }
      : { type: 'put', key: wasteKey, value: encodeRanges(ranges) }
  }
}

/** Returns ranges that cover the same keys, sorted and joined. */
function joinRanges(ranges: readonly KeyRange[]): KeyRange[] {
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
 * @throws ASOF_STORE_CORRUPT, ASOF_STORE_FORMAT
 */
function decodeRanges(bytes: Uint8Array): KeyRange[] {
  let record: { version?: unknown; ranges?: unknown }
  try {
    record = JSON.parse(Buffer.from(bytes).toString()) as typeof record
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', 'the note of waste is not JSON', { cause })
  }
  if (typeof record?.version === 'number' && record.version > VERSION)
    throw new AsofError('ASOF_STORE_FORMAT', `the note of waste has version ${record.version}: upgrade asof`)
  if (record?.version !== VERSION || !Array.isArray(record.ranges))
    throw new AsofError('ASOF_STORE_CORRUPT', 'the note of waste has no ranges')
  return record.ranges.map((range: unknown) => {
    const [gte, lt] = Array.isArray(range) ? range.map(hex => Buffer.from(String(hex), 'hex')) : []
    if (!gte?.length || !lt?.length) throw new AsofError('ASOF_STORE_CORRUPT', 'the note of waste has an empty range')
    return { gte, lt }
  })
}
