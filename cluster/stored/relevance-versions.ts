import { isDeepStrictEqual } from 'node:util'
import { AsofError, isAsofError, type Relevance } from '@asof/core'
import { MAX_VERSIONS, type RelevanceVersion } from '@asof/core/internal'
import { LRUCache } from 'lru-cache'
import { type ClusterDatabase, type ClusterState, lockedState, nextStamp } from './database.ts'

/** Maximum number of versions in memory. */
const MAX_KEPT = 4

interface Row {
  number: number
  /** Epoch ms. */
  at: number
}

/** The versions of the relevance of a cluster. Versions never change, so a server reads each once. */
export class RelevanceVersions {
  readonly #database: ClusterDatabase
  readonly #kept = new LRUCache<number, RelevanceVersion>({ max: MAX_KEPT })
  /** The instants from which the known versions hold, ascending. */
  #instants: readonly number[] = []

  constructor(database: ClusterDatabase) {
    this.#database = database
  }

  /** Returns the relevance as of an instant; undefined if none was set by then. @param state - the state that was read for the instant. */
  async at(
    instant: number,
    { relevanceVersions }: Pick<ClusterState, 'relevanceVersions'>,
  ): Promise<RelevanceVersion | undefined> {
    if (relevanceVersions === 0) return undefined
    const database = this.#database
    if (this.#instants.length < relevanceVersions) {
      const rows = await database.read(sql => sql<Row[]>`select number, at from relevance order by number`)
      this.#instants = rows.map(({ at }) => at)
    }
    const number = this.#instants.findLastIndex(since => since <= instant) + 1
    const since = this.#instants[number - 1]
    if (since === undefined) return undefined
    const known = this.#kept.get(number)
    if (known) return known
    const [row] = await database.read(
      sql => sql<[{ relevance: string }]>`select relevance from relevance where number = ${number}`,
    )
    const version = { relevance: JSON.parse(row.relevance) as Relevance, since }
    this.#kept.set(number, version)
    return version
  }

  /**
   * Sets the relevance from now on. Does nothing if the current one is equal.
   *
   * @param now - the time of this server, epoch ms.
   * @returns the instant from which it holds, epoch ms.
   * @throws ASOF_INVALID_OPTION - it was set too often.
   * @throws ASOF_STORE_WRITE
   */
  set(relevance: Relevance, now: number): Promise<number> {
    const setting = this.#database.change(async tx => {
      const state = await lockedState(tx)
      const [last] = await tx<[(Row & { relevance: string })?]>`
        select at, relevance from relevance order by number desc limit 1`
      if (last && isDeepStrictEqual(JSON.parse(last.relevance), relevance)) return last.at
      const number = state.relevanceVersions + 1
      if (number > MAX_VERSIONS)
        throw new AsofError('ASOF_INVALID_OPTION', `relevance was already set ${MAX_VERSIONS} times`, {
          details: { field: 'relevance' },
        })
      const at = nextStamp(state, now)
      await tx`insert into relevance ${tx([{ number, at, relevance: JSON.stringify(relevance) }])}`
      await tx`update cluster_state set last_stamp_at = ${at}, relevance_versions = ${number}`
      return at
    })
    return setting.catch((cause: unknown) => {
      throw isAsofError(cause) ? cause : new AsofError('ASOF_STORE_WRITE', 'the relevance was not set', { cause })
    })
  }
}
