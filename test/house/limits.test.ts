import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const security = read('SECURITY.md')
const rows = security.split('\n').filter(line => line.startsWith('| ') && !/^\| (Threat|Limit|Code) \|/.test(line))

/** Matches constants whose names mark them as limits. */
const limit =
  /^(?:export )?const ((?:MAX|MOST|LONGEST)_[A-Z0-9_]+|[A-Z0-9_]*TIMEOUT_MS|max[A-Z]\w*|\w+Kept|\w+Per(?:Url|Host|Name|Source|Run)|nativeSearchLimit) = (\d[^\n]*)$/gm

const sources = globSync('{core,crawler,transports}/**/*.ts', { cwd: root }).sort()
const settings = read('transports/cli/settings/settings.ts') + read('transports/cli/settings/model-settings.ts')
const options = sources.map(path => [dirname(path), read(path)] as const)

describe('the limits in SECURITY.md', () => {
  it('include every constant of the code that is a limit, with its value', () => {
    const missing = sources.flatMap(path =>
      [...read(path).matchAll(limit)].flatMap(([, name, given]) => {
        const value = given!.split(' //', 1)[0]!
        const row = rows.find(line => line.startsWith(`| [${path}](${path}) |`))
        return row?.includes(`\`${name}\` ${value}`) ? [] : [`${path}: \`${name}\` ${value}`]
      }),
    )
    expect(missing).toEqual([])
  })

  it('name only constants that exist', () => {
    const gone = rows.flatMap(row => {
      const [, path] = /^\| \[[^\]]+\]\(([^)]+)\) \|/.exec(row) ?? []
      if (path === undefined) return []
      const source = read(path)
      return [...row.matchAll(/`(\w+)` \d/g)]
        .map(([, name]) => name!)
        .filter(name => !source.includes(`const ${name} =`))
    })
    expect(gone).toEqual([])
  })

  it('name an existing test in each row, as does each row of the threat model', () => {
    for (const row of rows) {
      const tests = [...row.matchAll(/\]\((test\/[^)]+\.test\.ts)\)/g)].map(([, path]) => path!)
      expect(tests.length, row).toBeGreaterThan(0)
      for (const test of tests) expect(existsSync(join(root, test)), test).toBe(true)
    }
  })

  it('name settings that exist', () => {
    const named = rows
      .map(row => row.split(' | '))
      .filter(cells => cells.length === 5)
      .flatMap(cells => [...cells[2]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!))
    expect(named.length).toBeGreaterThan(10)
    const isSetting = (name: string) => new RegExp(`^ {2}${name}: `, 'm').test(settings)
    const isOption = (name: string) =>
      options.some(([, source]) => new RegExp(`^ {2,4}${name}\\??: `, 'm').test(source))
    expect(named.filter(name => !isSetting(name) && !isOption(name))).toEqual([])
  })
})
