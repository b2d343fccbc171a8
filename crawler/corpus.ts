import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { AsofError } from '../core/index.ts'

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048)
const pathPrefix = z.string().startsWith('/').max(2048)

const scopeSchema = z.strictObject({
  type: z
    .enum(['host', 'domain', 'prefix'])
    .default('host')
    .describe(
      'host: the hosts of the seeds; domain: their registrable domains; prefix: URLs that start as a seed does',
    ),
  include: z.array(pathPrefix).max(1000).optional().describe('Only paths that start with one of these'),
  exclude: z.array(pathPrefix).max(1000).optional().describe('No path that starts with one of these'),
})

/** What a corpus definition file may say. */
export const corpusSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'lower-case letters, digits, dot, dash and underscore, at most 64')
    .describe('Names the crawl: the same name resumes and re-visits the same pages'),
  seeds: z.array(httpUrl).min(1).max(10_000).describe('Where the crawl starts'),
  sitemaps: z.array(httpUrl).max(1000).optional().describe('Sitemaps beyond those that robots.txt names'),
  scope: scopeSchema.default({ type: 'host' }),
  maxPages: z.int().min(1).optional().describe('Pages fetched in one run at most'),
  maxDepth: z.int().min(0).max(1000).optional().describe('Links followed from a seed at most'),
  delayMs: z.int().min(0).max(3_600_000).optional().describe('Between two requests to a host; default 1,000'),
  userAgent: z
    .string()
    .regex(/^[A-Za-z_-]+[\x20-\x7e]*$/, 'must start with a product token')
    .max(256)
    .optional()
    .describe('The whole User-Agent header; its first word is the name that robots.txt is asked about'),
})

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
  const parsed = corpusSchema.safeParse(definition)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(issue => ({ path: issue.path.join('.'), message: issue.message }))
  const first = issues[0]!
  throw new AsofError('ASOF_CORPUS_INVALID', `${name}: ${first.path === '' ? '' : `${first.path}: `}${first.message}`, {
    details: { issues },
  })
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
    const why = cause instanceof Error ? cause.message : String(cause)
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
