import type { Command } from 'commander'
import { z } from 'zod'

/** Flags as commander parsed them, by their names in camel case. */
export type Flags = Readonly<Record<string, unknown>>

/** Returns the flag of a field or setting: `--max-results` for `max_results`. */
export function flagName(field: string): string {
  return `--${field.replaceAll('_', '-')}`
}

/** Returns the key under which commander stores the flag of a field or setting: `maxResults` for `max_results`. */
export function flagKey(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The placeholders in help texts for text fields. Other text fields have `<id>`. */
const placeholders: Readonly<Record<string, string>> = {
  from: 'day',
  to: 'day',
  month: 'month',
  order: 'name',
  state: 'state',
  sealed_at: 'time',
}

function placeholderOf(name: string, type: unknown): string {
  if (type instanceof z.ZodBoolean) return ''
  return type instanceof z.ZodNumber ? ' <n>' : ` <${placeholders[name] ?? 'id'}>`
}

/**
 * Adds a flag to a command for each field of an input, with description and default.
 *
 * @param argument - the field that is an argument of the command and gets no flag.
 */
export function addInputOptions(command: Command, { shape }: z.ZodObject, argument?: string): void {
  for (const [name, field] of Object.entries(shape) as [string, z.ZodType][]) {
    const isOptional = field instanceof z.ZodOptional || field instanceof z.ZodDefault
    const type = isOptional ? field.unwrap() : field
    const text = field.description ?? (type as z.ZodType).description ?? ''
    if (name === argument) {
      command.argument(`<${name}>`, text)
      continue
    }
    // A field without a default keeps its value if the flag is missing, so the flag can say false.
    const isSwitch = field instanceof z.ZodOptional && type instanceof z.ZodBoolean
    const flags = flagName(name) + (isSwitch ? ' <true|false>' : placeholderOf(name, type))
    const value = field instanceof z.ZodDefault && field.def.defaultValue
    if (isOptional) command.option(flags, value === false ? text : `${text} (default: ${value})`)
    else command.requiredOption(flags, text)
  }
}

/** Returns the flags that are fields of a request, as strings by their wire names (`max_results` for `--max-results`). */
export function requestForm(schema: z.ZodObject, flags: Flags): Record<string, string> {
  return Object.fromEntries(
    Object.keys(schema.shape).flatMap(name => {
      const value = flags[flagKey(name)]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}
