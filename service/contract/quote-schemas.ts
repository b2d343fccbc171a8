import { z } from 'zod'
import { instantForms, pageUrl } from './page-schemas.ts'
import { filter, limits, text } from './schema-parts.ts'

/** The request to verify quotes, an extension. */
export const verifyRequest = z.strictObject({
  quotes: z
    .array(
      z.strictObject({
        url: pageUrl,
        quote: text(limits.quoteChars)
          .regex(/[\p{L}\p{N}]/u, { error: 'must have at least one word' })
          .describe('The words that are said to be on the page. An ellipsis stands for words that were left out.'),
        query_time: filter(`Judge by what the index had at this point. ${instantForms}`),
      }),
    )
    .min(1)
    .max(limits.quotes)
    .describe('The quotes to judge, of one page or of many.'),
})

export type VerifyRequest = z.output<typeof verifyRequest>

/** The number of characters of the longest quote. A type, because the console imports no schema. */
export type LongestQuote = typeof limits.quoteChars

const instant = z.iso.datetime()

export const verifyResponse = z.strictObject({
  verdicts: z
    .array(
      z.strictObject({
        verdict: z
          .enum(['verbatim', 'contradicted', 'reworded', 'gone', 'unknown_page'])
          .describe(
            'verbatim: the page has the words, numbers and signs in this order; contradicted: it has a passage that matches, but with another number, unit, name, date or sign, or a negation; reworded: it has a passage with most of the words; gone: it has no such passage, or there is no page any more; unknown_page: the index never had the page.',
          ),
        url: z.string().describe('The URL under which the page is stored.'),
        instant: instant.describe('The instant of the answer.'),
        acquired_at: instant.optional().describe('When the text was indexed by which the quote was judged.'),
        last_seen_at: instant.optional().describe('When the page was last seen with that text.'),
        passage: z
          .strictObject({
            text: z.string().describe('The passage without Markdown marks: its first 10,000 UTF-16 units.'),
            start: z.int().describe('Where it begins in the Markdown of the page, in UTF-16 units.'),
            end: z.int().describe('The offset behind it.'),
          })
          .optional(),
        differences: z
          .array(
            z.strictObject({
              quote: z.string(),
              page: z.string(),
              contradicts: z
                .enum(['number', 'unit', 'name', 'date', 'negation', 'sign'])
                .optional()
                .describe('What is another one on the page. Absent if only the words differ.'),
            }),
          )
          .optional()
          .describe(
            'Where the passage has other words than the quote, until those of the page have 10,000 UTF-16 units.',
          ),
        stood: z
          .array(z.strictObject({ from: instant, until: instant.optional() }))
          .describe('When the page had the quote verbatim, oldest first; without `until` it still has it.'),
        read_from: instant
          .optional()
          .describe('Present if the history is too long to be read whole: `stood` begins at the earliest here.'),
      }),
    )
    .describe('One for each quote, in the order of the request.'),
})

export type VerifyResponse = z.output<typeof verifyResponse>
