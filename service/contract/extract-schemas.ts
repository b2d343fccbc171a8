import { z } from 'zod'
import { instantForms, pageUrl } from './page-schemas.ts'
import { filter, limits, object } from './schema-parts.ts'

/** The request to extract values from pages, an extension. */
export const extractRequest = z.strictObject({
  urls: z.array(pageUrl).min(1).max(limits.extractedUrls).describe('The pages to read.'),
  schema: object(
    'The JSON Schema of the values of one page: an object with up to 64 properties, in up to 4 objects in one another. References, alternatives and regular expressions are not supported.',
  ),
  query_time: filter(`Read the pages as the index had them at this point. ${instantForms}`),
  model: z
    .boolean()
    .default(false)
    .describe(
      'true lets the language model of the server look for the values that are still missing. It only chooses passages of the page. Needs a server with a language model.',
    ),
})

export type ExtractRequest = z.output<typeof extractRequest>

const pointer = z.string().describe('Where the value is in `values`: a JSON Pointer.')

export const extractResponse = z.strictObject({
  results: z
    .array(
      z.strictObject({
        url: z.string().describe('The URL under which the page is stored.'),
        acquired_at: z.iso.datetime().optional().describe('When the text that was read was indexed.'),
        values: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe(
            'The values of the schema, with null for each that is unknown. null if the index does not have the page.',
          ),
        from: z
          .array(
            z.strictObject({
              path: pointer,
              kind: z
                .enum(['data', 'field', 'page', 'label', 'model'])
                .describe(
                  'data: structured data of the page; field: a field of the corpus; page: a fact about the page, such as its author; label: a table, list or line with a label; model: the language model.',
                ),
              name: z.string().describe('The path of properties, or the name of the field, the fact or the label.'),
              quote: z
                .string()
                .describe('The passage of the Markdown that states the value. `/v1/verify` finds it verbatim.'),
              start: z.int().describe('Where the quote begins in the Markdown of the page, in UTF-16 units.'),
              end: z.int().describe('The offset behind it.'),
            }),
          )
          .describe('One for each value.'),
        missing: z
          .array(
            z.strictObject({
              path: pointer,
              reason: z
                .enum(['not_found', 'no_quote', 'type', 'conflict'])
                .describe(
                  'not_found: no source has a value; no_quote: a source has one, and the text of the page does not state it; type: it does not fit the schema; conflict: one source has several.',
                ),
              declared: z
                .union([z.string(), z.number(), z.boolean()])
                .optional()
                .describe('What the source has, if the reason is no_quote. Nothing on the page proves it.'),
            }),
          )
          .describe('The values that are unknown.'),
        error: z
          .string()
          .optional()
          .describe('not_indexed if the index does not have the page. The page then has no values.'),
      }),
    )
    .describe('One for each URL, in the order of the request.'),
})

export type ExtractResponse = z.output<typeof extractResponse>
