import { globSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { loadCorpus } from '../../crawler/corpus.ts'

const folder = resolve(import.meta.dirname, '../../corpora')
const files = globSync('*.json', { cwd: folder })

it('the repository brings at least one corpus', () => {
  expect(files).not.toEqual([])
})

for (const file of files) {
  it(`corpora/${file} is valid and named as its file`, async () => {
    expect((await loadCorpus(resolve(folder, file))).name).toBe(basename(file, '.json'))
  })
}
