import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { faults } from '../faults/faults.ts'

const root = join(import.meta.dirname, '../..')

// A fault whose text is gone is not planted, and nobody would notice until the next run of all faults.
it.each(faults)('the fault can be planted: $name', ({ file, find, replace, tests }) => {
  const source = readFileSync(join(root, file), 'utf8')
  expect(source.split(find)).toHaveLength(2)
  expect(source.replace(find, replace)).not.toBe(source)
  expect(tests.some(path => existsSync(join(root, path)) || existsSync(join(root, `${path}.test.ts`)))).toBe(true)
})
