import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { defaultText, flagOf, type Setting, variableOf } from '../transports/cli/settings/setting.ts'
import { allSettings, settingTables } from '../transports/cli/settings/settings.ts'

/**
 * Writes the tables of settings in the documents. Run: `npx node packaging/settings-tables.ts`. A test checks that
 * the committed documents are current.
 */

/** The documents with tables of settings. */
export const documents = ['operations', 'command-line', 'selling-access', 'mcp', 'models', 'scale'].map(name =>
  path.resolve(import.meta.dirname, '../docs', `${name}.md`),
)

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`)
  return lines.join('\n').replaceAll('|  |', '| |')
}

function variableRow(setting: Setting): string[] {
  const { default: value } = setting
  const shownDefault = defaultText(setting) ?? ''
  const isCode = typeof value === 'string' || typeof value === 'number'
  return [`\`${variableOf(setting)}\``, isCode ? `\`${shownDefault}\`` : shownDefault, setting.text]
}

function optionRow(setting: Setting): string[] {
  const placeholder = (setting.flag ?? '')
    .replace(/[<>]/g, '')
    .toUpperCase()
    .replace(/^ON\|OFF/, 'on|off')
    .replaceAll('|', '\\|')
  const shownDefault = defaultText(setting)
  return [
    `\`${`${flagOf(setting)} ${placeholder}`.trimEnd()}\``,
    `${setting.text}${shownDefault === undefined ? '' : `; default: ${shownDefault}`}`,
  ]
}

/** The content between the two marks of a table: that of the named owners, or of the options of `asof serve`. */
function content(subject: string): string {
  if (subject === 'options') {
    const options = allSettings.filter(({ flag }) => flag !== undefined)
    return table(['Option', 'Meaning'], [...options.map(optionRow), ['`--data DIR`', 'the data folder']])
  }
  const owners = subject.split(' ') as (keyof typeof settingTables)[]
  const settings = owners.flatMap(owner => Object.values<Setting>(settingTables[owner]))
  return table(['Variable', 'Default', 'Meaning'], settings.map(variableRow))
}

/** Returns a document with current tables between `<!-- settings: OWNERS -->` and `<!-- end of settings -->`. */
export function withTables(document: string): string {
  const marks = /(<!-- settings: ([a-z0-9 ]+) -->\n\n).*?(\n\n<!-- end of settings -->)/gs
  return document.replace(marks, (_, begin: string, subject: string, end: string) => begin + content(subject) + end)
}

if (import.meta.main) {
  for (const file of documents) writeFileSync(file, withTables(readFileSync(file, 'utf8')))
}
