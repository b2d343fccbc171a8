import type { z } from 'zod'
import type { ChargedCall } from '../../../service/accounts/index.ts'
import {
  type Answered,
  type CallName,
  type RequestOf,
  type ResponseOf,
  readRequest,
  requestReading,
} from '../../../service/index.ts'
import type { ToolBackend } from '../tool-backend.ts'
import { toolArguments } from './tool-arguments.ts'

/** How the arguments of a tool become the request of a call. */
interface ToolReading<Schema extends z.ZodType, N extends CallName> {
  schema: Schema
  toRequest: (asked: z.output<Schema>) => RequestOf<N>
}

/**
 * Reads the arguments that a model gave, and makes the call.
 *
 * @throws ServiceError invalid_request - `details` names every invalid argument.
 * @throws what the backend throws.
 */
export async function answerTool<N extends CallName, Schema extends z.ZodType>(
  backend: ToolBackend,
  name: N,
  given: unknown,
  { schema, toRequest }: ToolReading<Schema, N>,
): Promise<ChargedCall<Answered<ResponseOf<N>>>> {
  const { check, ...reading } = requestReading(name, backend.checks)
  const asked = await readRequest(schema, toolArguments(schema, given), {
    ...reading,
    check: request => check(toRequest(request)),
  })
  return await backend.answer(name, toRequest(asked))
}
