import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { corpusJsonSchema, loadCorpus } from '../../crawler/corpus/corpus.ts'

const folder = resolve(import.meta.dirname, '../../corpora')
const files = globSync('*.json', { cwd: folder })

it('the repository contains at least one corpus', () => {
  expect(files).not.toEqual([])
})

for (const file of files) {
  it(`corpora/${file} is valid and has the name of its file`, async () => {
    expect((await loadCorpus(resolve(folder, file))).name).toBe(basename(file, '.json'))
  })
}

it('the JSON Schema for editors is the one that corpus definitions are validated with', () => {
  const published = readFileSync(resolve(folder, 'schema/corpus.schema.json'), 'utf8')
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(corpusJsonSchema())))
})
