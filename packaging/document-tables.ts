import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command, Option } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { buildProgram } from '../transports/cli/program.ts'
import { defaultText, type Setting, variableOf } from '../transports/cli/settings/setting.ts'
import { settingTables } from '../transports/cli/settings/settings.ts'

/**
 * Writes the tables of settings, of the options of commands and of the subpaths of the package in the documents. Run: `npx node packaging/document-tables.ts`. A test
 * checks that the committed documents are current.
 */

/** The documents with such tables. */
export const documents = ['operations', 'command-line', 'payments', 'mcp', 'models', 'scale', 'embedding'].map(name =>
  path.resolve(import.meta.dirname, '../docs', `${name}.md`),
)

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`)
  return lines.join('\n').replaceAll('|  |', '| |')
}

function settingRow(setting: Setting): string[] {
  const { default: value } = setting
  const shownDefault = defaultText(setting) ?? ''
  const isCode = typeof value === 'string' || typeof value === 'number'
  return [`\`${variableOf(setting)}\``, isCode ? `\`${shownDefault}\`` : shownDefault, setting.text]
}

/** The table of the settings of some owners, which are separated by spaces. */
function settingsTable(owners: string): string {
  const names = owners.split(' ') as (keyof typeof settingTables)[]
  const settings = names.flatMap(name => Object.values<Setting>(settingTables[name]))
  return table(['Variable', 'Default', 'Meaning'], settings.map(settingRow))
}

function optionCells(command: Command, option: Option): string[] {
  const term = command.createHelp().optionTerm(option)
  return [`\`${term.replaceAll('|', '\\|')}\``, option.description.replaceAll('|', '\\|').replaceAll('<', '\\<')]
}

/** The options that a command shows in its help, apart from `--help`. */
function optionsOf(command: Command): Option[] {
  return command.options.filter(({ hidden }) => !hidden)
}

/** The table of the options of a command, or of the commands of a group. */
function optionsTable(name: string): string {
  const command = buildProgram().commands.find(known => known.name() === name)
  if (!command) throw new TypeError(`there is no command ${name}`)
  if (command.commands.length === 0)
    return table(
      ['Option', 'Meaning'],
      optionsOf(command).map(option => optionCells(command, option)),
    )
  // An option that several commands of the group have in the same way has one row.
  const rows = new Map<string, { cells: string[]; commands: string[] }>()
  for (const part of command.commands)
    for (const option of optionsOf(part)) {
      const cells = optionCells(part, option)
      const row = rows.get(cells.join()) ?? { cells, commands: [] }
      row.commands.push(part.name())
      rows.set(cells.join(), row)
    }
  return table(
    ['Option', 'Commands', 'Meaning'],
    [...rows.values()].map(({ cells: [term = '', meaning = ''], commands }) => [
      term,
      commands.length === command.commands.length ? 'all' : commands.join(', '),
      meaning,
    ]),
  )
}

/** The table of the subpaths of a package, each with the comment at the start of its source. */
function subpathsTable(name: string): string {
  const rows = Object.entries(packageJson.exports).flatMap(([subpath, entry]) => {
    if (typeof entry === 'string') return []
    const imported = subpath.replace('.', name)
    const source = entry.types.replace('./dist/', '').replace('.d.ts', '.ts')
    const text = readFileSync(path.resolve(import.meta.dirname, '..', source), 'utf8')
    const [, named, purpose] = /^\/\*\* `([^`]+)`: (.+)\. \*\/$/m.exec(text) ?? []
    if (named !== imported || purpose === undefined)
      throw new TypeError(`${source} does not begin with what ${imported} is for`)
    return [[`\`${imported}\``, purpose]]
  })
  return table(['Import', 'What it has or does'], rows)
}

const tables = { settings: settingsTable, options: optionsTable, subpaths: subpathsTable } as const

/**
 * Returns a document with current tables between `<!-- settings: OWNERS -->`, `<!-- options: COMMAND -->` or `<!-- subpaths: PACKAGE -->` and
 * their ends.
 */
export function withTables(document: string): string {
  const marks = /(<!-- (settings|options|subpaths): ([a-z0-9 ]+) -->).*?(<!-- end of \2 -->)/gs
  return document.replace(
    marks,
    (_, begin: string, kind: keyof typeof tables, subject: string, end: string) =>
      `${begin}\n\n${tables[kind](subject)}\n\n${end}`,
  )
}

if (import.meta.main) {
  for (const file of documents) writeFileSync(file, withTables(readFileSync(file, 'utf8')))
}
