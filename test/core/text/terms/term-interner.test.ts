import { describe, expect, it } from 'vitest'
import { termInterner } from '../../../../core/text/terms/term-interner.ts'

describe('the table of terms', () => {
  it('has one number for each term, however many share the slots of its hash', () => {
    const ids = new Map<string, number>()
    const before = termInterner.count
    // The table is the process's: these are terms that no page has given it.
    const termOf = (n: number): string => `a term for its slot ${n.toString(36)}`
    // Three quarters of the slots are taken before the table grows: rows of more than are looked at come up many times.
    for (let n = 0; n < 200_000; n++) {
      const term = termOf(n)
      ids.set(term, termInterner.idOfTerm(term))
      for (const earlier of [term, termOf(n >> 1)])
        if (termInterner.idOfTerm(earlier) !== ids.get(earlier)) expect.fail(`${earlier} has another number`)
    }
    expect(new Set(ids.values()).size).toBe(ids.size)
    expect(termInterner.count - before).toBe(ids.size)
    for (const [term, id] of ids) if (termInterner.term(id) !== term) expect.fail(`${id} is not ${term}`)
  })

  it('has one number for a term that UTF-8 can not tell from another', () => {
    expect(termInterner.idOfTerm('\ud800')).toBe(termInterner.idOfTerm('\ufffd'))
  })
})
