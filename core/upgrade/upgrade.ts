import { invalidOption, optionsReader } from '@asof/extract/errors'
import { expectIndex, expectPath, finishSwap, indexFolderOf } from '../repair/index-folder.ts'
import { FolderStore } from '../store/folder-store.ts'
import type { Identity } from '../store/identity.ts'
import { ANALYZER, analyzers } from '../text/languages/analyzers.ts'
import { SegmentMove } from './segment-move.ts'

/** The options of {@link upgrade}. */
export interface UpgradeOptions {
  /** The number of the analyzer that the index gets. Default: that of an interrupted upgrade, otherwise the newest one. */
  analyzer?: number
  /** Called after each step with the number of captures that this call analyzed again so far, and the number that it has to analyze. */
  onProgress?: (done: number, captures: number) => void
}

/** The result of {@link upgrade}. */
export interface UpgradeReport {
  /** The version numbers of the upgraded index: `format`, `analyzer` and `ranking`. */
  format: number
  analyzer: number
  ranking: number
  /** Number of captures that this call analyzed again. 0 if the index had the analyzer already. */
  captures: number
}

const readUpgradeOptions = optionsReader<UpgradeOptions>({ analyzer: 'number', onProgress: 'function' })

const CACHE_BYTES = 32 * 1024 * 1024

/** Upgrades the index of a data folder, see `upgrade` in `core/engine/maintenance.ts`. */
export async function upgradeIndex(dir: string, options?: UpgradeOptions): Promise<UpgradeReport> {
  expectPath(dir)
  const { analyzer, onProgress } = readUpgradeOptions(options)
  if (analyzer !== undefined && !analyzers.has(analyzer))
    throw invalidOption('analyzer', `must be one of ${[...analyzers.keys()].join(', ')}`)
  await finishSwap(dir)
  await expectIndex(dir)
  const store = await FolderStore.open(indexFolderOf(dir), { cacheBytes: CACHE_BYTES })
  try {
    const move = await SegmentMove.of(store)
    const { identity } = move
    const target = analyzer ?? identity.upgrade?.analyzer ?? ANALYZER
    if (target === identity.analyzer && !identity.upgrade) return { ...numbersOf(identity), captures: 0 }
    await move.begin(target)
    let captures = 0
    const all = move.remaining
    while (!move.isDone) {
      captures += await move.next()
      onProgress?.(all - move.remaining, all)
    }
    await move.finish()
    return { ...numbersOf(move.identity), captures }
  } finally {
    await store.close()
  }
}

function numbersOf({ format, analyzer, ranking }: Identity): Omit<UpgradeReport, 'captures'> {
  return { format, analyzer, ranking }
}
