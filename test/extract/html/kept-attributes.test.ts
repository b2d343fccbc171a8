import { describe, expect, it } from 'vitest'
import { findingAlso, keptAttributeAt } from '../../../extract/html/kept-attributes.ts'

const nameAt = (source: string, start: number, end: number) => keptAttributeAt(source, start, end)?.name

describe('keptAttributeAt', () => {
  it.each(['id', 'class', 'http-equiv', 'xml:lang', 'itemprop', 'data-content-language'])(
    'finds %s in any case',
    name => {
      for (const written of [name, name.toUpperCase(), name.slice(0, 1).toUpperCase() + name.slice(1)]) {
        expect(nameAt(`<p ${written}=a>`, 3, 3 + written.length)).toBe(name)
      }
    },
  )

  it.each(['onclick', 'data-id', 'target', 'x', '', 'classes', `c${'l'.repeat(5000)}s`, 'constructor'])(
    'finds no other attribute: %s',
    name => {
      expect(nameAt(`<p ${name}=a>`, 3, 3 + name.length)).toBeUndefined()
    },
  )

  it('gives each attribute a number, and marks those by which elements are indexed', () => {
    const [role, alt] = [keptAttributeAt('role', 0, 4), keptAttributeAt('alt', 0, 3)]
    expect(role?.number).not.toBe(alt?.number)
    expect([role?.indexed, alt?.indexed]).toEqual(['role', undefined])
  })
})

it('finds further attributes in any case, each with a number of its own, and leaves the usual ones as they are', () => {
  const find = findingAlso(['data-price', 'id', 'data-sku'])
  const named = (name: string) => find(name, 0, name.length)
  expect(named('DATA-Price')).toMatchObject({ name: 'data-price', indexed: undefined })
  expect(named('id')).toBe(keptAttributeAt('id', 0, 2))
  expect(named('data-other')).toBeUndefined()
  expect(new Set(['data-price', 'data-sku', 'id', 'class'].map(name => named(name)?.number)).size).toBe(4)
})
