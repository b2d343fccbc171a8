import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { knownItems } from '../../../bench/quality/known-items.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'asof-known-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function install(name: string, description: string | undefined, readme: string): void {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ name, description }))
  writeFileSync(join(folder, name, 'README.md'), readme)
}

const long = 'Reads rivers. '.repeat(40)

describe('knownItems', () => {
  it('makes a query of the description of each package, and removes it from the README', () => {
    install('river', 'Reads a river in chunks.', `# river\n\nReads a river in chunks.\n\n${long}`)
    install('@stone/bridge', 'Builds bridges', `# bridge\n${long}`)
    install('bare', undefined, long)
    install('short', 'Says next to nothing at all', 'short')
    const { ids, pages, queries } = knownItems([folder, join(folder, 'missing')])
    expect(ids).toEqual(['@stone/bridge', 'river'])
    expect(pages.map(({ number, title }) => [number, title])).toEqual([
      [0, '@stone/bridge'],
      [1, 'river'],
    ])
    expect(pages[1]!.text).not.toContain('in chunks')
    // A description of two words is too short for a query.
    expect(queries).toEqual([{ id: 'river', text: 'Reads a river in chunks.', grades: new Map([['river', 1]]) }])
  })
})
