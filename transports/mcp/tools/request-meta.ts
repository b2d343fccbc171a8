import { z } from 'zod'
import type { Draw } from '../../service/accounts/index.ts'

/** The prefix of our own keys in `_meta`; the names of E8. */
const PREFIX = 'service'

/** What a call cost, on billed calls. */
const USAGE_KEY = `${PREFIX}/usage`
/** What the client wants done otherwise than the model asked for. */
const OVERRIDES_KEY = `${PREFIX}/overrides`
/** The refusal of a failed call in the shape of spec 2.7, for programs. */
const ERROR_KEY = `${PREFIX}/error`

const overrides = z.object({ mode: z.enum(['pro', 'realtime']).optional().catch(undefined) }).catch({ mode: undefined })

/** What overrides a model's own choice. */
export interface Overrides {
  mode?: 'pro' | 'realtime'
}

/**
 * The overrides of a request. Unknown and invalid ones vanish without an error (E8). `skip_cache` is one that nothing has
 * to be done for: no result is ever cached.
 */
export function overridesOf(meta: Readonly<Record<string, unknown>> | undefined): Overrides {
  const { mode } = overrides.parse(meta?.[OVERRIDES_KEY])
  return mode === undefined ? {} : { mode }
}

/** `_meta` of an answer: what it cost, where it was billed. */
export function usageMeta(draw: Draw | undefined): { _meta?: Record<string, unknown> } {
  return draw ? { _meta: { [USAGE_KEY]: draw } } : {}
}

/** `_meta` of a failed call. */
export function errorMeta(error: object): { _meta: Record<string, unknown> } {
  return { _meta: { [ERROR_KEY]: error } }
}
