import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, extname, join, relative, resolve, sep } from 'node:path'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { ExtractPool, isAsofError } from '@asof/core'
import { seededRandom } from './random.ts'
import { count } from './text-table.ts'

const help = `npm run bench -- real-pages --from DIR [--from DIR …] --out FILE [--pages N]

Makes a file of pages for speed --real. Reads folders of HTML, Markdown and text files (also .gz), such as the documentation
of a Linux distribution, extracts each page as a crawl does, and writes JSON lines in random but repeatable order, without
duplicates. The name of a folder becomes the host of its pages.

  --from DIR    folder to read; can be repeated
  --out FILE    file to write
  --pages N     stop after N pages (all)`

const contentTypes: Record<string, string> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.rst': 'text/plain',
}
const MAX_FILE_BYTES = 2_000_000
/** Minimum length of a text. A page with less text is mostly a redirect or a frame. */
const FEWEST_CHARS = 200
/** Number of files that are extracted at a time. The order of the output does not depend on it. */
const CONCURRENCY = 64

interface SourceFile {
  path: string
  url: string
  contentType: string
}

/** The suite `real-pages`: makes a file of real pages. */
export async function realPages(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      from: { type: 'string', multiple: true, default: [] },
      out: { type: 'string' },
      pages: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help || values.from.length === 0 || values.out === undefined) {
    console.log(help)
    process.exitCode = values.help ? 0 : 2
    return
  }
  const most = values.pages === undefined ? Number.POSITIVE_INFINITY : Number(values.pages)
  const files = shuffled((await Promise.all(values.from.map(filesOf))).flat())
  console.error(`${count(files.length)} files`)
  const out = createWriteStream(values.out)
  const pool = new ExtractPool({ maxProcesses: availableParallelism() })
  const seen = new Set<string>()
  let written = 0
  let failed = 0
  for (let from = 0; from < files.length && written < most; from += CONCURRENCY) {
    const pages = await Promise.all(files.slice(from, from + CONCURRENCY).map(file => pageOf(file, pool)))
    for (const page of pages) {
      if (page === 'failed') failed++
      if (typeof page === 'string' || written >= most) continue
      const digest = createHash('sha256').update(page.markdown).digest('base64')
      if (seen.has(digest)) continue
      seen.add(digest)
      if (!out.write(`${JSON.stringify(page)}\n`)) await once(out, 'drain')
      if (++written % 10_000 === 0) console.error(`${count(written)} pages of ${count(from)} files`)
    }
  }
  out.end()
  await finished(out)
  await pool.close()
  console.log(`${count(written)} pages in ${values.out}; ${count(failed)} files could not be extracted`)
}

async function filesOf(folder: string): Promise<SourceFile[]> {
  const root = resolve(folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .flatMap(path => {
      const contentType = contentTypes[extname(path.replace(/\.gz$/, '')).toLowerCase()]
      const address = relative(root, path).split(sep).map(encodeURIComponent).join('/')
      return contentType ? [{ path, contentType, url: `https://${hostOf(root)}.example/${address}` }] : []
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

const hostOf = (folder: string) =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

function shuffled<Item>(items: Item[]): Item[] {
  const random = seededRandom(1)
  for (let i = items.length - 1; i > 0; i--) {
    const other = random.below(i + 1)
    ;[items[i], items[other]] = [items[other]!, items[i]!]
  }
  return items
}

/** Extracts the page of a file. Returns `failed` if that is impossible, `none` if the file is too short or too large. */
async function pageOf({ path, url, contentType }: SourceFile, pool: ExtractPool) {
  if ((await stat(path)).size > MAX_FILE_BYTES) return 'none'
  const bytes = await readFile(path)
  try {
    const body = path.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: MAX_FILE_BYTES }) : bytes
    const { title = '', markdown, publishedAt } = await pool.run(body, { url, contentType })
    if (markdown.length < FEWEST_CHARS) return 'none'
    return { url, title, markdown, published_at: publishedAt }
  } catch (error) {
    // An unreadable file does not stop the run. The number of unreadable files is printed at the end.
    if (isAsofError(error) || (error as NodeJS.ErrnoException).code?.startsWith('Z') || error instanceof RangeError)
      return 'failed'
    throw error
  }
}
