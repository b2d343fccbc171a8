import { z } from 'zod'

/** How the records of an addition are read. */
export const additionQuery = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .describe('The base of relative addresses in records.'),
})

export type AdditionQuery = z.output<typeof additionQuery>

const count = z.int().min(0)

export const additionResponse = z.strictObject({
  read: count.describe('Number of records, valid or not.'),
  added: count.describe('Number of versions with new text.'),
  revised: count.describe('Number of pages with the text that the index has, and other metadata.'),
  unchanged: count.describe('Number of pages that the index has as they are.'),
  removed: count.describe('Number of removals.'),
  failed: count.describe('Number of records that were not added.'),
  failures: z
    .array(
      z.strictObject({
        line: z.int().min(1).optional().describe('The number of the line. Absent if several lines have the address.'),
        url: z.string().optional(),
        code: z.string(),
        message: z.string(),
      }),
    )
    .describe('The first 100 records that were not added.'),
  warnings: z
    .array(
      z.strictObject({
        line: z.int().min(1).optional(),
        url: z.string(),
        field: z.string(),
        message: z.string().describe('Why the value was left out or shortened.'),
      }),
    )
    .describe('The first 100 values that were left out or shortened. Their records were added.'),
  unknown_fields: z.array(z.string()).describe('Fields that are not known, and were ignored.'),
})

/** What an addition of pages did: numbers of pages, and the records that failed. */
export type AdditionResponse = z.output<typeof additionResponse>
