import { type Command, Option } from 'commander'
import { z } from 'zod'

/** Flags as commander parsed them, by their names in camel case. */
export type Flags = Readonly<Record<string, unknown>>

/** Returns the flag of a field or setting: `--max-results` for `max_results`. */
export function flagName(field: string): string {
  return `--${field.replaceAll('_', '-')}`
}

/** Returns a switch as help and documents write it: `--[no-]console`, for `--console` and `--no-console`. */
export function switchName(field: string): string {
  return `--[no-]${flagName(field).slice(2)}`
}

/** A flag that has an opposite: `--console` turns something on, and `--no-console` off. */
export class SwitchOption extends Option {
  /** The flag and its opposite, as help texts show them. */
  readonly term: string

  constructor(field: string, description: string) {
    super(flagName(field), description)
    this.term = switchName(field)
  }
}

/** Adds a switch to a command. Its value is undefined if neither of its flags is given. */
export function addSwitch(command: Command, field: string, description: string): void {
  command.addOption(new SwitchOption(field, description))
  command.addOption(new Option(flagName(`no_${field}`), `the opposite of ${flagName(field)}`).hideHelp())
}

/** Returns the key under which commander stores the flag of a field or setting: `maxResults` for `max_results`. */
export function flagKey(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The placeholders in help texts for text fields. Other text fields have `<id>`. */
const placeholders: Readonly<Record<string, string>> = {
  from: 'day',
  label: 'text',
  to: 'day',
  month: 'month',
  order: 'name',
  state: 'state',
  sealed_at: 'time',
}

function placeholderOf(name: string, type: unknown): string {
  return type instanceof z.ZodNumber ? '<n>' : `<${placeholders[name] ?? 'id'}>`
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
    if (type instanceof z.ZodBoolean) {
      addSwitch(command, name, text)
      continue
    }
    const flags = `${flagName(name)} ${placeholderOf(name, type)}`
    if (field instanceof z.ZodDefault) command.option(flags, `${text} (default: ${field.def.defaultValue})`)
    else if (isOptional) command.option(flags, text)
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
