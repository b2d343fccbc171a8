import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { documents, withTables } from '../../packaging/document-tables.ts'
import { variableOf } from '../../transports/cli/settings/setting.ts'
import { allSettings } from '../../transports/cli/settings/settings.ts'

it.each(documents)('the tables of settings and options in %s are current', file => {
  const document = readFileSync(file, 'utf8')
  // `node packaging/document-tables.ts` writes them.
  expect(withTables(document)).toBe(document)
})

it('every setting has a row in exactly one document', () => {
  const variables = allSettings.map(variableOf).sort()
  const rows = documents.flatMap(file => [...readFileSync(file, 'utf8').matchAll(/^\| `([A-Z0-9]+_[A-Z0-9_]+)` \|/gm)])
  expect(rows.map(([, name]) => name).sort()).toEqual(variables)
  expect(documents.map(file => basename(file))).toContain('operations.md')
})

it('a document without marks stays as it is', () => {
  expect(withTables('| `ASOF_HOST` | |')).toBe('| `ASOF_HOST` | |')
})

it('marks without anything between them get a table', () => {
  const [begin, end] = ['<!-- options: passages -->', '<!-- end of options -->']
  expect(withTables(`${begin}\n${end}`)).toMatch(
    /^<!-- options: passages -->\n\n\| Option .*\n\n<!-- end of options -->$/s,
  )
})
