import { pageKinds } from '@asof/extract/page'
import { z } from 'zod'
import {
  citation,
  filter,
  includeCitation,
  includeOf,
  limits,
  pageFields,
  publishedFrom,
  text,
} from './schema-parts.ts'

export const pageUrl = z
  .string()
  .refine(value => URL.canParse(value), { error: 'must be an absolute URL' })
  .meta({ format: 'uri' })
  .describe('URL of the page.')

export const instantForms = 'A date, a timestamp, a Unix epoch, or a delta back from now such as 7d or 2w.'

/** The request of a fetch, spec E3; always in the query string. `query_time` is an extension. */
export const fetchRequest = z
  .strictObject({
    url: pageUrl,
    max_chars: z
      .int()
      .min(limits.fetchChars.min)
      .default(limits.fetchChars.default)
      .describe(
        `Longer content is truncated to this many characters, and in any case to ${limits.fetchChars.longest}.`,
      ),
    live: z
      .boolean()
      .default(false)
      .describe('true fetches the page from its site, whether it is indexed or not; false serves indexed pages only.'),
    prompt: text(limits.promptChars)
      .regex(/\S/u, { error: 'must not be empty' })
      .optional()
      .describe(
        'An instruction, such as "list the prices"; content is then only the answer to it, taken from the page.',
      ),
    query_time: filter(`Return the page as the index had it at this point; not with live=true. ${instantForms}`),
    include: includeOf(
      ['citation', 'metadata'],
      'metadata adds what is known of the page besides its text: description, language, kind, structured data and more.',
    ),
  })
  .check(({ value, issues }) => {
    if (!value.live || value.query_time === undefined) return
    for (const [field, other] of [
      ['live', 'query_time'],
      ['query_time', 'live'],
    ] as const)
      issues.push({ code: 'custom', path: [field], input: value[field], message: `not together with ${other}` })
  })

export type FetchRequest = z.output<typeof fetchRequest>

/** What is known of a page besides its text, author, dates and fields. */
const metadata = {
  description: z.string().optional(),
  site_name: z.string().optional(),
  lang: z.string().optional().describe('The language that the page declares, as a tag.'),
  kind: z.enum(pageKinds).optional(),
  published_from: publishedFrom.optional().describe('Where the publish date was found.'),
  revised_at: z.iso.datetime().optional().describe('When these metadata were indexed, if later than the text.'),
  data: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe('Structured data of the page, as JSON-LD in the vocabulary of schema.org.'),
}
const lastSeenAt = z.iso.datetime().describe('When the page was last seen, up to query_time.')

/** The response of a fetch, spec 2.3. */
export const fetchResponse = z.strictObject({
  url: z.string().describe('The URL of the page; after a redirect it differs from the requested URL.'),
  content: z.string().describe('Extracted markdown, or the answer to the prompt.'),
  title: z.string(),
  author: z.string().optional(),
  published_at: z.iso.datetime().optional(),
  description: z.literal('').describe('Deprecated, always empty.').meta({ deprecated: true }),
  acquired_at: z.iso
    .datetime()
    .optional()
    .describe('When this text of the page was indexed; absent from a live fetch. An extension.'),
  superseded_at: z.iso
    .datetime()
    .optional()
    .describe(
      'When this version stopped being current; absent if it is current, and without query_time. The only field about what happened after query_time. An extension.',
    ),
  fields: pageFields,
  metadata: z
    .strictObject({ ...metadata, last_seen_at: lastSeenAt.optional() })
    .optional()
    .describe('Only if the request includes it. A page that is fetched live has no last_seen_at. An extension.'),
  citation,
})

export type FetchResponse = z.output<typeof fetchResponse>

/** Parameters of `GET /v1/page`. */
export const pageRequest = z.strictObject({
  url: pageUrl,
  query_time: filter(`Return the page as the index had it at this point. ${instantForms}`),
  max_chars: z
    .int()
    .min(limits.fetchChars.min)
    .default(limits.fetchChars.default)
    .describe(`Longer content is truncated to this many characters, and in any case to ${limits.fetchChars.longest}.`),
  include: includeCitation,
})

export type PageRequest = z.output<typeof pageRequest>

export const pageResponse = z.strictObject({
  url: z.string().describe('The URL under which the page is stored.'),
  title: z.string(),
  content: z.string().describe('Extracted markdown.'),
  truncated: z.boolean().describe('True if the page has more content.'),
  author: z.string().optional(),
  ...metadata,
  published_at: z.iso.datetime().optional(),
  acquired_at: z.iso.datetime().describe('When this text was indexed.'),
  last_seen_at: lastSeenAt,
  fields: pageFields,
  citation,
})

export type PageResponse = z.output<typeof pageResponse>

/** The request of a page's history, an extension. */
export const historyRequest = z.strictObject({
  url: pageUrl,
  query_time: filter(`List only what had happened by this point. ${instantForms}`),
  limit: z
    .int()
    .min(limits.versions.min)
    .max(limits.versions.max)
    .default(limits.versions.default)
    .describe('The maximum number of versions in the answer; for large pages the answer may have fewer.'),
  after: filter('The `next` of the previous answer; the answer continues after it.'),
})

export type HistoryRequest = z.output<typeof historyRequest>

export const historyResponse = z.strictObject({
  url: z.string().describe('The URL under which the page is stored.'),
  versions: z
    .array(
      z.strictObject({
        kind: z
          .enum(['capture', 'revision', 'removal'])
          .describe(
            'capture: the text changed; revision: only metadata or markup changed; removal: the page was gone.',
          ),
        at: z.iso.datetime().describe('When the version began.'),
        last_seen_at: z.iso.datetime().describe('When the page was last seen unchanged.'),
        superseded_at: z.iso.datetime().optional().describe('When the next version began; absent from the last one.'),
        title: z.string(),
        published_at: z.iso.datetime().optional(),
        changed: z
          .array(
            z.enum([
              'title',
              'text',
              'markup',
              'published_at',
              'author',
              'description',
              'lang',
              'site_name',
              'kind',
              'data',
              'fields',
            ]),
          )
          .describe('What differs from the previous version; empty for the first version and for a removal.'),
      }),
    )
    .describe('Oldest first.'),
  next: z.string().optional().describe('Present if there are more versions; pass it as `after`.'),
})

export type HistoryResponse = z.output<typeof historyResponse>
