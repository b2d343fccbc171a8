import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

let dir: string

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'asof-linter-'))
  const plugins = ['number-names', 'plain-literals', 'conditional-spreads'].map(name =>
    join(root, `test/house/${name}.grit`),
  )
  writeFileSync(join(dir, 'biome.json'), JSON.stringify({ plugins, linter: { rules: { recommended: false } } }))
})
afterAll(() => rmSync(dir, { recursive: true }))

/** Returns what Biome prints about a source file with this text. */
function lint(text: string): string {
  writeFileSync(join(dir, 'x.tsx'), `${text}\n`)
  const { stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/biome'), ['lint', 'x.tsx'], {
    cwd: dir,
    encoding: 'utf8',
  })
  return stdout + stderr
}

describe('the linter', () => {
  it.each(['export const limit = 20', 'export const sliceBytes = 64 * 1024', 'export const below = -1'])(
    'rejects the name in %s',
    text => {
      expect(lint(text)).toContain('UPPER_CASE')
    },
  )
  it.each([
    'export const LIMIT = 20',
    "export const names = new Set(['a'])",
    'export function run() {\n  const limit = 20\n  return limit\n}',
    'export const twice = (n: number) => {\n  const two = 2\n  return n * two\n}',
  ])('accepts the names in %s', text => {
    const printed = lint(text)
    expect(printed).toContain('Checked 1 file')
    expect(printed).not.toContain('UPPER_CASE')
  })

  it.each(['export const A = { ...{ b: 1 }, c: 2 }', "export const A = [...['b'], 'c']", 'f(...[1, 2])'])(
    'rejects the spread literal in %s',
    text => {
      expect(lint(text)).toContain('spread literal')
    },
  )
  it.each(['export const A = { ...b, c: 2 }', 'export const A = [...[1, 2].map(f)]', 'const { a, ...rest } = b'])(
    'accepts the spread in %s',
    text => {
      const printed = lint(text)
      expect(printed).toContain('Checked 1 file')
      expect(printed).not.toContain('spread literal')
    },
  )

  it.each([
    'export const A = { ...(b && { c: 2 }) }',
    'export const A = { ...(b === undefined ? {} : { c: b }), d }',
    'export const A = [c, ...(b ? [b] : [])]',
    'f(...(b ? c : d))',
    'export const A = { ...b && { c: 2 } }',
    'export const A = <p {...(b && { c: 2 })} />',
  ])('rejects the conditional spread in %s', text => {
    expect(lint(text)).toContain('conditional spread')
  })
  it.each([
    'export const A = { c: b ? 2 : undefined, ...(d ?? {}) }',
    'export const A = [...(b ?? []), ...c.map(one => (one ? [one] : []))]',
    'export const A = b ? { ...c, d } : c',
  ])('accepts the condition in %s', text => {
    const printed = lint(text)
    expect(printed).toContain('Checked 1 file')
    expect(printed).not.toContain('conditional spread')
  })
})
