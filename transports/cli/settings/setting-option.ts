import { flagName } from '../flag-name.ts'
import { type Setting, variableOf } from './setting.ts'

/** Flags and help text of one option, as commander takes them. */
export type OptionText = readonly [flags: string, description: string]

function plainText(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '')
}

/** The default of a setting as people write it, such as `off`; undefined if there is none. */
export function defaultText(setting: Setting): string | undefined {
  if (typeof setting.default === 'boolean') return setting.default ? 'on' : 'off'
  return setting.default === undefined ? setting.unset : String(setting.default)
}

/** The flag of a setting with its help text, which also names the variable and the default. */
export function optionText(setting: Setting & { flag: string }): OptionText {
  const shownDefault = defaultText(setting)
  const facts = `env ${variableOf(setting)}${shownDefault === undefined ? '' : `; default: ${plainText(shownDefault)}`}`
  return [`${flagName(setting.name)} ${setting.flag}`.trimEnd(), `${plainText(setting.text)} (${facts})`]
}
