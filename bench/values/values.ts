import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { type Engine, open } from '@asof/core'
import { calls, createService, parseRequest, type ResponseOf } from '../../service/index.ts'
import { table } from '../apparatus/text-table.ts'
import { type DeclaredValue, declaredOn, schemaOf } from './declared-truth.ts'
import { labelCases } from './label-cases.ts'

const help = `npm run bench -- values [options]

Asks real pages for the values that their JSON-LD declares (title and author of articles, name and price of products …), and compares the
answers with a reading of the JSON-LD that shares no code with asof. Then asks for values beside labels, which a person read. Every quote is
verified. The sites are split into two halves by their name. The page sets are not part of this repository; without them the suite prints a message and exits.

  --fixtures DIR    page sets, each with a truth.json (../shared/fixtures)
  --half NAME       fit or held: only the sites of this half
  --list            list each value that is wrong, and each that is unknown
  --out FILE        also write the report to FILE`

/** The suite `values`: the share of right values on real pages. */
export async function values(args: string[]): Promise<void> {
  const { values: given } = parseArgs({
    args,
    options: {
      fixtures: { type: 'string', default: join(import.meta.dirname, '..', '..', '..', 'shared', 'fixtures') },
      half: { type: 'string' },
      list: { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (given.help) return console.log(help)
  if (!existsSync(given.fixtures)) return console.log(`skipped: --fixtures ${given.fixtures} does not exist`)
  const folder = await mkdtemp(join(tmpdir(), 'asof-bench-values-'))
  const engine = await open(folder)
  try {
    const files = await filesOf(given.fixtures)
    const pages = declaring(files).filter(({ half }) => given.half === undefined || half === given.half)
    const report = `${await measured(engine, pages, given.list)}\n\n${await measuredLabels(engine, files, given.list)}`
    console.log(report)
    if (given.out !== undefined) writeFileSync(given.out, `${report}\n`)
  } finally {
    await engine.close()
    await rm(folder, { recursive: true })
  }
}

/** A page of the collections. */
interface PageFile {
  url: string
  file: string
}

interface DeclaringPage extends PageFile {
  half: 'fit' | 'held'
  kind: string
  truth: Readonly<Record<string, DeclaredValue>>
}

/** Returns the pages of the collections. The same page in two of them counts once. */
async function filesOf(fixtures: string): Promise<PageFile[]> {
  const pages = new Map<string, PageFile>()
  const hashes = new Set<string>()
  for (const set of (await readdir(fixtures)).sort()) {
    const list = join(fixtures, set, 'truth.json')
    if (!existsSync(list)) continue
    const entries = JSON.parse(readFileSync(list, 'utf8')) as { url: string; file: string; sha256: string }[]
    for (const { url, file, sha256 } of entries) {
      const path = join(fixtures, set, file)
      if (pages.has(url) || hashes.has(sha256) || !URL.canParse(url) || !existsSync(path)) continue
      hashes.add(sha256)
      pages.set(url, { url, file: path })
    }
  }
  return [...pages.values()]
}

function htmlOf({ file }: PageFile): Uint8Array {
  return new Uint8Array(brotliDecompressSync(readFileSync(file)))
}

/** Decodes a page by the encoding that it declares. */
function decoded(html: Uint8Array): string {
  const [, label = 'utf-8'] =
    /charset\s*=\s*["']?([\w-]+)/i.exec(Buffer.from(html.subarray(0, 4_096)).toString('latin1')) ?? []
  return new TextDecoder(label).decode(html)
}

/** Returns the pages that declare one item of a known kind. */
function declaring(files: readonly PageFile[]): DeclaringPage[] {
  return files.flatMap(page => {
    const declared = declaredOn(decoded(htmlOf(page)))
    return declared ? [{ ...page, half: halfOf(page.url), ...declared }] : []
  })
}

/** Returns the half of a site, so that all pages of a site are in one. */
function halfOf(url: string): DeclaringPage['half'] {
  const name = new URL(url).hostname.replace(/^www\./, '')
  let hash = 0
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0
  return (hash >>> 7) % 2 === 0 ? 'fit' : 'held'
}

/** Counts of the values of one property, or of all. */
interface Tally {
  declared: number
  right: number
  wrong: number
  missing: Record<string, number>
  /** Unknown values whose words or digits are in the Markdown. */
  stated: number
  /** Right and wrong values that are given as declared, without a quote. */
  declaredRight: number
  declaredWrong: number
  /** Values that the JSON-LD does not declare, so that nobody knows whether they are right. */
  unjudged: number
}

type Result = ResponseOf<'extract'>['results'][number]

async function measured(engine: Engine, pages: readonly DeclaringPage[], list: boolean): Promise<string> {
  const service = createService(engine, () => Promise.reject(new Error('the bench does not fetch live pages')))
  const { failures } = await added(engine, pages)
  const unread = new Set(failures.map(({ url }) => url))
  const read = pages.filter(({ url }) => !unread.has(url))
  const tallies = new Map<string, Tally>()
  const lines: string[] = []
  let quotes = 0
  let unverified = 0
  let ms = 0
  for (const page of read) {
    const request = parseRequest(calls.extract.request, { urls: [page.url], schema: schemaOf(page.kind) })
    const started = performance.now()
    const { body } = await service.answer('extract', request)
    ms += performance.now() - started
    const [result] = body.results
    if (!result) continue
    quotes += result.from.length
    unverified += await countUnverified(engine, result)
    const markdown = squeezed((await engine.page(page.url))?.markdown ?? '')
    const names = new Set([...Object.keys(page.truth), ...Object.keys(result.values ?? {})])
    for (const name of names) {
      const outcome = outcomeOf(page, name, result)
      if (outcome === undefined) continue
      const unknown = unquoted(page, name, result, markdown)
      for (const key of [page.half, `${page.half} ${page.kind}`, `${page.half} ${page.kind}.${name}`])
        count(tallies, key, outcome, unknown)
      if (list && outcome !== 'right') {
        const origin = result.from.find(({ path }) => path === `/${name}`)
        lines.push(
          `${unknown.isStated ? 'stated ' : ''}${outcome}: ${page.kind}.${name}: ${JSON.stringify(page.truth[name])} ${JSON.stringify(result.values?.[name])} ${JSON.stringify(origin)} (${page.url})`,
        )
      }
    }
  }
  const rows = [...tallies]
    .sort()
    .map(([key, { declared, right, wrong, missing, stated, declaredRight, declaredWrong, unjudged }]) => [
      key,
      String(declared),
      String(right),
      String(wrong),
      share(right, right + wrong),
      share(right, declared),
      share(right, right + wrong + stated),
      share(declaredRight, declaredRight + declaredWrong),
      ...['no_quote', 'conflict', 'type', 'not_found'].map(reason => String(missing[reason] ?? 0)),
      String(unjudged),
    ])
  const head = [
    'values',
    'declared',
    'right',
    'wrong',
    'share right',
    'of declared',
    'of stated',
    'right unquoted',
    'no quote',
    'conflict',
    'type',
    'not found',
    'unjudged',
  ]
  return [
    `${read.length} pages; ${quotes} values with a quote, of which verify finds ${quotes - unverified} verbatim; ${(ms / read.length).toFixed(1)} ms a page.`,
    '',
    table(head, rows),
    ...lines,
  ].join('\n')
}

function added(engine: Engine, pages: readonly PageFile[]) {
  return engine.add(
    (function* () {
      for (const page of pages) yield { url: page.url, html: htmlOf(page), contentType: 'text/html' }
    })(),
  )
}

/** Asks for the values that a person read beside labels. */
async function measuredLabels(engine: Engine, files: readonly PageFile[], list: boolean): Promise<string> {
  const service = createService(engine, () => Promise.reject(new Error('the bench does not fetch live pages')))
  const outcomes: Record<'right' | 'wrong' | 'unknown', number> = { right: 0, wrong: 0, unknown: 0 }
  const lines: string[] = []
  for (const { url, name, schema, value } of labelCases) {
    const page = files.find(file => file.url.startsWith(url))
    if (!page) {
      lines.push(`no page: ${url}`)
      continue
    }
    if (!(await engine.page(page.url))) await added(engine, [page])
    const asked = { urls: [page.url], schema: { type: 'object', properties: { [name]: schema } } }
    const { body } = await service.answer('extract', parseRequest(calls.extract.request, asked))
    const found = body.results[0]?.values?.[name] ?? undefined
    const outcome = found === value ? 'right' : found === undefined ? 'unknown' : 'wrong'
    outcomes[outcome]++
    if (outcome !== 'right')
      lines.push(`label ${outcome}: ${name} ${JSON.stringify(value)} ${JSON.stringify(found)} (${page.url})`)
  }
  const { right, wrong, unknown } = outcomes
  const said = `Labels: ${right} of ${right + wrong + unknown} as a person read them, ${wrong} wrong, ${unknown} unknown.`
  return list ? [said, ...lines].join('\n') : said
}

async function countUnverified(engine: Engine, { url, from }: Result): Promise<number> {
  const verdicts = await engine.verifyAll(from.map(({ quote }) => ({ url, quote })))
  const page = await engine.page(url)
  return from.filter(
    ({ quote, start, end }, i) => verdicts[i]?.verdict !== 'verbatim' || page?.markdown.slice(start, end) !== quote,
  ).length
}

function outcomeOf({ truth }: DeclaringPage, name: string, { values, missing }: Result): string | undefined {
  const value = values?.[name]
  const expected = truth[name]
  if (value !== undefined && value !== null) {
    if (expected === undefined) return 'unjudged'
    return isSame(value, expected) ? 'right' : 'wrong'
  }
  if (expected === undefined) return undefined
  return missing.find(({ path }) => path === `/${name}`)?.reason ?? 'not_found'
}

/** What is known of a value that is unknown. */
interface Unquoted {
  isStated: boolean
  isDeclaredRight?: boolean
}

function unquoted({ truth }: DeclaringPage, name: string, { values, missing }: Result, markdown: string): Unquoted {
  const expected = truth[name]
  if (expected === undefined || (values?.[name] ?? null) !== null) return { isStated: false }
  const declared = missing.find(({ path }) => path === `/${name}`)?.declared
  const sought = squeezed(plain(String(expected)))
  const isStated = sought.length >= LEAST_LETTERS && markdown.includes(sought)
  return declared === undefined ? { isStated } : { isStated, isDeclaredRight: isSame(declared, expected) }
}

/** Shorter values are in many texts by chance. */
const LEAST_LETTERS = 4

/** Returns the letters and digits of a text in small letters. */
function squeezed(text: string): string {
  return text
    .replace(/\]\([^()\s]*\)/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** Escapes that templates put into JSON by mistake, and white space, make no difference. */
function isSame(value: unknown, expected: DeclaredValue): boolean {
  return typeof value === 'string' && typeof expected === 'string'
    ? plain(value) === plain(expected)
    : value === expected
}

const escapes: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  thinsp: ' ',
  lt: '<',
  gt: '>',
  hellip: '…',
}

function plain(text: string): string {
  return text
    .replace(/&#x([\da-f]{1,5});/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(\w+);/g, (all, name: string) => escapes[name] ?? all)
    .replace(/\s+/g, ' ')
    .trim()
}

function count(
  tallies: Map<string, Tally>,
  key: string,
  outcome: string,
  { isStated, isDeclaredRight }: Unquoted,
): void {
  const tally = tallies.get(key) ?? {
    declared: 0,
    right: 0,
    wrong: 0,
    missing: {},
    stated: 0,
    declaredRight: 0,
    declaredWrong: 0,
    unjudged: 0,
  }
  tallies.set(key, tally)
  if (outcome === 'unjudged') {
    tally.unjudged++
    return
  }
  tally.declared++
  if (isStated) tally.stated++
  if (isDeclaredRight !== undefined) tally[isDeclaredRight ? 'declaredRight' : 'declaredWrong']++
  if (outcome === 'right' || outcome === 'wrong') tally[outcome]++
  else tally.missing[outcome] = (tally.missing[outcome] ?? 0) + 1
}

function share(part: number, of: number): string {
  return of === 0 ? '' : (part / of).toFixed(3).replace(/^0/, '')
}
