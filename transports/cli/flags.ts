import type { Command } from 'commander'
import { z } from 'zod'
import { flagName } from './flag-name.ts'

/** Placeholders of text fields whose value is not an id. */
const placeholders: Readonly<Record<string, string>> = {
  from: 'day',
  to: 'day',
  month: 'month',
  order: 'name',
  state: 'state',
}

function placeholderOf(name: string, type: unknown): string {
  if (type instanceof z.ZodBoolean) return ''
  return type instanceof z.ZodNumber ? ' <n>' : ` <${placeholders[name] ?? 'id'}>`
}

/**
 * Adds the flags of an input to a command: one for each field, with its description and default.
 *
 * @param argument - the field that is an argument of the command instead.
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
    const flags = flagName(name) + placeholderOf(name, type)
    const value = field instanceof z.ZodDefault && field.def.defaultValue
    if (isOptional) command.option(flags, value === false ? text : `${text} (default: ${value})`)
    else command.requiredOption(flags, text)
  }
}
