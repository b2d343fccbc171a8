import { appendFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlReport } from '../crawl-report.ts'

/** A call of `crawl`, as the journal records it. */
export interface CrawlEntry {
  /** Name of the corpus. */
  name: string
  watch: boolean
  /** Epoch ms. */
  startedAt: number
  /** Epoch ms. Absent while the crawl runs, and if its process was killed. */
  endedAt?: number
  /** Message of the error that ended the crawl, if one did. */
  failure?: string
  /** The final report; absent if `endedAt` is absent or an error ended the crawl. */
  report?: CrawlReport
}

const suffix = '.crawls.jsonl'
const entriesKept = 100

/** Returns the path of the journal of a corpus: it lies beside the folder of its frontier. */
export function journalFile(dir: string, name: string): string {
  return join(dir, name + suffix)
}

/** True if a file in a crawl folder is a journal, by its name. */
export function isJournal(file: string): boolean {
  return file.endsWith(suffix)
}

/** Records the start of a crawl, or its end. When the journal of a corpus has 200 crawls, the older 100 are deleted. */
export async function recordCrawl(dir: string, entry: CrawlEntry): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = journalFile(dir, entry.name)
  // A killed process may have left half a line at the end of the file.
  await appendFile(file, `\n${JSON.stringify(entry)}\n`)
  const entries = await readJournal(file)
  if (entries.length < 2 * entriesKept) return
  await writeFile(
    `${file}.new`,
    entries
      .slice(-entriesKept)
      .map(kept => `${JSON.stringify(kept)}\n`)
      .join(''),
  )
  await rename(`${file}.new`, file)
}

/**
 * Lists the crawls that the journals in a folder of frontiers record, oldest first.
 *
 * @param dir - the folder; it need not exist.
 */
export async function listCrawls(dir: string): Promise<CrawlEntry[]> {
  const files = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const all = await Promise.all(files.filter(isJournal).map(file => readJournal(join(dir, file))))
  return all.flat().sort((a, b) => a.startedAt - b.startedAt)
}

/** Reads the journal of one corpus. The last line about a crawl wins. */
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
    // A killed process can leave half a line: that crawl is known by the line of its start.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
