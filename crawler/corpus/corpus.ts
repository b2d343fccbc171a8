import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type FieldRules, isAsofError } from '@asof/core'
import { unknownName } from '@asof/extract/errors'
import { fieldTypes } from '@asof/extract/field-kinds'
import { parseFieldRules } from '@asof/extract/internal'
import { z } from 'zod'
import { CrawlError } from '../errors.ts'
import { fieldPath, fieldReasons } from '../field-reason.ts'

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048)
const pathPattern = z.string().startsWith('/').max(2048)
const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}(?:min|h|d|w)$/, 'must be a whole number with a unit, for example 30min, 6h, 7d or 4w')

const scopeSchema = z.strictObject({
  type: z
    .enum(['host', 'domain', 'prefix'])
    .default('host')
    .describe(
      'host: the hosts of the seeds; domain: the registrable domains of the seeds; prefix: URLs that start with the URL of a seed',
    ),
  include: z
    .array(pathPattern)
    .max(1000)
    .optional()
    .describe(
      'Only URLs whose path and query start with one of these patterns; * matches any characters, a final $ the end of the URL',
    ),
  exclude: z
    .array(pathPattern)
    .max(1000)
    .optional()
    .describe('No URL whose path and query start with one of these patterns; same syntax as include'),
})

const politenessSchema = z.strictObject({
  requestsPerSecond: z
    .number()
    .positive()
    .max(10_000)
    .optional()
    .describe('Maximum number of requests per second over all hosts; default no limit'),
  concurrency: z.int().min(1).max(1000).optional().describe('Maximum number of concurrent requests; default 16'),
  adaptiveFactor: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe("The pause between requests to a host is at least this many times the host's response time; default 1"),
  maxCrawlDelayMs: z
    .int()
    .min(0)
    .max(86_400_000)
    .optional()
    .describe('Longest Crawl-delay of a robots.txt that is obeyed, in milliseconds; default 60,000'),
})

const recrawlSchema = z.strictObject({
  minInterval: duration.optional().describe('Shortest time between two visits of a page; default 1h'),
  maxInterval: duration.optional().describe('Longest time between two visits of a page; default 30d'),
  pagesPerDay: z
    .int()
    .min(1)
    .optional()
    .describe('Maximum number of requests per day while watching; default no limit'),
  changeThreshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Share of a page's words, 0 to 1, that may change without a new capture; default 0"),
})

/** Headers that a corpus cannot set: the fetcher sets them, or they control the connection. */
const reservedHeaders = new Set(
  `accept-encoding connection content-length expect host if-modified-since if-none-match keep-alive te trailer
  transfer-encoding upgrade user-agent`.match(/\S+/g),
)

const headersSchema = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a header name: letters, digits and dashes')
      .toLowerCase()
      .refine(name => !reservedHeaders.has(name), 'cannot be set, because the crawler sets this header itself'),
    z
      .string()
      .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')
      .max(4096),
  )
  .describe('Headers sent with each request to the sites of the seeds, and to no other site')

const sourceSchema = z.string().max(1000)
const fieldsSchema = z
  .record(
    z.string(),
    z.union([
      sourceSchema,
      z.array(sourceSchema).min(1).max(8),
      z.strictObject({
        from: z
          .union([sourceSchema, z.array(sourceSchema).min(1).max(8)])
          .describe('A source, or several of which the first that has a value is used'),
        type: z
          .enum(fieldTypes)
          .optional()
          .describe(
            'The type of the values; default the type that schema.org gives the property of the first source, otherwise keyword',
          ),
        values: z
          .enum(['first', 'all'])
          .optional()
          .describe('first: only the first value of a page counts; default all'),
      }),
    ]),
  )
  .superRefine((fields, context) => {
    try {
      parseFieldRules(fields as FieldRules)
    } catch (error) {
      if (!isAsofError(error, 'ASOF_INVALID_OPTION')) throw error
      const path = String(error.details?.field)
      context.addIssue({
        code: 'custom',
        path: path.split('.').slice(1),
        message: error.message.replace(`${path} `, ''),
      })
    }
  })
  .describe(
    'Values to filter by, read from HTML pages, by field: "json-ld: offers.price", "microdata: offers.price", "meta: name" or "css: .price"',
  )

/** The fields of a corpus definition. */
export const corpusSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,63}$/,
      'must be at most 64 lower-case letters, digits, dots, dashes and underscores, and start with a letter or digit',
    )
    .describe('Identifies the crawl: a later crawl with the same name resumes it, or visits the same pages again'),
  description: z.string().max(1000).optional().describe('A note for readers of this file; the crawler ignores it'),
  seeds: z.array(httpUrl).min(1).max(10_000).describe('URLs where the crawl starts'),
  sitemaps: z.array(httpUrl).max(1000).optional().describe('Sitemaps besides those that robots.txt names'),
  feeds: z.array(httpUrl).max(1000).optional().describe('RSS and Atom feeds that list new and changed pages'),
  scope: scopeSchema.default({ type: 'host' }),
  maxPages: z
    .int()
    .min(1)
    .optional()
    .describe('Maximum number of pages requested in one run; while watching, maximum number of known URLs'),
  maxPagesPerHost: z.int().min(1).optional().describe('Maximum number of known URLs of one host; default 1,000,000'),
  maxDepth: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe('Maximum number of links between a seed and a page; default 32'),
  delayMs: z
    .int()
    .min(0)
    .max(3_600_000)
    .optional()
    .describe('Shortest pause between two requests to a host, in milliseconds; default 1,000'),
  politeness: politenessSchema.optional(),
  userAgent: z
    .string()
    .regex(/^[A-Za-z0-9_-][\x20-\x7e]*$/, 'must start with a product token such as asof: letters, digits, _ and -')
    .max(256)
    .optional()
    .describe('The whole User-Agent header; robots.txt rules are applied for the product token that it starts with'),
  contactUrl: httpUrl
    .optional()
    .describe('A page that tells site owners who crawls; becomes part of the default user agent'),
  language: z
    .string()
    .regex(
      /^[A-Za-z0-9-]+(?:, ?[A-Za-z0-9-]+(?:;q=[01](?:\.\d{1,3})?)?)*$/,
      'must be a list of language tags as in Accept-Language, for example "de, en;q=0.5"',
    )
    .max(256)
    .optional()
    .describe('Preferred languages, sent as Accept-Language'),
  headers: headersSchema.optional(),
  schedule: duration.optional().describe('How often seeds, sitemaps and feeds are read while watching; default 1h'),
  recrawl: recrawlSchema.optional(),
  fields: fieldsSchema.optional(),
  rendering: z
    .enum(['off', 'auto', 'always'])
    .optional()
    .describe('Which pages Chromium renders: off (default), auto for pages that need JavaScript, or always'),
})

const corpusSynonyms = { urls: 'seeds', start: 'seeds', limit: 'maxPages', depth: 'maxDepth', delay: 'delayMs' }
/** Maximum number of problems that an error lists. */
const MAX_ISSUES = 100

/** Returns the JSON Schema of corpus definitions, with which editors check and complete them. */
export function corpusJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(corpusSchema, { io: 'input' })
  return { $schema, title: 'A corpus that asof crawls', ...schema }
}

/** Converts a duration of a corpus definition (`30min`, `6h`) to milliseconds. */
export function durationMs(text: string): number {
  const unitMs = { min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
  const [, count, unit] = /^(\d+)([a-z]+)$/.exec(text) ?? []
  if (count === undefined) throw new TypeError(`not a duration: ${text}`)
  return Number(count) * unitMs[unit as keyof typeof unitMs]
}

/** A checked corpus definition with its defaults filled in. */
export type Corpus = z.output<typeof corpusSchema>
/** A corpus definition as written, without defaults. */
export type CorpusInput = z.input<typeof corpusSchema>

/**
 * Checks a corpus definition and fills in its defaults.
 *
 * @throws ASOF_CORPUS_INVALID - `details.issues` lists `{ path, message }`; unknown fields are issues too.
 */
export function parseCorpus(definition: unknown): Corpus {
  return check(definition, 'corpus')
}

/** @param name - the name of the definition in errors. */
function check(definition: unknown, name: string): Corpus {
  const result = corpusSchema.safeParse(definition, { reportInput: true })
  if (result.success) return result.data
  const unknown = (key: string, known: readonly string[]) =>
    `unknown field; ${unknownName(key, known, corpusSynonyms).hint}`
  const issues = fieldReasons(corpusSchema, result.error, unknown)
    .slice(0, MAX_ISSUES)
    .map(({ path, reason }) => ({ path: fieldPath(path), message: reason }))
  const listed = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  throw new CrawlError('ASOF_CORPUS_INVALID', `${name}: ${listed}`, { details: { issues } })
}

/**
 * Reads and checks a corpus definition in a JSON file.
 *
 * @throws ASOF_CORPUS_INVALID - the file cannot be read, is not JSON, or is not a valid definition.
 */
export async function loadCorpus(file: string): Promise<Corpus> {
  let definition: unknown
  try {
    definition = JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read; check that the file exists'
    throw new CrawlError('ASOF_CORPUS_INVALID', `${file}: ${why}`, { cause })
  }
  return check(definition, file)
}

/**
 * Makes a corpus from seeds. Its scope is the hosts of the seeds. Its name depends on the seeds, but not on their
 * order.
 */
export function corpusOfSeeds(seeds: string[]): Corpus {
  const host = URL.parse(seeds[0] ?? '')?.hostname.replace(/[^a-z0-9.-]/g, '') || 'seeds'
  const key = createHash('sha256')
    .update([...new Set(seeds)].sort().join('\n'))
    .digest('hex')
    .slice(0, 12)
  return parseCorpus({ name: `${host.replace(/^[^a-z0-9]+/, '').slice(0, 48) || 'seeds'}-${key}`, seeds })
}
