import { z } from 'zod'
import { limits, object } from './schema-parts.ts'

/** Which pages an administrator removes or purges. */
export const deletionRequest = z.strictObject({
  urls: z
    .array(z.string())
    .max(limits.deletedUrls)
    .optional()
    .describe('Addresses of pages. A list cannot be combined with site, prefix, filter and all.'),
  site: z
    .string()
    .optional()
    .describe('All pages of one domain and its subdomains. No public suffix, such as com or github.io.'),
  prefix: z.string().optional().describe('All pages whose address begins so, such as https://example.com/old/.'),
  filter: object(
    'All pages whose fields fulfill these conditions, as in a search. Some page must have each of the fields, and "not" must leave a page.',
  ).optional(),
  all: z
    .literal(true)
    .optional()
    .describe('true: every page of the index. It cannot be combined with site, prefix and filter.'),
  at: z
    .string()
    .optional()
    .describe(
      'A date or timestamp of the past: pages are selected as they were then. A removal is recorded at this time. Not with urls in a purge.',
    ),
  dry_run: z.boolean().default(false).describe('Changes nothing; the answer says what would be deleted.'),
})

export type DeletionRequest = z.output<typeof deletionRequest>

export const deletionResponse = z.strictObject({
  pages: z.int().min(0).describe('Number of pages that were removed or purged.'),
  captures: z.int().min(0).describe('Number of versions that were purged; 0 for a removal.'),
  failed: z.int().min(0).describe('Number of addresses of the list that are not valid.'),
  failures: z
    .array(z.strictObject({ url: z.string(), message: z.string(), code: z.string() }))
    .describe('The first 100 addresses that are not valid.'),
  finished: z.boolean().describe('false: the time was up; the same request deletes the rest.'),
})

/** What a removal or a purge of many pages did. While `finished` is false, the same request deletes the rest. */
export type DeletionResponse = z.output<typeof deletionResponse>
