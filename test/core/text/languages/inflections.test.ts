import { expect, it } from 'vitest'
import { inflectionsOf } from '../../../../core/text/languages/inflections.ts'

it.each([
  ['import', ['imports', 'imported', 'importing']],
  ['importing', ['import', 'imports', 'imported']],
  ['duties', ['duty']],
  ['duty', ['duties']],
  ['hoping', ['hope', 'hoped', 'hopes']],
  ['stopped', ['stop', 'stops', 'stopping']],
  ['box', ['boxes']],
])('%s has the inflections %j, and is no other word', (word, forms) => {
  const found = inflectionsOf(word)
  expect(found).toEqual(expect.arrayContaining([word, ...forms]))
  expect(found).not.toContain('important')
})
