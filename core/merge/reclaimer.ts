import { AsofError } from '@asof/extract/errors'
import { type KeyRange, wasteKey } from '../store/keys.ts'
import type { Operation, Store } from '../store/store.ts'

/**
 * Maximum number of ranges to compact. If there are more, ranges of the same kind of keys are joined, including the
 * keys between them.
 */
const MAX_RANGES = 16

/**
 * Reclaims the disk space of deleted and overwritten values by compacting their key ranges. LevelDB itself reclaims
 * such space only when it happens to rewrite the files. The ranges to compact are written in the same batch as the
 * deletions, so that they survive a crash.
 */
export class Reclaimer {
  readonly #store: Store
  /** Ranges to compact. */
  #ranges: KeyRange[] = []
  /**
   * Ranges that are being compacted now. A compaction may miss values deleted meanwhile, so their ranges are in
   * {@link #ranges}.
   */
  #current: KeyRange[] = []
  #bytes = 0
  /** True if deleted values must leave the disk soon, even if they are few. */
  #isUrgent = false
  /**
   * Number of backups and the like that keep an old state of the store. While there are any, a compaction cannot remove
   * the values of that state.
   */
  #holders = 0
  /**
   * Number of calls of {@link hold}. If it changes during a compaction, the compaction may have left values and is
   * repeated.
   */
  #holds = 0
  #running: Promise<void> | undefined
  #stopped = false

  constructor(store: Store) {
    this.#store = store
    this.load()
  }

  /** Loads the ranges to compact from the store, on opening and after a failed write. */
  load(): void {
    const stored = this.#store.get(wasteKey)
    this.#ranges = stored ? decodeRanges(stored) : []
  }

  get isEmpty(): boolean {
    return this.#ranges.length + this.#current.length === 0
  }

  /**
   * Adds ranges to compact. The caller must add the returned operation to a commit, and must begin that commit before
   * awaiting anything else.
   *
   * @param bytes - approximate number of bytes that can be reclaimed.
   */
  note(ranges: readonly KeyRange[], bytes: number): Operation {
    this.#ranges = joinRanges([...this.#ranges, ...ranges])
    this.#bytes += bytes
    return this.#record()
  }

  /** True if a compaction should run: deleted values take at least `leastBytes`, or {@link hasten} was called. */
  isDue(leastBytes: number): boolean {
    return this.#ranges.length > 0 && (this.#isUrgent || this.#bytes >= leastBytes)
  }

  /** Makes the next compaction due, even if it reclaims little. */
  hasten(): void {
    this.#isUrgent = true
  }

  /**
   * Compacts the ranges, unless there is a {@link hold}.
   *
   * @throws ASOF_STORE_READ, ASOF_STORE_WRITE - the ranges are kept.
   */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Resolves when no compaction is running. */
  async settled(): Promise<void> {
    // A failure is reported to the caller of `run`.
    await this.#running?.catch(() => {})
  }

  /** Prevents compaction until the returned function is called. A running compaction is repeated later. */
  hold(): () => void {
    this.#holders++
    this.#holds++
    return () => {
      this.#holders--
    }
  }

  /** Stops after the current range. The other ranges are kept. */
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
