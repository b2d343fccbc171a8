import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { hostOf, isAsofError, normalizeUrl, open, type Page } from '@asof/core'
import { createService, parseRequest, type SearchResponse, searchRequest } from '../../transports/service/index.ts'
import { table } from '../apparatus/text-table.ts'
import { questionsOf, type WizardCase } from './wizard-questions.ts'

const help = `npm run bench -- wizards [options]

Indexes the page sets with extraction, asks about each thing that a page's structured data describes (the price of its
product, the address of its place, its ticker symbol …), and counts how often a wizard answers and how often it is right.
The title of every page without such data is asked too: an answer to it was not asked for. The page sets are not part of
this repository; without them the suite says so and ends.

  --fixtures DIR    page sets, each with a truth.json (../shared/fixtures)
  --list            names each question that was not answered right
  --out FILE        writes the report there too`

type Item = NonNullable<SearchResponse['wizards']>[number]

/** What became of the questions of one kind. */
interface Tally {
  pages: number
  answered: number
  right: number
}

/** The suite `wizards`: how often do wizards answer on real pages? */
export async function wizards(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      fixtures: { type: 'string', default: join(import.meta.dirname, '..', '..', '..', 'shared', 'fixtures') },
      list: { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(help)
  if (!existsSync(values.fixtures)) return console.log(`skipped: --fixtures ${values.fixtures} does not exist`)
  const folder = await mkdtemp(join(tmpdir(), 'asof-bench-wizards-'))
  try {
    const report = await measured(folder, await pagesOf(values.fixtures), values.list)
    console.log(report)
    if (values.out !== undefined) writeFileSync(values.out, `${report}\n`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface PageFile {
  url: string
  file: string
}

/** The pages of all sets, each file once. Where two have one address the second gets one of its own. */
async function pagesOf(fixtures: string): Promise<PageFile[]> {
  const pages = new Map<string, PageFile>()
  const urls = new Set<string>()
  for (const set of (await readdir(fixtures)).sort()) {
    const truth = join(fixtures, set, 'truth.json')
    if (!existsSync(truth)) continue
    const entries = JSON.parse(readFileSync(truth, 'utf8')) as { id: string; url: string; file: string }[]
    for (const { id, url: given, file } of entries) {
      const path = join(fixtures, set, file)
      if (pages.has(path) || !existsSync(path)) continue
      const url = addressOf(given, `https://${set}.example/${encodeURIComponent(id)}`, urls)
      urls.add(url)
      pages.set(path, { url, file: path })
    }
  }
  return [...pages.values()]
}

function addressOf(given: string, other: string, taken: ReadonlySet<string>): string {
  try {
    const url = normalizeUrl(given)
    return taken.has(url) ? other : url
  } catch (error) {
    if (isAsofError(error)) return other
    throw error
  }
}

async function measured(folder: string, files: readonly PageFile[], list: boolean): Promise<string> {
  const engine = await open(folder)
  try {
    const { failed } = await engine.add(
      (function* () {
        for (const { url, file } of files)
          yield { url, html: new Uint8Array(brotliDecompressSync(readFileSync(file))), contentType: 'text/html' }
      })(),
    )
    const unread = new Set(failed.map(({ url }) => url))
    const service = createService(engine, () => Promise.reject(new Error('no live fetch here')), {
      wizardTimeoutMs: 60_000,
    })
    const ask = async (query: string): Promise<readonly Item[]> => {
      const request = parseRequest(searchRequest, { query: query.slice(0, 400), enable_wizards: true })
      return (await service.search(request)).response.wizards ?? []
    }
    const tallies = new Map<string, Tally>()
    const missed: string[] = []
    const unasked: string[] = []
    let without = 0
    const homes = new Set(files.map(({ url }) => url))
    for (const { url } of files) {
      const page = unread.has(url) ? undefined : await engine.page(url)
      if (!page) continue
      const cases = [...questionsOf(page.data ?? []), ...sitesOf(page, homes)]
      for (const one of cases) {
        const answer = await ask(one.query)
        const outcome = outcomeOf(one, answer)
        const tally = tallies.get(one.kind) ?? { pages: 0, answered: 0, right: 0 }
        tally.pages++
        if (outcome !== 'silent') tally.answered++
        if (outcome === 'right') tally.right++
        tallies.set(one.kind, tally)
        if (outcome !== 'right') missed.push(`${outcome}: ${one.kind}: ${one.query} (${page.url})`)
      }
      if (cases.length > 0) continue
      without++
      const items = await ask(page.title)
      if (items.length > 0) unasked.push(`unasked: ${page.title} (${page.url}): ${items.map(described).join(', ')}`)
    }
    const rows = [...tallies].sort().map(([kind, { pages, answered, right }]) => {
      return [kind, String(pages), String(answered), String(right), String(answered - right)]
    })
    return [
      `${files.length - unread.size} pages of ${files.length} were indexed; ${without} have no such data: the titles of ${unasked.length} of these were answered.`,
      '',
      table(['question', 'asked', 'answered', 'right', 'wrong'], rows),
      ...(list ? ['', ...missed, ...unasked] : []),
    ].join('\n')
  } finally {
    await engine.close()
  }
}

function described({ wizard, url, name, question }: Item): string {
  return `${wizard} ${String(name ?? question)} ${url}`
}

/** Right: an item of the wizard says what the page's data says, whichever page of the site it comes from. */
function outcomeOf({ wizard, isRight }: WizardCase, items: readonly Item[]): 'right' | 'wrong' | 'silent' {
  const own = items.filter(item => item.wizard === wizard)
  if (own.length === 0) return 'silent'
  return own.some(isRight) ? 'right' : 'wrong'
}

/** The questions for the site of a page whose home page is indexed too. */
function sitesOf({ url, siteName }: Page, homes: ReadonlySet<string>): WizardCase[] {
  const home = new URL('/', url).href
  const host = hostOf(url).replace(/^www\./, '')
  // Some sets have made-up hosts.
  if (url !== home || !homes.has(home) || !/\.(?!invalid$|example$|test$)[a-z]{2,}$/.test(host)) return []
  const ask = (kind: string, query: string): WizardCase => ({
    kind,
    wizard: 'navigation',
    query,
    isRight: fields => fields.host === new URL(url).host,
  })
  return [
    ask('home page by host', host),
    ...(siteName === undefined ? [] : [ask('home page by the name of the site', siteName)]),
  ]
}
