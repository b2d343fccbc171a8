import { z } from 'zod'

/** The body of every error response, spec 2.7. */
export const errorResponse = z.strictObject({
  error: z.string().describe('Stable error category.'),
  message: z.string(),
  details: z.unknown().optional(),
  code: z
    .string()
    .optional()
    .describe('On storefront routes: the same as `error`, or `settlement_pending` if a payment may have succeeded.'),
  register: z.unknown().optional().describe('How to register, if a token is required.'),
  plans: z.unknown().optional().describe('The plans that cover the call, if one is required.'),
})

/** The body of an error response, spec 2.7. */
export type ErrorResponse = z.output<typeof errorResponse>

/** An entry of `details` in an error about fields. */
export interface FieldProblem {
  /** The wire name of the field. Empty if the problem is about the request as a whole. */
  path: string
  /** What is wrong with the value and what was expected. */
  reason: string
  /** The position of the problem in the value of the field, in UTF-16 units. Absent if it has no position. */
  position?: number
}
