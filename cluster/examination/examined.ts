import { isAsofError } from '@asof/core'
import type { Client } from '@opensearch-project/opensearch'
import type { Queries } from '../queries.ts'
import { type ClusterState, stateIn } from '../stored/database.ts'
import type { StoredPages } from '../stored/stored-pages.ts'
import type { TermIndexState } from '../terms/applying.ts'

const SETTLE_MS = 10_000
const POLL_MS = 50
export const REINDEX = 'run asof cluster reindex'

/** A cluster that is examined: its servers, and its state when the examination began. */
export interface Examined {
  sql: Queries
  client: Client
  pages: StoredPages
  name: string
  /** The index that searches read. */
  index: string
  indices: TermIndexState
  state: ClusterState
  add: (problem: string, advice: string) => void
}

/** Waits, at most {@link SETTLE_MS}, until the term index has all current changes, so that a difference is then an error. */
export async function settle({ sql }: Examined): Promise<void> {
  const { changes } = await stateIn(sql)
  const end = performance.now() + SETTLE_MS
  while (performance.now() < end) {
    const [{ isOpen }] = await sql<[{ isOpen: boolean }]>`
      select exists (select from journal where number <= ${changes}) as "isOpen"`
    if (!isOpen) return
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}

/** Returns the result of a read; undefined if a stored value is damaged. */
export async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isAsofError(error, 'ASOF_STORE_CORRUPT')) return undefined
    throw error
  }
}
