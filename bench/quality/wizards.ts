import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { isAsofError, open, type Page } from '@asof/core'
import { hostOf, normalizeUrl } from '../../core/url.ts'
import { createService, parseRequest, type SearchResponse, searchRequest } from '../../service/index.ts'
import { table } from '../apparatus/text-table.ts'
import { questionsOf, type WizardCase } from './wizard-questions.ts'

const help = `npm run bench -- wizards [options]

Indexes HTML page sets, asks questions that the structured data of a page answers (the price of its product, the address of its
place, its ticker symbol …), and counts how often a wizard answers and how often the answer is right. It also searches for the
title of every page without such data; any wizard answer to a title is counted as unwanted. The page sets are not part of this
repository; without them the suite prints a message and exits.

  --fixtures DIR    page sets, each with a truth.json (../shared/fixtures)
  --list            list each question that was not answered right
  --out FILE        also write the report to FILE`

type Item = NonNullable<SearchResponse['wizards']>[number]

/** Counts over the questions of one kind. */
interface Tally {
  asked: number
  answered: number
  right: number
}

/** The suite `wizards`: measures how often wizards answer on real pages, and how often they are right. */
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

/** Returns the pages of all sets, each file once. If two files have the same URL, the second file gets an invented URL. */
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
      const url = uniqueUrl(given, `https://${set}.example/${encodeURIComponent(id)}`, urls)
      urls.add(url)
      pages.set(path, { url, file: path })
    }
  }
  return [...pages.values()]
}

function uniqueUrl(given: string, other: string, taken: ReadonlySet<string>): string {
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
    const { failures } = await engine.add(
      (function* () {
        for (const { url, file } of files)
          yield { url, html: new Uint8Array(brotliDecompressSync(readFileSync(file))), contentType: 'text/html' }
      })(),
    )
    const unread = new Set(failures.map(({ url }) => url))
    const service = createService(engine, () => Promise.reject(new Error('the bench does not fetch live pages')), {
      wizardTimeoutMs: 60_000,
    })
    const ask = async (query: string): Promise<readonly Item[]> => {
      const request = parseRequest(searchRequest, { query: query.slice(0, 400), enable_wizards: true })
      return (await service.answer('search', request)).body.wizards ?? []
    }
    const tallies = new Map<string, Tally>()
    const missed: string[] = []
    const unwanted: string[] = []
    let without = 0
    const homes = new Set(files.map(({ url }) => url))
    for (const { url } of files) {
      const page = unread.has(url) ? undefined : await engine.page(url)
      if (!page) continue
      const cases = [...questionsOf(page.data ?? []), ...sitesOf(page, homes)]
      for (const one of cases) {
        const answer = await ask(one.query)
        const outcome = outcomeOf(one, answer)
        const tally = tallies.get(one.kind) ?? { asked: 0, answered: 0, right: 0 }
        tally.asked++
        if (outcome !== 'silent') tally.answered++
        if (outcome === 'right') tally.right++
        tallies.set(one.kind, tally)
        if (outcome !== 'right') missed.push(`${outcome}: ${one.kind}: ${one.query} (${page.url})`)
      }
      if (cases.length > 0) continue
      without++
      const items = await ask(page.title)
      if (items.length > 0) unwanted.push(`unwanted: ${page.title} (${page.url}): ${items.map(described).join(', ')}`)
    }
    const rows = [...tallies].sort().map(([kind, { asked, answered, right }]) => {
      return [kind, String(asked), String(answered), String(right), String(answered - right)]
    })
    const lines = [
      `${files.length - unread.size} pages of ${files.length} were indexed. ${without} have no structured data to ask about; wizards answered the titles of ${unwanted.length} of these.`,
      '',
      table(['question', 'asked', 'answered', 'right', 'wrong'], rows),
    ]
    if (list) lines.push('', ...missed, ...unwanted)
    return lines.join('\n')
  } finally {
    await engine.close()
  }
}

function described({ wizard, url, name, question }: Item): string {
  return `${wizard} ${String(name ?? question)} ${url}`
}

/** Checks an answer. It is right if an item of the wizard agrees with the data of the page, even if it comes from another page. */
function outcomeOf({ wizard, isRight }: WizardCase, items: readonly Item[]): 'right' | 'wrong' | 'silent' {
  const own = items.filter(item => item.wizard === wizard)
  if (own.length === 0) return 'silent'
  return own.some(isRight) ? 'right' : 'wrong'
}

/** Returns questions for the site of a home page. */
function sitesOf({ url, siteName }: Page, homes: ReadonlySet<string>): WizardCase[] {
  const home = new URL('/', url).href
  const host = hostOf(url).replace(/^www\./, '')
  // Some sets have invented hosts.
  if (url !== home || !homes.has(home) || !/\.(?!invalid$|example$|test$)[a-z]{2,}$/.test(host)) return []
  const ask = (kind: string, query: string): WizardCase => ({
    kind,
    wizard: 'navigation',
    query,
    isRight: fields => fields.host === new URL(url).host,
  })
  const cases = [ask('home page by host', host)]
  if (siteName !== undefined) cases.push(ask('home page by the name of the site', siteName))
  return cases
}
