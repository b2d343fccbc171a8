import { appendFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { printableJson } from '@asof/extract/characters'
import type { CrawlReport } from '../report/crawl-report.ts'

/** The record of one call of `crawl`. */
export interface CrawlEntry {
  /** Name of the corpus. */
  name: string
  /** True if the crawl visits pages again when they are due, and does not end. */
  watch: boolean
  /** Epoch ms. */
  startedAt: number
  /** Epoch ms. Undefined while the crawl runs, and if its process was killed. */
  endedAt?: number
  /** Message of the error that ended the crawl. Undefined if there was none. */
  failure?: string
  /** The final report. Undefined if the crawl has not ended, or if an error ended it. */
  report?: CrawlReport
}

const SUFFIX = '.crawls.jsonl'
const ENTRIES_KEPT = 100

/** Returns the path of a corpus's journal, next to the folder of its frontier. */
export function journalFile(dir: string, name: string): string {
  return join(dir, name + SUFFIX)
}

/** True if a file name in a crawl folder is that of a journal. */
export function isJournal(file: string): boolean {
  return file.endsWith(SUFFIX)
}

/** Records the start or the end of a crawl. When a journal has 200 crawls, deletes the older 100. */
export async function recordCrawl(dir: string, entry: CrawlEntry): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = journalFile(dir, entry.name)
  // A killed process may have left half a line. The leading line break keeps the new line apart.
  await appendFile(file, `\n${printableJson(JSON.stringify(entry))}\n`)
  const entries = await readJournal(file)
  if (entries.length < 2 * ENTRIES_KEPT) return
  await writeFile(
    `${file}.new`,
    entries
      .slice(-ENTRIES_KEPT)
      .map(kept => `${printableJson(JSON.stringify(kept))}\n`)
      .join(''),
  )
  await rename(`${file}.new`, file)
}

/**
 * Lists the crawls in the journals of a folder, oldest first.
 *
 * @param dir - the folder with the frontiers; it need not exist.
 * @throws the error of the system - the folder cannot be read.
 */
export async function listCrawls(dir: string): Promise<CrawlEntry[]> {
  const files = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const all = await Promise.all(files.filter(isJournal).map(file => readJournal(join(dir, file))))
  return all.flat().sort((a, b) => a.startedAt - b.startedAt)
}

/** Reads one journal. The last line of each crawl counts. */
async function readJournal(file: string): Promise<CrawlEntry[]> {
  const calls = new Map<number, CrawlEntry>()
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const entry = parseEntry(line)
    if (entry) calls.set(entry.startedAt, entry)
  }
  return [...calls.values()]
}

function parseEntry(line: string): CrawlEntry | undefined {
  if (line === '') return undefined
  try {
    return JSON.parse(line) as CrawlEntry
  } catch (error) {
    // A killed process may have left half a line at the end of its crawl. The line for the start of the crawl is
    // intact.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
