import { inexact } from '@asof/extract/exact-json'
import type { FieldProblem } from './error-schema.ts'

/**
 * Returns a problem for each integer of a request that a number does not hold exactly. `parseExactJson` reads it as a `bigint`, which no
 * field of a request takes. A request may be nested at any depth, because a list of the remaining values replaces recursion.
 */
export function inexactIntegers(request: unknown): FieldProblem[] {
  const problems: FieldProblem[] = []
  const left: { path: string; value: unknown }[] = [{ path: '', value: request }]
  for (let next = left.pop(); next; next = left.pop()) {
    const { path, value } = next
    if (typeof value === 'bigint') problems.push({ path, reason: inexact(value) })
    else if (Array.isArray(value))
      for (const [i, item] of value.entries()) left.push({ path: `${path}[${i}]`, value: item })
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value))
        left.push({ path: path === '' ? name : `${path}.${name}`, value: member })
  }
  return problems.reverse()
}
