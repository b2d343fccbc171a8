import { expect, it } from 'vitest'
import { MoveBudget } from '../../console/search/move-budget.ts'

/** Number of moves that are answered while somebody drags without a pause. */
function answered(budget: MoveBudget, fromMs: number, forMs: number): number {
  let moves = 0
  for (let at = fromMs; at < fromMs + forMs; at += 250) if (budget.take(at)) moves++
  return moves
}

it('answers every move of a first drag, and of an hour of dragging fewer than the thousand that an address has', () => {
  const budget = new MoveBudget()
  expect(answered(budget, 5_000, 50_000)).toBe(200)
  const hour = answered(new MoveBudget(), 0, 3_600_000)
  expect(hour).toBeGreaterThan(600)
  expect(hour).toBeLessThan(700)
})

it('says when the next move is left', () => {
  const budget = new MoveBudget()
  expect(budget.waitMs(1_000)).toBe(0)
  answered(budget, 1_000, 100_000)
  const waitMs = budget.waitMs(101_000)
  expect(waitMs).toBeGreaterThan(0)
  expect(budget.take(101_000 + waitMs - 1)).toBe(false)
  expect(budget.take(101_000 + waitMs)).toBe(true)
})

it('gains moves while nobody drags, but never more than at the start', () => {
  const budget = new MoveBudget()
  answered(budget, 0, 600_000)
  expect(budget.take(600_001)).toBe(false)
  expect(budget.take(620_000)).toBe(true)
  expect(answered(budget, 100_000_000, 120_000)).toBeLessThanOrEqual(240 + 14)
})
