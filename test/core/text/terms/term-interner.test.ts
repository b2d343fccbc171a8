import { describe, expect, it } from 'vitest'
import { termInterner } from '../../../../core/text/terms/term-interner.ts'

describe('the term interner', () => {
  it('gives each term one id, however many terms share the slots of its hash', () => {
    const ids = new Map<string, number>()
    const before = termInterner.count
    // The process has one interner: no other test adds these terms.
    const termOf = (n: number): string => `a term for its slot ${n.toString(36)}`
    // The table grows when three quarters of the slots are taken. So rows of taken slots longer than a lookup probes are common.
    for (let n = 0; n < 200_000; n++) {
      const term = termOf(n)
      ids.set(term, termInterner.idOfTerm(term))
      for (const earlier of [term, termOf(n >> 1)])
        if (termInterner.idOfTerm(earlier) !== ids.get(earlier)) expect.fail(`${earlier} has another id`)
    }
    expect(new Set(ids.values()).size).toBe(ids.size)
    expect(termInterner.count - before).toBe(ids.size)
    for (const [term, id] of ids) if (termInterner.term(id) !== term) expect.fail(`${id} is not ${term}`)
  })

  it('gives one id to terms that have the same UTF-8 bytes', () => {
    expect(termInterner.idOfTerm('\ud800')).toBe(termInterner.idOfTerm('\ufffd'))
  })
})
