import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const helps = new Map<string, Promise<string>>()

/** Each command is asked once: it is a process of its own. */
function help(...args: string[]): Promise<string> {
  const command = args.join(' ')
  const asked = helps.get(command) ?? askedFor(args)
  helps.set(command, asked)
  return asked
}

async function askedFor(args: string[]): Promise<string> {
  const main = join(root, 'transports/cli/main.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--help'])
  return stdout
}

/** Commands that a help text lists. */
function commandsOf(text: string): string[] {
  const [, listed = ''] = text.split(/^Commands:$/m)
  return [...listed.matchAll(/^ {2}([a-z]+)(?: \[| <| {2})/gm)].map(([, name]) => name!).filter(name => name !== 'help')
}

const commands = commandsOf(await help()).sort()

/** The help of a command, or of all commands of a group. */
async function fullHelp(command: string): Promise<string> {
  const own = await help(command)
  const parts = await Promise.all(commandsOf(own).map(name => help(command, name)))
  return (parts.length === 0 ? [own] : parts).map(text => text.replace(/^[\s\S]*^Options:$/m, '')).join('\n')
}

/** Sections of the page by the command they are about. */
const sections = new Map(
  read('docs/command-line.md')
    .split(/^## /m)
    .filter(section => section.startsWith('asof '))
    .map(section => [/^asof ([a-z]+)\n/.exec(section)?.[1] ?? section, section]),
)

it('the documentation has a section for every command, and no other', () => {
  expect([...sections.keys()].sort()).toEqual(commands)
})

it('the README lists every command, and no other', () => {
  const rows = read('README.md').matchAll(/^\| (`asof .+?) \|/gm)
  const listed = [...rows].flatMap(([, cell]) => [...cell.matchAll(/`asof ([a-z]+)/g)].map(([, name]) => name))
  expect(listed.sort()).toEqual(commands)
})

for (const command of commands) {
  it(`the documentation of asof ${command} has its options, and no other`, async () => {
    const options = (text: string) => [...new Set(text.match(/--[a-z][a-z-]+/g))].sort()
    const offered = options(await fullHelp(command)).filter(name => name !== '--help')
    const rows = (sections.get(command) ?? '').split('\n').filter(line => line.startsWith('| `--'))
    expect(options(rows.map(row => row.split(' | ')[0]).join())).toEqual(offered)
  })
}

it('the documentation names every command of a group', async () => {
  for (const command of commands) {
    for (const name of commandsOf(await help(command))) {
      expect(sections.get(command)).toContain(`asof ${command} ${name}`)
    }
  }
})
