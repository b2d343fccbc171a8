import { copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AddOptions } from '@asof/core'
import { codeOf } from '@asof/extract/errors'
import type { Corpus } from '../../crawler/index.ts'

/** Limits of one crawl. Default: those of the crawler. */
export interface CrawlLimits {
  /** Minimum pause between two requests to one host, ms. */
  delayMs?: number | undefined
  /** Maximum number of concurrent requests, each to another host. */
  concurrency?: number | undefined
  /** Maximum number of pages requested in one run; with `watch`, maximum number of known URLs. */
  maxPages?: number | undefined
  /** Maximum number of links from a seed to a page. */
  maxDepth?: number | undefined
  /** True to keep the corpus fresh by visiting pages again, instead of ending. */
  watch?: boolean | undefined
  /** When an embeddings model computes the vectors of the pages. Default `now`. */
  vectors?: AddOptions['vectors']
}

/** What a crawl was started with, so that it can be resumed when its process has ended. */
export interface CrawlDefinition {
  corpus: Corpus
  limits: CrawlLimits
}

const SUFFIX = '.definition.json'
const definitionFile = (dir: string, name: string) => join(dir, name + SUFFIX)

/**
 * Stores a definition beside the frontier of its crawl. Only its owner may read it, because a corpus can have secret headers.
 *
 * @param dir - the folder of the frontiers. It is created if it is missing.
 */
export async function saveDefinition(dir: string, definition: CrawlDefinition): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = definitionFile(dir, definition.corpus.name)
  await writeFile(`${file}.new`, JSON.stringify(definition), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Returns the definition of the last crawl of a name that a server started. Returns undefined if no server started one. */
export async function readDefinition(dir: string, name: string): Promise<CrawlDefinition | undefined> {
  try {
    return JSON.parse(await readFile(definitionFile(dir, name), 'utf8')) as CrawlDefinition
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Copies all definitions to another folder of frontiers. The folder is created if it is missing. */
export async function copyDefinitions(dir: string, target: string): Promise<void> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const definitions = names.filter(name => name.endsWith(SUFFIX))
  if (definitions.length === 0) return
  await mkdir(target, { recursive: true, mode: 0o700 })
  for (const name of definitions) await copyFile(join(dir, name), join(target, name))
}
