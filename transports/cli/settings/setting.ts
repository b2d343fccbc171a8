import type { Command } from 'commander'
import type { z } from 'zod'
import { addSwitch, flagName, switchName } from '../flags.ts'

/** One setting. It defines the variable, the key in `asof.json`, the flag with help text, and the row in the documents. */
export interface Setting {
  /** The key in `asof.json`. `base_url` is the variable `ASOF_BASE_URL` and the flag `--base-url`. */
  name: string
  /** Checks and reads the value in `asof.json`, or the text of the variable or flag. */
  type: z.ZodType
  /** The meaning, in Markdown with links from `docs/`. Help texts have no links. */
  text: string
  /**
   * The placeholder of the flag's value, such as `<n>`. Empty for a switch: `--x` turns it on, and `--no-x` off. Undefined if the
   * setting has no flag. Secrets have none, because other users of the machine can see flags.
   */
  flag?: string
  /** True if no output may have the value. */
  isSecret?: boolean
  /** The value if none is given, as in `asof.json`. */
  default?: string | number | boolean
  /** The effect if no value is given, in words for help and documents. */
  unset?: string
}

/** Settings by the names of the options that they become. */
type SettingTable = Readonly<Record<string, Setting>>

/** The options that correspond to a table of settings, by name. */
export type OptionsOf<Table extends SettingTable> = {
  [Option in keyof Table]:
    | z.output<Table[Option]['type']>
    | (Table[Option] extends { default: unknown } ? never : undefined)
}

/** Checked values of settings by name. */
export type Given = Readonly<Record<string, unknown>>

function snakeCase(option: string): string {
  return option.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

/**
 * Defines the settings of one owner.
 *
 * @param prefix - the beginning of the names: with `llm_` the option `apiKey` is the setting `llm_api_key`, unless the setting
 *   has another `name`.
 */
export function settingTable<const Fields extends Record<string, Omit<Setting, 'name'> & { name?: string }>>(
  prefix: string,
  fields: Fields,
): { readonly [Option in keyof Fields]: Fields[Option] & { name: string } } {
  const named = Object.entries(fields).map(([option, field]) => [
    option,
    { ...field, name: field.name ?? `${prefix}${snakeCase(option)}` },
  ])
  return Object.fromEntries(named)
}

/** Returns the options for a table of settings. Settings that were not given have their defaults. */
export function optionsOf<Table extends SettingTable>(table: Table, given: Given): OptionsOf<Table> {
  const options = Object.entries(table).map(([option, setting]) => {
    const value = given[setting.name]
    return [option, value === undefined && setting.default !== undefined ? setting.type.parse(setting.default) : value]
  })
  return Object.fromEntries(options) as OptionsOf<Table>
}

/** Returns the name of the first setting of a table that has a value, or undefined. */
export function firstGiven(table: SettingTable, given: Given): string | undefined {
  return Object.values(table).find(({ name }) => given[name] !== undefined)?.name
}

/**
 * Returns true if the variable of a setting starts with `ASOF_`. Variables of payments and of the storefront have other names.
 */
export function hasPrefix({ name }: Pick<Setting, 'name'>): boolean {
  return !/^(?:x402|mpp|stripe|storefront)_/.test(name)
}

/** Returns the name of the environment variable of a setting. */
export function variableOf(setting: Pick<Setting, 'name'>): string {
  return `${hasPrefix(setting) ? 'ASOF_' : ''}${setting.name.toUpperCase()}`
}

/** Returns the name of a setting and its variable, for messages. */
export function namesOf(setting: Setting): string {
  return `${setting.name} (${variableOf(setting)})`
}

/** Flags and help text of one option, as commander takes them. */
export type OptionText = readonly [flags: string, description: string]

/** Returns a text of a setting without the marks of Markdown. */
export function unmarked(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '')
}

/** Returns the default of a setting as people write it, such as `off`. Returns undefined if the setting has none. */
export function defaultText(setting: Setting): string | undefined {
  if (typeof setting.default === 'boolean') return setting.default ? 'on' : 'off'
  return setting.default === undefined ? setting.unset : String(setting.default)
}

/** Returns the flag of a setting as documents write it: `--port <n>` or, for a switch, `--[no-]console`. */
export function flagOf({ name, flag }: Setting): string {
  return flag === '' ? switchName(name) : `${flagName(name)} ${flag ?? ''}`.trimEnd()
}

/** Returns the help text of a setting, which also names the variable and the default. */
function helpText(setting: Setting): string {
  const shownDefault = defaultText(setting)
  const facts = `env ${variableOf(setting)}${shownDefault === undefined ? '' : `; default: ${unmarked(shownDefault)}`}`
  return `${unmarked(setting.text)} (${facts})`
}

/** Adds the flags of settings to a command, and returns the command. */
export function addSettingOptions(command: Command, ...settings: readonly Setting[]): Command {
  for (const setting of settings)
    if (setting.flag === '') addSwitch(command, setting.name, helpText(setting))
    else command.option(flagOf(setting), helpText(setting))
  return command
}
