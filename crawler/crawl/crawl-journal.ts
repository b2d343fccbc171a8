import { appendFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlReport } from '../crawl-report.ts'

/** One call of `crawl`, as it was noted. */
export interface CrawlEntry {
  /** Of the corpus. */
  name: string
  watch: boolean
  /** Epoch ms. */
  startedAt: number
  /** Absent while it runs, and of one that was killed. */
  endedAt?: number
  /** Why it ended early, where an error ended it. */
  failure?: string
  /** As it stood at the end; absent with `endedAt`. */
  report?: CrawlReport
}

const suffix = '.crawls.jsonl'
const entriesKept = 100

/** Where the calls for a corpus are noted: beside the folder of its frontier. */
export function journalFile(dir: string, name: string): string {
  return join(dir, name + suffix)
}

/** Whether a file of a crawl folder is a journal. */
export function isJournal(file: string): boolean {
  return file.endsWith(suffix)
}

/** Notes a call's begin, or its end. Only the last hundred calls are kept. */
export async function noteCrawl(dir: string, entry: CrawlEntry): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = journalFile(dir, entry.name)
  // The line before may be half a line, left by a process that was killed.
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
 * The crawls that were noted in a folder of frontiers, oldest first.
 *
 * @param dir - need not exist.
 */
export async function listCrawls(dir: string): Promise<CrawlEntry[]> {
  const files = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const all = await Promise.all(files.filter(isJournal).map(file => readJournal(join(dir, file))))
  return all.flat().sort((a, b) => a.startedAt - b.startedAt)
}

/** The calls of one corpus; what is said of the same call later wins. */
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
    // A process that was killed in the middle of a line leaves half of it: that call is known by its begin.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
