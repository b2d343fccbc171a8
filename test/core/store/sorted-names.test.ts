import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SortedNames } from '../../../core/store/sorted-names.ts'

describe('sorted names', () => {
  it('are those of a set that is sorted, through any additions and deletions', () => {
    const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 3 }), fc.nat(2_000).map(String))
    const change = fc.record({ name, isAdded: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 300 }), name, name, (changes, from, to) => {
        const names = new SortedNames()
        const model = new Set<string>()
        for (const { name, isAdded } of changes) {
          if (isAdded === model.has(name)) continue
          if (isAdded) {
            names.add(name)
            model.add(name)
          } else {
            names.delete(name)
            model.delete(name)
          }
        }
        const sorted = [...model].sort()
        expect(names.between('', '\u{10ffff}')).toEqual(sorted.filter(name => name < '\u{10ffff}'))
        expect(names.between(from, to)).toEqual(sorted.filter(name => name >= from && name < to))
      }),
    )
  })

  it('stay in order when there are many, added in any order', () => {
    const names = new SortedNames()
    // 7919 and 10,007 have no common factor, so that each number comes once.
    const all = Array.from({ length: 10_007 }, (_, i) => String((i * 7919) % 10_007))
    for (const name of all) names.add(name)
    expect(names.between('', ':')).toEqual([...all].sort())
    for (const name of all.slice(0, 10_000)) names.delete(name)
    expect(names.between('', ':')).toEqual(all.slice(10_000).sort())
    names.clear()
    expect(names.between('', ':')).toEqual([])
  })
})
