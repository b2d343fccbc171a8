import { describe, expect, it } from 'vitest'
import { keptAttributeAt } from '../../../../core/extract/html/kept-attributes.ts'

const nameAt = (source: string, start: number, end: number) => keptAttributeAt(source, start, end)?.name

describe('keptAttributeAt', () => {
  it.each(['id', 'class', 'http-equiv', 'xml:lang', 'itemprop', 'data-content-language'])(
    'knows %s however it is capitalised',
    name => {
      for (const written of [name, name.toUpperCase(), name[0].toUpperCase() + name.slice(1)]) {
        expect(nameAt(`<p ${written}=a>`, 3, 3 + written.length)).toBe(name)
      }
    },
  )

  it.each(['onclick', 'data-id', 'target', 'x', '', 'classes', `c${'l'.repeat(5000)}s`, 'constructor'])(
    'knows no other: %s',
    name => {
      expect(nameAt(`<p ${name}=a>`, 3, 3 + name.length)).toBeUndefined()
    },
  )

  it('gives each a number of its own, and marks those that elements are found by', () => {
    const [role, alt] = ['role', 'alt'].map(name => keptAttributeAt(name, 0, name.length)!)
    expect(role.number).not.toBe(alt.number)
    expect([role.indexed, alt.indexed]).toEqual(['role', undefined])
  })
})
