import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SortedEntries } from '../../../core/store/sorted-entries.ts'

const stored = new Uint8Array(0)
const namesIn = (entries: SortedEntries, from = '', to = '\u{10ffff}') =>
  [...entries.between(from, to)].map(({ name }) => name)

describe('sorted entries', () => {
  it('are those of a map that is sorted, through any changes, and earlier ones stay as they were', () => {
    const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 3 }), fc.nat(50).map(String))
    const change = fc.record({ name, value: fc.option(fc.nat(255)) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), name, name, (changes, from, to) => {
        const model = new Map<string, number>()
        let entries = new SortedEntries()
        const before: [SortedEntries, string[]][] = []
        for (const { name, value } of changes) {
          before.push([entries, namesIn(entries)])
          if (value === null) model.delete(name)
          else model.set(name, value)
          entries = value === null ? entries.without(name) : entries.with({ name, stored: Uint8Array.of(value) })
        }
        const sorted = [...model.keys()].sort()
        expect(namesIn(entries)).toEqual(sorted.filter(name => name < '\u{10ffff}'))
        expect(namesIn(entries, from, to)).toEqual(sorted.filter(name => name >= from && name < to))
        for (const name of [...sorted, from, to]) expect(entries.get(name)?.stored[0]).toBe(model.get(name))
        for (const [earlier, names] of before) expect(namesIn(earlier)).toEqual(names)
      }),
    )
  })

  it('stay in order when there are many, in any order', () => {
    // 7919 and 10,007 have no common factor, so that each number comes once.
    const all = Array.from({ length: 10_007 }, (_, i) => String((i * 7919) % 10_007))
    let entries = new SortedEntries()
    for (const name of all) entries = entries.with({ name, stored })
    expect(namesIn(entries)).toEqual([...all].sort())
    for (const name of all.slice(0, 10_000)) entries = entries.without(name)
    expect(namesIn(entries)).toEqual(all.slice(10_000).sort())
  })
})
