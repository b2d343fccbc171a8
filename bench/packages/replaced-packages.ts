import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { load } from 'cheerio'
import { Bench } from 'tinybench'
import TurndownService from 'turndown'
import { parseHtml } from '../../extract/html/html-parser.ts'
import { extractHtml } from '../../extract/html-page.ts'
import { machine } from '../apparatus/machine.ts'
import { count, table } from '../apparatus/text-table.ts'

export const packagesHelp = `npm run bench -- packages FOLDER [options]

Measures asof's own code beside the packages that it replaced, in pages per CPU second. FOLDER contains HTML pages (.html,
also .gz or .br); docs/packages.md quotes the figures.

  --pages N     maximum number of pages (80)
  --rounds N    number of timed rounds over all pages, after one that warms up (5)`

/** The suite `packages`. See {@link packagesHelp}. */
export async function packages(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      pages: { type: 'string', default: '80' },
      rounds: { type: 'string', default: '5' },
      help: { type: 'boolean', default: false },
    },
  })
  const [folder] = positionals
  if (values.help || folder === undefined) {
    console.log(packagesHelp)
    return
  }
  const pages = htmlPages(folder, Number(values.pages))
  const bodies = pages.map(bodyOf)
  const turndown = new TurndownService()
  const bench = new Bench({
    iterations: Number(values.rounds),
    time: 0,
    warmupIterations: 1,
    warmupTime: 0,
    now: cpuMs,
  })
  bench
    .add('parse: asof', () => each(pages, parseHtml))
    .add('parse: cheerio over parse5', () => each(pages, load))
    .add('parse: cheerio over htmlparser2', () => each(pages, page => load(page, { xml: { xmlMode: false } })))
    .add('parse, choose content, Markdown: asof', () =>
      each(pages, page => extractHtml(page, { url: 'https://a.example/' })),
    )
    .add('Markdown of parsed pages: turndown', () => each(bodies, body => turndown.turndown(body)))
  await bench.run()
  const kilobytes = pages.reduce((sum, page) => sum + page.length, 0) / pages.length / 1000
  const { processor, node, commit } = machine()
  console.log(
    `${pages.length} pages of ${count(kilobytes)} KB on average; asof ${commit}, Node ${node}, ${processor}\n`,
  )
  const rows = bench.tasks.map(({ name, result }) => {
    if (!('latency' in result))
      throw new Error(`${name} failed`, { cause: 'error' in result ? result.error : result.state })
    const perSecond = (ms: number) => count((pages.length / ms) * 1000)
    const { p50, min, max } = result.latency
    return [name, perSecond(p50), `${perSecond(max)}–${perSecond(min)}`]
  })
  console.log(table(['work', 'pages/CPU s', 'spread'], rows))
}

/** Returns the CPU time of this process in milliseconds, which other processes do not affect. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function htmlPages(folder: string, most: number): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    /\.html?(\.gz|\.br)?$/.test(file),
  )
  const pages = files.slice(0, most).map(file => {
    const bytes = readFileSync(join(folder, file))
    if (file.endsWith('.br')) return brotliDecompressSync(bytes).toString()
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  })
  if (pages.length === 0) throw new Error(`${folder} contains no .html, .html.gz or .html.br files`)
  return pages
}

/** Returns the body without scripts and styles, as the input of turndown. */
function bodyOf(page: string): string {
  const parsed = load(page)
  parsed('script, style').remove()
  return parsed('body').html() ?? ''
}

/** Calls `work` with each page, and ignores errors of pages that a package cannot handle. */
function each(pages: readonly string[], work: (page: string) => unknown): void {
  for (const page of pages) {
    try {
      work(page)
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }
}
