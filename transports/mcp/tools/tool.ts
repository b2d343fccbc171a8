import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { CallCharge } from '../../../service/accounts/index.ts'
import type { CallName } from '../../../service/index.ts'
import type { ToolBackend } from '../tool-backend.ts'

/** The entry of a tool in the list of tools. */
export interface ToolEntry {
  title: string
  description: string
  inputSchema: StandardSchemaWithJSON
  outputSchema: StandardSchemaWithJSON
  annotations: ToolAnnotations
}

/**
 * One tool: its entry in the list of tools, and the function that answers its calls. A tool with many arguments has two entries, of
 * which the short one names the arguments of the contract (spec E8). Calls may have every argument in both cases.
 */
export interface Tool {
  name: string
  /** The call that the tool makes. The tool is offered to callers who may make it. */
  makes: CallName
  entry: ToolEntry
  /** The entry with the arguments of the contract alone. Default: `entry`. */
  shortEntry?: ToolEntry
  /**
   * Answers one call.
   *
   * @param given - the arguments, not checked yet.
   * @throws ServiceError, AsofError or ClientError
   */
  call(backend: ToolBackend, given: unknown, overrides: Overrides): Promise<CallToolResult>
}

/** Annotations of tools that only read. */
export const readsTheWeb: ToolAnnotations = {
  readOnlyHint: true,
  openWorldHint: true,
  destructiveHint: false,
  idempotentHint: true,
}

/** Prefix of the service's keys in `_meta` (spec E8). */
const PREFIX = 'service'

/** Key of the charge of a call. */
const USAGE_KEY = `${PREFIX}/usage`
/** Key of the client's overrides of the model's arguments. */
const OVERRIDES_KEY = `${PREFIX}/overrides`
/** Key of the refusal of a failed call in the shape of spec 2.7, for programs. */
const ERROR_KEY = `${PREFIX}/error`

const overrides = z.object({ mode: z.enum(['pro', 'realtime']).optional().catch(undefined) }).catch({ mode: undefined })

/** Values that override the model's arguments. */
interface Overrides {
  mode?: 'pro' | 'realtime'
}

/**
 * Reads the overrides of a request. Unknown and invalid ones are ignored (spec E8). `skip_cache` needs no action, because
 * results are never cached.
 */
export function overridesOf(meta: Readonly<Record<string, unknown>> | undefined): Overrides {
  return overrides.parse(meta?.[OVERRIDES_KEY])
}

/** Returns the `_meta` of an answer, with the charge if there is one. */
export function usageMeta(charge: CallCharge | undefined): { _meta?: Record<string, unknown> } {
  return charge ? { _meta: { [USAGE_KEY]: charge } } : {}
}

/** Returns the `_meta` of a failed call, with its error. */
export function errorMeta(error: object): { _meta: Record<string, unknown> } {
  return { _meta: { [ERROR_KEY]: error } }
}
