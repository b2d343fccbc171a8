import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { overviewText } from '../../transports/cli/output/overview.ts'
import { buildProgram } from '../../transports/cli/program.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const groups = buildProgram().commands
const commands = groups.map(command => command.name()).sort()

/** Returns the subcommands of a group, or the command itself if it has none. */
const leavesOf = (command: Command): readonly Command[] => (command.commands.length > 0 ? command.commands : [command])

/** Sections of the page about commands, by the name of the command. */
const sections = new Map(
  read('docs/command-line.md')
    .split(/^## /m)
    .filter(section => section.startsWith('asof '))
    .map(section => [/^asof ([a-z]+)\n/.exec(section)?.[1] ?? section, section]),
)

it('the documentation has a section for every command, and no other', () => {
  expect([...sections.keys()].sort()).toEqual(commands)
})

it('the README names commands that exist', () => {
  const named = [...read('README.md').matchAll(/(?:`|npx )asof ([a-z]+)/g)].map(([, name]) => name)
  expect(named).not.toEqual([])
  expect(named.filter(name => !commands.includes(name!))).toEqual([])
})

for (const group of groups) {
  it(`the section of asof ${group.name()} has the table of its options`, () => {
    // A test of packaging compares the tables with the options.
    expect(sections.get(group.name())).toContain(`<!-- options: ${group.name()} -->`)
  })
}

for (const command of groups.flatMap(leavesOf)) {
  it(`the help of asof ${command.name()} fits into 80 columns, describes every option and has an example`, () => {
    let help = ''
    command.configureOutput({
      writeOut: text => {
        help += text
      },
    })
    command.outputHelp()
    expect(help.split('\n').filter(line => line.length > 80)).toEqual([])
    expect(command.options.filter(({ description }) => description === '')).toEqual([])
    expect(command.registeredArguments.filter(({ description }) => description === '')).toEqual([])
    expect(help).toMatch(/\nExamples?:\n {2}asof /)
  })
}

it('without a command, eight common ones are shown in 80 columns', () => {
  const lines = overviewText().split('\n')
  expect(lines.filter(line => line.length > 80)).toEqual([])
  const named = lines.flatMap(line => /^ {2}asof (\w+)/.exec(line)?.[1] ?? [])
  expect(named).toHaveLength(8)
  expect(named.filter(name => !commands.includes(name))).toEqual([])
})

it('the documentation names every command of a group', () => {
  for (const group of groups) {
    for (const command of group.commands)
      expect(sections.get(group.name())).toContain(`asof ${group.name()} ${command.name()}`)
  }
})

it('the help fits into 80 columns on a terminal that says that it has none', () => {
  const names = ['isTTY', 'columns'] as const
  const before = names.map(name => Object.getOwnPropertyDescriptor(process.stdout, name))
  Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true })
  Object.defineProperty(process.stdout, 'columns', { value: 0, configurable: true })
  try {
    const helps = buildProgram()
      .commands.flatMap(leavesOf)
      .map(command => command.helpInformation())
    expect(helps.flatMap(help => help.split('\n')).filter(line => line.length > 80)).toEqual([])
  } finally {
    for (const [i, name] of names.entries()) {
      const descriptor = before[i]
      if (descriptor) Object.defineProperty(process.stdout, name, descriptor)
      else Reflect.deleteProperty(process.stdout, name)
    }
  }
})
