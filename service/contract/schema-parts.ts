import { datePrecisions, dateSources } from '@asof/extract/page'
import { z } from 'zod'

/** Limits of the contract, spec part 8. Lengths are numbers of Unicode code points. */
export const limits = {
  queryChars: 2_048,
  snippetChars: { min: 180, max: 10_000 },
  results: { min: 1, max: 50, default: 10 },
  /**
   * Lengths of the contents of results; `defaultOfMode` is for the mode `realtime_content`. `all` limits the contents of one answer together,
   * so that a search is as large as the largest fetch.
   */
  contentChars: { min: 1, max: 50_000, default: 10_000, defaultOfMode: 20_000, all: 1_000_000 },
  sites: 100,
  facets: 32,
  deletedUrls: 10_000,
  facetValues: { min: 1, max: 1_000, default: 100 },
  offset: 10_000,
  weight: 100,
  suggestChars: 200,
  suggestions: { min: 1, max: 50, default: 10 },
  examples: { min: 0, max: 20, default: 5 },
  bins: { min: 10, max: 2_000, default: 400 },
  versions: { min: 1, max: 1_000, default: 100 },
  /** `longest` limits the content even if `max_chars` is larger. */
  fetchChars: { min: 1, default: 50_000, longest: 1_000_000 },
  promptChars: 2_000,
  passageChars: { min: 180, max: 50_000 },
  /** Length of the passages of a result together, and of one of them, in UTF-16 units. */
  resultPassagesChars: { min: 180, max: 10_000, default: 600 },
  resultPassageChars: { min: 180, max: 2_000 },
  passageTokens: { min: 50, max: 50_000, default: 2_000 },
  passagesPerPage: { min: 1, max: 100 },
  mappedUrls: { min: 1, max: 5_000, default: 1_000 },
  urlChars: 2_048,
  /** Pages of a crawl job, of which a server may allow fewer, and the characters of each. */
  crawledPages: 10_000,
  crawledChars: 50_000,
  crawlPatterns: 100,
  quoteChars: 2_000,
  quotes: 100,
  extractedUrls: 20,
  feedbackUrls: 200,
  feedbackTextChars: 10_000,
  feedbackScore: { min: 0, max: 5 },
} as const

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

export function text(maxChars: number) {
  return z
    .string()
    .refine(value => value.length <= maxChars || codePoints(value) <= maxChars, {
      error: `at most ${maxChars} characters`,
    })
    .meta({ maxLength: maxChars })
}

/** Returns the schema of an optional filter. An empty string and null count as no filter. */
export function filter(description: string) {
  return z
    .string()
    .nullish()
    .transform(value => (value === null || value === '' ? undefined : value))
    .optional()
    .describe(description)
}

/** Returns the schema of a list of short texts. The engine checks them. */
export function list(most: number, description: string) {
  return z.array(z.string()).max(most).optional().describe(`${description} In a query string separated by commas.`)
}

/**
 * Returns the schema of an object whose names depend on the index. `z.record` would drop the name `__proto__`. This schema
 * keeps it, so that the engine rejects it.
 */
export function object(description: string) {
  return z
    .unknown()
    .refine(isJsonObject, { error: 'must be an object' })
    .transform(value => value as Record<string, unknown>)
    .meta({ type: 'object', additionalProperties: {} })
    .describe(description)
}

export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const CITATION =
  'citation adds to each indexed page a permanent link to the version that was read, and a line to paste.'

/**
 * Returns the schema of the names of parts that an answer has only if a request names them.
 *
 * @param description - of the parts besides the citation.
 */
export function includeOf<const Part extends string>(parts: readonly Part[], description: string) {
  return z
    .array(z.enum(parts))
    .max(parts.length)
    .optional()
    .describe(`${[CITATION, description].join(' ').trim()} In a query string separated by commas. An extension.`)
}

/** For answers whose only such part is the citation. */
export const includeCitation = includeOf(['citation'], '')

export const citation = z
  .strictObject({
    url: z
      .string()
      .describe(
        'Shows the page as it was, as long as the index keeps this version. In results its fragment names the matching passage. Relative if the server is not known by an address.',
      ),
    text: z.string().describe('Title, site, publish date if known, instant and link, to paste.'),
  })
  .optional()

export type Citation = NonNullable<z.output<typeof citation>>

/** The fields of a page, as JSON values. */
export const pageFields = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    'The fields of the page, by name. An instant is {"$date": "2026-01-31T10:00:00.000Z"}, a text {"$text": "…"}. Absent if it has none.',
  )

/** Where a publish date was found, and how precise it is there. */
export const publishedFrom = z.strictObject({ source: z.enum(dateSources), precision: z.enum(datePrecisions) })
