import { z } from 'zod'
import { instantForms, pageUrl } from './page-schemas.ts'
import { filter, limits, text } from './schema-parts.ts'

/** The request for the URLs of a site, an extension. */
export const mapRequest = z.strictObject({
  url: pageUrl.describe(
    'A site, such as https://example.com/, or the beginning of a part of it, such as https://example.com/docs.',
  ),
  search: text(limits.queryChars)
    .regex(/\S/u, { error: 'must not be empty' })
    .optional()
    .describe('Only pages with these words, the best first. Default: all pages, the last captured first.'),
  include_subdomains: z.boolean().default(false).describe('true also lists the pages of subdomains.'),
  limit: z.int().min(limits.mappedUrls.min).max(limits.mappedUrls.max).default(limits.mappedUrls.default),
  cursor: filter('The `next` of the previous answer to the same request; the answer continues it, as of its instant.'),
  query_time: filter(`List the pages that the index had at this point. ${instantForms}`),
})

export type MapRequest = z.output<typeof mapRequest>

export const mapResponse = z.strictObject({
  urls: z.array(
    z.strictObject({
      url: z.string(),
      title: z.string(),
      acquired_at: z.iso.datetime().describe('When the text of the page was indexed.'),
      published_at: z.iso.datetime().optional(),
    }),
  ),
  next: z.string().optional().describe('Present if there may be more pages; pass it as `cursor`.'),
  warning: z.string().optional().describe('Present if the index had no pages at all, for example.'),
})

export type MapResponse = z.output<typeof mapResponse>
