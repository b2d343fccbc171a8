import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { AsofError, unknownName } from '@asof/core'
import { z } from 'zod'
import { fieldReasons } from './field-reason.ts'

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048)
const pathPattern = z.string().startsWith('/').max(2048)
const duration = z.string().regex(/^[1-9]\d{0,5}(?:min|h|d|w)$/, 'a whole number with a unit: 30min, 6h, 7d, 4w')

const scopeSchema = z.strictObject({
  type: z
    .enum(['host', 'domain', 'prefix'])
    .default('host')
    .describe(
      'host: the hosts of the seeds; domain: their registrable domains; prefix: URLs that start as a seed does',
    ),
  include: z
    .array(pathPattern)
    .max(1000)
    .optional()
    .describe('Only paths (with their query) that start so; * stands for any characters, a final $ for the end'),
  exclude: z.array(pathPattern).max(1000).optional().describe('No path that starts so; written as in include'),
})

const politenessSchema = z.strictObject({
  requestsPerSecond: z.number().positive().max(10_000).optional().describe('Over all hosts, at most'),
  concurrency: z.int().min(1).max(1000).optional().describe('Requests under way at a time; default 16'),
  adaptiveFactor: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe('The pause is at least so many times what the host takes to answer; default 1'),
  maxCrawlDelayMs: z.int().min(0).max(86_400_000).optional().describe('How much Crawl-delay is obeyed; default 60,000'),
})

const recrawlSchema = z.strictObject({
  minInterval: duration.optional().describe('The shortest time between two visits of a page; default 1h'),
  maxInterval: duration.optional().describe('The longest; default 30d'),
  pagesPerDay: z.int().min(1).optional().describe('Requests a day at most while watching'),
  changeThreshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Share of a page's words that may change without its making a new capture; default 0"),
})

/** Headers that the fetcher sets itself, or that are the connection's own. */
const reservedHeaders = new Set(
  `accept-encoding connection content-length expect host if-modified-since if-none-match keep-alive te trailer
  transfer-encoding upgrade user-agent`.match(/\S+/g),
)

const headersSchema = z
  .record(
    z
      .string()
      .regex(/^[a-z0-9-]{1,64}$/, 'a lower-case header name')
      .refine(name => !reservedHeaders.has(name), 'is set by the crawler itself'),
    z
      .string()
      .regex(/^[\x20-\x7e]*$/, 'printable ASCII')
      .max(4096),
  )
  .describe('Sent with each request to the sites of the seeds, and to no others')

/** What a corpus definition file may say. */
export const corpusSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'lower-case letters, digits, dot, dash and underscore, at most 64')
    .describe('Names the crawl: the same name resumes and re-visits the same pages'),
  description: z.string().max(1000).optional().describe('For people'),
  seeds: z.array(httpUrl).min(1).max(10_000).describe('Where the crawl starts'),
  sitemaps: z.array(httpUrl).max(1000).optional().describe('Sitemaps beyond those that robots.txt names'),
  feeds: z.array(httpUrl).max(1000).optional().describe('RSS and Atom feeds that tell of new and changed pages'),
  scope: scopeSchema.default({ type: 'host' }),
  maxPages: z.int().min(1).optional().describe('Pages fetched in one run at most; while watching, pages known at most'),
  maxPagesPerHost: z.int().min(1).optional().describe('URLs of one host known at most; default 1,000,000'),
  maxDepth: z.int().min(0).max(1000).optional().describe('Links followed from a seed at most; default 32'),
  delayMs: z.int().min(0).max(3_600_000).optional().describe('Between two requests to a host; default 1,000'),
  politeness: politenessSchema.optional(),
  userAgent: z
    .string()
    .regex(/^[A-Za-z0-9_-][\x20-\x7e]*$/, 'must start with a product token such as asof: letters, digits, _ and -')
    .max(256)
    .optional()
    .describe('The whole User-Agent header; its first word is the name that robots.txt is asked about'),
  contactUrl: httpUrl.optional().describe('Where site owners find out who crawls; goes into the default user agent'),
  language: z
    .string()
    .regex(
      /^[A-Za-z0-9-]+(?:, ?[A-Za-z0-9-]+(?:;q=[01](?:\.\d{1,3})?)?)*$/,
      'language tags, as Accept-Language has them',
    )
    .max(256)
    .optional()
    .describe('The languages that sites are asked for'),
  headers: headersSchema.optional(),
  schedule: duration
    .optional()
    .describe('While watching: how often seeds, sitemaps and feeds are looked at; default 1h'),
  recrawl: recrawlSchema.optional(),
  rendering: z
    .enum(['off', 'auto', 'always'])
    .optional()
    .describe('Whether pages are rendered by a Chromium: never (default), those that need JavaScript, all'),
})

const corpusSynonyms = { urls: 'seeds', start: 'seeds', limit: 'maxPages', depth: 'maxDepth', delay: 'delayMs' }
/** Problems of one definition that are named; nobody corrects more at a time. */
const MAX_ISSUES = 100

/** The definition as JSON Schema, for editors. */
export function corpusJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(corpusSchema, { io: 'input' })
  return { $schema, title: 'A corpus that asof crawls', ...schema }
}

/** A time of a definition (`30min`, `6h`) in milliseconds. */
export function durationMs(text: string): number {
  const unitMs = { min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
  const [, count, unit] = /^(\d+)([a-z]+)$/.exec(text)!
  return Number(count) * unitMs[unit as keyof typeof unitMs]
}

/** A corpus definition as checked and completed. */
export type Corpus = z.output<typeof corpusSchema>
/** A corpus definition as written. */
export type CorpusInput = z.input<typeof corpusSchema>

/**
 * Checks a corpus definition and fills in its defaults.
 *
 * @throws ASOF_CORPUS_INVALID - `details.issues` lists `{ path, message }`; unknown fields are issues too.
 */
export function parseCorpus(definition: unknown): Corpus {
  return checked(definition, 'corpus')
}

/** @param name - what the message calls the definition. */
function checked(definition: unknown, name: string): Corpus {
  const parsed = corpusSchema.safeParse(definition, { reportInput: true })
  if (parsed.success) return parsed.data
  const unknown = (key: string, known: readonly string[]) =>
    `unknown field; ${unknownName(key, known, corpusSynonyms).hint}`
  const issues = fieldReasons(corpusSchema, parsed.error, unknown)
    .slice(0, MAX_ISSUES)
    .map(({ path, reason }) => ({ path: path.join('.'), message: reason }))
  const listed = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  throw new AsofError('ASOF_CORPUS_INVALID', `${name}: ${listed}`, { details: { issues } })
}

/**
 * Reads a corpus definition from a JSON file.
 *
 * @throws ASOF_CORPUS_INVALID - the file can't be read, is no JSON, or is no valid definition.
 */
export async function loadCorpus(file: string): Promise<Corpus> {
  let definition: unknown
  try {
    definition = JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'is not valid JSON' : "can't be read: is there such a file?"
    throw new AsofError('ASOF_CORPUS_INVALID', `${file}: ${why}`, { cause })
  }
  return checked(definition, file)
}

/** The corpus of bare seeds: the hosts they stand on. Its name depends on the set of seeds alone. */
export function corpusOfSeeds(seeds: string[]): Corpus {
  const host = URL.parse(seeds[0] ?? '')?.hostname.replace(/[^a-z0-9.-]/g, '') || 'seeds'
  const key = createHash('sha256')
    .update([...new Set(seeds)].sort().join('\n'))
    .digest('hex')
    .slice(0, 12)
  return parseCorpus({ name: `${host.replace(/^[^a-z0-9]+/, '').slice(0, 48) || 'seeds'}-${key}`, seeds })
}
