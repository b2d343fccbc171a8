import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { BenchPage } from '../apparatus/page-file.ts'
import type { CommitEngine, CommitIndex } from './commit-index.ts'
import pinned from './lancedb/package.json' with { type: 'json' }

export const howToGetLanceDb =
  'Skipping LanceDB: npm fetches it (200 MB); it exists for Linux, macOS and Windows on x64 and arm64'

const version = pinned.dependencies['@lancedb/lancedb']
const folder = join(import.meta.dirname, '..', 'dist', `lancedb-${version}`)
/** Folder of the package, once it is fetched. */
export const lanceDbPackage = join(folder, 'node_modules', '@lancedb', 'lancedb')

/** How the full-text index follows the table. */
const ways = {
  kept: 'every version kept',
  optimized: 'every version kept, optimize after each commit',
  reindexed: 'every version kept, full-text index made anew after each commit',
}

/** Returns LanceDB with every version of its table kept, in each way; undefined if npm cannot fetch it, or it does not run here. */
export function lanceDb(): CommitEngine[] | undefined {
  const lance = loadLanceDb()
  if (!lance) return undefined
  // The cast is safe because the object has no keys besides those of its type.
  const names = Object.keys(ways) as (keyof typeof ways)[]
  return names.map(way => ({
    name: `LanceDB, ${ways[way]}`,
    settings: `LanceDB (${version}): title and text in one column, full-text index with positions, simple tokenizer, lower case, English stemmer, no stop words, BM25 with k1 1.2 and b 0.75 (fixed); one delete and one add a commit, text stored; a search checks the version out; it asks for ${MORE} more results than wanted, because equal scores are in no order, and orders them by number`,
    open: folder => openTable(lance, folder, way),
  }))
}

/** Number of results after the last wanted one among which equal scores are looked for. */
const MORE = 20
const COLUMN = 'text'

async function openTable(lance: LanceModule, folder: string, way: keyof typeof ways): Promise<CommitIndex> {
  const connection = await lance.connect(folder)
  const versions = new Map<number, number>()
  let table: LanceTable | undefined
  let shown: number | undefined
  const makeIndex = (pages: LanceTable) =>
    pages.createIndex(COLUMN, {
      config: lance.Index.fts({ withPosition: true, stem: true, lowercase: true, removeStopWords: false }),
      replace: true,
    })
  return {
    async commit({ instant, added, ended }) {
      const startedMs = performance.now()
      if (shown !== undefined) await table?.checkoutLatest()
      shown = undefined
      if (table) {
        if (ended.length > 0) await table.delete(`number IN (${ended.join()})`)
        if (added.length > 0) await table.add(added.map(rowOf))
        if (way === 'optimized') await table.optimize()
        if (way === 'reindexed') await makeIndex(table)
      } else {
        table = await connection.createTable('pages', added.map(rowOf))
        await makeIndex(table)
      }
      versions.set(instant, await table.version())
      return performance.now() - startedMs
    },
    async ask(questions, instant) {
      const version = versions.get(instant)
      if (!table || version === undefined) throw new RangeError(`LanceDB has no version of the instant ${instant}`)
      const ms: number[] = []
      const found: number[][] = []
      for (const { words, limit } of questions) {
        const startedMs = performance.now()
        if (shown !== version) await table.checkout(version)
        shown = version
        const rows = await table
          .query()
          .fullTextSearch(new lance.MatchQuery(words.join(' '), COLUMN))
          .select(['number', '_score'])
          .limit(limit + MORE)
          .toArray()
        found.push(
          rows
            .toSorted((a, b) => b._score - a._score || a.number - b.number)
            .slice(0, limit)
            .map(({ number }) => number),
        )
        ms.push(performance.now() - startedMs)
      }
      return { found, ms }
    },
    close: async () => connection.close(),
  }
}

const rowOf = ({ number, url, title, text }: BenchPage) => ({ number, url, [COLUMN]: `${title}\n${text}` })

/** The part of LanceDB that is used. Its own types are unknown until it is fetched. */
interface LanceModule {
  connect(folder: string): Promise<{
    createTable(name: string, rows: Record<string, unknown>[]): Promise<LanceTable>
    close(): void
  }>
  Index: { fts(options: Record<string, boolean>): unknown }
  MatchQuery: new (words: string, column: string) => unknown
}

interface LanceTable {
  add(rows: Record<string, unknown>[]): Promise<unknown>
  delete(condition: string): Promise<unknown>
  createIndex(column: string, options: { config: unknown; replace: boolean }): Promise<void>
  optimize(): Promise<unknown>
  version(): Promise<number>
  checkout(version: number): Promise<void>
  checkoutLatest(): Promise<void>
  query(): LanceQuery
}

interface LanceQuery {
  fullTextSearch(query: unknown): LanceQuery
  select(columns: string[]): LanceQuery
  limit(count: number): LanceQuery
  toArray(): Promise<{ number: number; _score: number }[]>
}

function loadLanceDb(): LanceModule | undefined {
  const manifest = join(folder, 'package.json')
  if (!existsSync(lanceDbPackage)) {
    console.error(`Fetching LanceDB ${version} into ${folder} (npm) …`)
    mkdirSync(folder, { recursive: true })
    copyFileSync(join(import.meta.dirname, 'lancedb', 'package.json'), manifest)
    const args = ['install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
    const { status } = spawnSync('npm', args, {
      cwd: folder,
      stdio: ['ignore', process.stderr, process.stderr],
      shell: process.platform === 'win32',
    })
    if (status !== 0) return undefined
  }
  try {
    return createRequire(manifest)('@lancedb/lancedb') as LanceModule
  } catch (error) {
    // The package throws this if it has no binary for the machine.
    console.error(error)
    return undefined
  }
}
