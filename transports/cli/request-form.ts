import type { z } from 'zod'
import { flagKey } from './flag-name.ts'
import type { Flags } from './settings/settings.ts'

/** The flags that are fields of a request, as strings by their wire names: `--max-results` is `max_results`. */
export function requestForm(schema: z.ZodObject, flags: Flags): Record<string, string> {
  return Object.fromEntries(
    Object.keys(schema.shape).flatMap(name => {
      const value = flags[flagKey(name)]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}
