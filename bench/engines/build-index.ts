import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Corpus } from '../apparatus/corpus.ts'
import type { Contender, EngineProcess, IndexFigures } from './engine-process.ts'

export interface BuiltIndex {
  folder: string
  figures: IndexFigures
  /** Process of an in-memory engine, which must search in the process that indexed. */
  running?: EngineProcess
  /** True if an earlier run built it. */
  kept: boolean
}

/** Returns the bytes of all files in a folder and its subfolders; files may disappear meanwhile. */
export function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce(
      (bytes, entry) => bytes + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
}

/** Indexes the corpus in a process of its own, or reuses the index of an earlier run with the same corpus and settings. */
export async function buildIndex(
  contender: Contender,
  corpus: Corpus,
  root: string,
  { batch, reuse }: { batch: number; reuse: boolean },
): Promise<BuiltIndex> {
  const folder = join(root, contender.name)
  const notePath = `${folder}.json`
  const key = JSON.stringify([corpus.choice, contender.settings, batch])
  if (reuse && contender.persistent && existsSync(notePath)) {
    const note = JSON.parse(readFileSync(notePath, 'utf8')) as { key: string; figures: IndexFigures }
    if (note.key === key) return { folder, figures: note.figures, kept: true }
  }
  rmSync(notePath, { force: true })
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const running = await contender.start({ body: corpus.body })
  const figures = await running.index(corpus.pagesPath, folder, batch)
  if (!contender.persistent) return { folder, figures, running, kept: false }
  await running.stop()
  figures.diskBytes = folderBytes(folder)
  writeFileSync(notePath, JSON.stringify({ key, figures }))
  return { folder, figures, kept: false }
}
