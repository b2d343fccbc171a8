import type { InstantOf } from '@asof/core/internal'
import { EARLIEST_AT } from '@asof/extract/timestamp'
import type { ClusterDatabase, ClusterState } from './database.ts'

/**
 * Age, ms, from which an open change was probably left by a writer that died. A change is open until the term index has it; until then, "now"
 * is an instant before it.
 */
const ABANDONED_MS = 1_000

/** Applies the open changes of all writers to the term index. */
export interface OpenChanges {
  /** Resolves when the term index has all changes. */
  applyOpen: () => Promise<void>
  /** Applies open changes in the background. */
  applySoon: () => void
}

/** What {@link Moments} needs. */
export interface MomentParts {
  database: ClusterDatabase
  writer: OpenChanges
  /** The clock of this server, epoch ms. */
  now: () => number
  /** @throws ASOF_CLOSED */
  expectOpen: () => void
}

/** A request whose instant is not decided yet. */
export interface Requested {
  state: ClusterState
  /** The time of the request, epoch ms. */
  requestedAt: number
}

/** The instant as of which a read is answered, with the state of the cluster when the instant was decided. */
export interface Moment {
  /** Epoch ms. */
  instant: number
  state: ClusterState
}

/**
 * Decides as of which instant each read of a cluster is answered. The latest one is now or, for the reads of `sealed(at)`, the seal: the
 * instant after which they see nothing.
 */
export class Moments {
  /** The last instant that reads can see, epoch ms. `Infinity` if they are not sealed. */
  readonly sealedAt: number
  readonly #parts: MomentParts
  /** Throws if the seal is after the given instant, which is the current one, because such a seal is in the future. */
  readonly #expectPast: ((latestAt: number) => number) | undefined
  #isPast = false

  constructor(parts: MomentParts, sealedAt = Number.POSITIVE_INFINITY, expectPast?: (latestAt: number) => number) {
    this.#parts = parts
    this.sealedAt = sealedAt
    this.#expectPast = expectPast
  }

  /**
   * Returns the moments of reads that see nothing after a seal. A seal in the future is rejected at the first read, because only the
   * database knows the latest instant.
   *
   * @param instantOf - returns the instant of the seal. Throws if that is after the argument, the latest instant that reads can see.
   */
  sealed(instantOf: (latestAt: number) => number): Moments {
    return new Moments(this.#parts, instantOf(this.sealedAt), instantOf)
  }

  /** Begins a request. @throws ASOF_CLOSED; ASOF_INVALID_TIME - the seal is in the future. */
  async request(): Promise<Requested> {
    this.#parts.expectOpen()
    return this.requestIn(await this.#parts.database.state())
  }

  /** Begins a request with the given state. @throws ASOF_INVALID_TIME - the seal is in the future. */
  requestIn(state: ClusterState): Requested {
    const requestedAt = Math.max(this.#parts.now(), state.lastStampAt)
    if (this.sealedAt === Number.POSITIVE_INFINITY) return { state, requestedAt }
    if (!this.#isPast) this.#expectPast?.(requestedAt)
    this.#isPast = true
    return { state, requestedAt: this.sealedAt }
  }

  /**
   * Begins a request with the state that was read last, which saves a wait. Its caller checks in the end that the moment {@link holds}.
   *
   * @returns undefined if no state was read, or if the seal was not yet found to be past.
   */
  requestBefore(): Requested | undefined {
    this.#parts.expectOpen()
    const { lastState } = this.#parts.database
    const isSealed = this.sealedAt !== Number.POSITIVE_INFINITY
    return lastState && (!isSealed || this.#isPast) ? this.requestIn(lastState) : undefined
  }

  /** Returns the moment of a read; undefined if changes have to be applied, or the instant recorded, first. @param asOf - see {@link moment}. */
  settled(asOf: number | undefined, state: ClusterState): Moment | undefined {
    const instant = asOf ?? this.#latest(state)
    const isOpen = state.openRewrites || (state.openAt !== null && instant >= state.openAt)
    return isOpen || state.answeredAt < instant ? undefined : { instant, state }
  }

  /** True if the current state gives the read the same instant, and nothing before that instant was rewritten. @param asOf - see {@link moment}. */
  async holds({ instant, state }: Moment, asOf: number | undefined): Promise<boolean> {
    const now = await this.#parts.database.state()
    this.#applyAbandoned(now)
    const isSame = now.rewrites === state.rewrites && now.termIndex === state.termIndex
    return isSame && this.settled(asOf, now)?.instant === instant
  }

  /** Returns the instant that "now" means, epoch ms. */
  #latest(state: ClusterState): number {
    if (this.sealedAt !== Number.POSITIVE_INFINITY) return this.sealedAt
    // If no change was completed yet, now is the time of this server, but before the first open change.
    if (state.completeAt > EARLIEST_AT) return state.completeAt
    return Math.min(this.#parts.now(), (state.openAt ?? Number.POSITIVE_INFINITY) - 1)
  }

  /**
   * Decides the moment of a read. Later changes are stamped after its instant, and the term index has all changes up to it.
   *
   * @param asOf - epoch ms; undefined for now, which is the instant up to which all changes are complete, or the seal.
   */
  async moment(asOf: number | undefined, { state: now }: Requested): Promise<Moment> {
    const { database, writer } = this.#parts
    let state = now
    const instant = asOf ?? this.#latest(state)
    if (state.answeredAt < instant) state = await database.answering(instant)
    if (state.openRewrites || (state.openAt !== null && instant >= state.openAt)) {
      await writer.applyOpen()
      state = await database.state()
    } else this.#applyAbandoned(state)
    return { instant, state }
  }

  #applyAbandoned({ openAt }: ClusterState): void {
    if (openAt !== null && this.#parts.now() - openAt > ABANDONED_MS) this.#parts.writer.applySoon()
  }

  /** Decides the moment of a read of several instants: the latest of them. */
  async latestOf(wanted: readonly InstantOf[], request: Requested): Promise<Moment> {
    const instants = wanted.map(instantOf => instantOf(request.requestedAt))
    const known = instants.filter(at => at !== undefined)
    return this.moment(known.length === 0 || known.length < instants.length ? undefined : Math.max(...known), request)
  }
}
