import { describe, expect, it } from 'vitest'
import { inflectionsOf } from '../../../../core/text/languages/inflections.ts'

describe('the inflections of a word', () => {
  it.each([
    ['import', ['imports', 'imported', 'importing']],
    ['importing', ['import', 'imports', 'imported']],
    ['duties', ['duty']],
    ['duty', ['duties']],
    ['hoping', ['hope', 'hoped', 'hopes']],
    ['stopped', ['stop', 'stops', 'stopping']],
    ['box', ['boxes']],
  ])('of %s contain it and %j', (word, forms) => {
    expect(inflectionsOf(word)).toEqual(expect.arrayContaining([word, ...forms]))
  })

  it.each([
    ['import', 'important'],
    ['internal', 'international'],
    ['universe', 'university'],
    ['organize', 'organization'],
    ['duty', 'dutiful'],
  ])('of %s do not contain %s, a word of its own', (word, other) => {
    expect(inflectionsOf(word)).not.toContain(other)
    expect(inflectionsOf(other)).not.toContain(word)
  })
})
