import type { InstantOf } from '@asof/core/internal'
import type { Clock, ClusterDatabase } from './database.ts'

/** A change that is open for longer, milliseconds, was probably left by its writer. As long as it is, "now" is before it. */
const ABANDONED_MS = 1_000

/** Applies the changes that the term index still lacks, whoever wrote them. */
export interface OpenChanges {
  /** Resolves when the term index has all changes. */
  applyOpen: () => Promise<void>
  /** Applies them in the background. */
  applySoon: () => void
}

/** What decides the instants of reads. */
export interface MomentParts {
  database: ClusterDatabase
  writer: OpenChanges
  /** The clock of this server, epoch ms. */
  now: () => number
  /** @throws ASOF_CLOSED */
  expectOpen: () => void
}

/** A request that waits for its instant. */
export interface Requested {
  clock: Clock
  /** The time of the request, epoch ms. */
  requestAt: number
}

/** An instant that a read is answered as of, and the clock then. */
export interface Moment {
  /** Epoch ms. */
  instant: number
  clock: Clock
}

/** The instants that reads of a cluster are answered as of: as the clock goes, or up to a seal at which it stands. */
export class Moments {
  /** The last instant that reads can see, epoch ms. `Infinity` if they are not sealed. */
  readonly sealedAt: number
  readonly #parts: MomentParts
  /** Throws if the seal is after an instant. */
  readonly #expectPast: ((latestAt: number) => number) | undefined
  #isPast = false

  constructor(parts: MomentParts, sealedAt = Number.POSITIVE_INFINITY, expectPast?: (latestAt: number) => number) {
    this.#parts = parts
    this.sealedAt = sealedAt
    this.#expectPast = expectPast
  }

  /**
   * Seals these reads. Whether the instant is in the future shows at the first read, because the clock is in the database.
   *
   * @param instantOf - see `ReadableIndex`.
   */
  sealed(instantOf: (latestAt: number) => number): Moments {
    return new Moments(this.#parts, instantOf(this.sealedAt), instantOf)
  }

  /** Begins a request. @throws ASOF_CLOSED; ASOF_INVALID_TIME - the seal is in the future. */
  async request(): Promise<Requested> {
    this.#parts.expectOpen()
    return this.requestIn(await this.#parts.database.clock())
  }

  /** @param clock - as it was just read. */
  requestIn(clock: Clock): Requested {
    const requestAt = Math.max(this.#parts.now(), clock.lastStampAt)
    if (this.sealedAt === Number.POSITIVE_INFINITY) return { clock, requestAt }
    if (!this.#isPast) this.#expectPast?.(requestAt)
    this.#isPast = true
    return { clock, requestAt: this.sealedAt }
  }

  /**
   * Begins a request with the clock as it was read last, which saves a wait. Whoever does this sees in the end whether it {@link holds}.
   *
   * @returns undefined if it probably does not, or is not known.
   */
  requestBefore(): Requested | undefined {
    this.#parts.expectOpen()
    const { lastClock } = this.#parts.database
    const isSealed = this.sealedAt !== Number.POSITIVE_INFINITY
    return lastClock && (!isSealed || this.#isPast) ? this.requestIn(lastClock) : undefined
  }

  /** The moment that a read is answered as of if nothing needs to be changed for it. @param asked - see {@link moment}. */
  settled(asked: number | undefined, clock: Clock): Moment | undefined {
    const instant = asked ?? this.#latest(clock)
    const isOpen = clock.openRewrites || (clock.openAt !== null && instant >= clock.openAt)
    return isOpen || clock.answeredAt < instant ? undefined : { instant, clock }
  }

  /** True if a moment is the same by the clock as it is now. @param asked - see {@link moment}. */
  async holds({ instant, clock }: Moment, asked: number | undefined): Promise<boolean> {
    const now = await this.#parts.database.clock()
    this.#applyAbandoned(now)
    const isSame = now.rewrites === clock.rewrites && now.termIndex === clock.termIndex
    return isSame && this.settled(asked, now)?.instant === instant
  }

  /** The instant that now means. */
  #latest(clock: Clock): number {
    if (this.sealedAt !== Number.POSITIVE_INFINITY) return this.sealedAt
    // Before the first change, now is the time of this server.
    if (clock.completeAt >= -8e15) return clock.completeAt
    return Math.min(this.#parts.now(), (clock.openAt ?? Number.POSITIVE_INFINITY) - 1)
  }

  /**
   * Returns the instant that a read is answered as of. Later changes are stamped after it, and the term index has all up to it.
   *
   * @param asked - epoch ms; undefined for now, which means the last instant that is complete, or the seal.
   */
  async moment(asked: number | undefined, { clock: now }: Requested): Promise<Moment> {
    const { database, writer } = this.#parts
    let clock = now
    const instant = asked ?? this.#latest(clock)
    if (clock.answeredAt < instant) clock = await database.answering(instant)
    if (clock.openRewrites || (clock.openAt !== null && instant >= clock.openAt)) {
      await writer.applyOpen()
      clock = await database.clock()
    } else this.#applyAbandoned(clock)
    return { instant, clock }
  }

  #applyAbandoned({ openAt }: Clock): void {
    if (openAt !== null && this.#parts.now() - openAt > ABANDONED_MS) this.#parts.writer.applySoon()
  }

  /** The moment that is the latest of several instants. */
  async latestOf(asked: readonly InstantOf[], request: Requested): Promise<Moment> {
    const instants = asked.map(instantOf => instantOf(request.requestAt))
    const known = instants.filter(at => at !== undefined)
    return this.moment(known.length === 0 || known.length < instants.length ? undefined : Math.max(...known), request)
  }
}
