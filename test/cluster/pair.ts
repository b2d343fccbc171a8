import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ClusterEngine, ClusterOptions } from '../../cluster/index.ts'
import {
  type Engine,
  type ExportSlice,
  isAsofError,
  type OpenOptions,
  open,
  type Reads,
  type SearchOptions,
} from '../../core/index.ts'
import { searchKnown } from '../core/observers.ts'
import { newName, openTestCluster } from './test-cluster.ts'

/** What a cluster answers, and what an engine on one machine does. */
export interface Pair {
  cluster: ClusterEngine
  local: Engine
  /** Sets the clocks of both. */
  setClock: (now: number) => void
  /** Closes both, and opens their indexes again with other options. */
  reopen: (options: PairOptions) => Promise<void>
  close: () => Promise<void>
}

/** Options of both. */
type PairOptions = Pick<OpenOptions, 'retain' | 'embed' | 'rerank'>

/**
 * @param given - options of the cluster alone.
 * @param first - options of both, until they are opened again.
 */
export async function openPair(
  shards: number,
  given: Partial<ClusterOptions> = {},
  first: PairOptions = {},
): Promise<Pair> {
  let clock = 0
  const now = (): number => clock
  const name = newName()
  const folder = await mkdtemp(join(tmpdir(), 'asof-cluster-'))
  const both = async (options: PairOptions): Promise<Pick<Pair, 'cluster' | 'local'>> => ({
    cluster: await openTestCluster({ name, now, shards, ...given, ...options }),
    local: await open(folder, { now, searchThreads: 0, ...options }),
  })
  const close = async ({ cluster, local }: Pick<Pair, 'cluster' | 'local'>): Promise<void> => {
    await cluster.close()
    await local.close()
  }
  const pair: Pair = {
    ...(await both(first)),
    setClock: at => {
      clock = at
    },
    reopen: async options => {
      await close(pair)
      Object.assign(pair, await both(options))
    },
    close: async () => {
      await close(pair)
      await rm(folder, { recursive: true })
    },
  }
  return pair
}

/** Number of questions that clusters answered, and refused by the reason. */
export const asked = { equal: 0, refused: new Map<string, number>() }

/** Expects that the cluster answers a search as the local engine does, or refuses what it lacks. */
export async function expectEqualAnswer(
  { cluster, local }: { cluster: Reads; local: Reads },
  query: string,
  options: SearchOptions,
): Promise<void> {
  const expected = await searchKnown(local, query, options)
  try {
    const found = await searchKnown(cluster, query, options)
    if (!expected || !found) {
      expect(found, query).toEqual(expected)
      return
    }
    const { receipt, ...answer } = found
    const { receipt: of, ...rest } = expected
    expect({ ...answer, receipt: { ...receipt, segments: of.segments } }, query).toEqual({ ...rest, receipt: of })
    asked.equal++
  } catch (error) {
    if (!isAsofError(error, 'ASOF_UNSUPPORTED')) throw error
    const what = String(error.details?.what)
    asked.refused.set(what, (asked.refused.get(what) ?? 0) + 1)
  }
}

/** The slices of an export, each with at most some observations. */
export async function exported(engine: Reads, maxResults: number): Promise<ExportSlice[]> {
  const slices: ExportSlice[] = []
  let after: string | undefined
  do {
    const slice = await engine.export({ maxResults, cursor: after })
    slices.push(slice)
    after = slice.next
  } while (after !== undefined)
  return slices
}
