/**
 * `npm run test:faults`: plants small faults in a copy of the sources, one at a time, and says which tests find each. A fault
 * that no test finds is a hole in the tests.
 *
 * - `--only <text>`: only faults whose name or file contains the text.
 * - `--from <dir>`: a copy of another checkout, which has its packages installed. Default: this one.
 * - `--whole`: if the tests of the room do not find a fault, run all unit tests, and then slow tests of its layer.
 * - `--json <file>`: also writes the results to a file.
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CheckoutCopy } from './checkout-copy.ts'
import type { Fault } from './fault.ts'
import { faults, systemTests } from './faults.ts'
import { type FailedTest, firstFailure, type VitestOptions } from './vitest-run.ts'

const MINUTE_MS = 60_000

/** The tests that found a fault. */
type FoundBy = 'room' | 'whole unit' | 'system' | 'none'

interface Result {
  name: string
  file: string
  foundBy: FoundBy
  /** `<file> > <title>` of the test that found the fault. */
  test?: string
  seconds: number
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    from: { type: 'string', default: resolve(import.meta.dirname, '../..') },
    whole: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})

/** The runs that look for a fault, in their order. */
function* runsFor({ file, tests, suite }: Fault, copy: CheckoutCopy): Generator<VitestOptions & { foundBy: FoundBy }> {
  const known = withFiles(tests, copy)
  if (known.length === 0) throw new Error(`no test file matches any of ${tests.join(', ')}`)
  const foundBy = suite === 'system' ? 'system' : 'room'
  yield { foundBy, suite, tests: known, limitMs: 5 * MINUTE_MS }
  if (!values.whole) return
  yield { foundBy: 'whole unit', suite: 'unit', tests: [], limitMs: 30 * MINUTE_MS }
  const slow = systemTests[file.split('/', 1)[0]!] ?? []
  yield { foundBy: 'system', suite: 'system', tests: withFiles(slow, copy), limitMs: 60 * MINUTE_MS }
}

/** Returns the filters that match a test file. */
function withFiles(filters: readonly string[], { files }: CheckoutCopy): string[] {
  return filters.filter(filter => files.some(file => file.startsWith(filter) && file.endsWith('.test.ts')))
}

async function look(fault: Fault, copy: CheckoutCopy): Promise<Result> {
  const { name, file } = fault
  const takeOut = copy.plant(fault)
  const startedAt = performance.now()
  let found: FailedTest | undefined
  let foundBy: FoundBy = 'none'
  try {
    for (const { foundBy: by, ...run } of runsFor(fault, copy)) {
      // Once more if a file could not be loaded: the run ends at the first failure, perhaps while another file begins.
      found = await firstFailure(copy, run).catch(() => firstFailure(copy, run))
      if (!found) continue
      foundBy = by
      break
    }
  } catch (cause) {
    throw new Error(`${name} (${file}): ${cause instanceof Error ? cause.message : cause}`, { cause })
  } finally {
    takeOut()
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { name, file, foundBy, test: found && [found.file, found.title].filter(Boolean).join(' > '), seconds }
}

const copy = new CheckoutCopy(resolve(values.from))
process.once('exit', () => copy.delete())
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const { only = '' } = values
const chosen = faults.filter(({ name, file }) => name.includes(only) || file.includes(only))
if (chosen.length === 0) throw new Error(`--only: no fault has the text ${only}`)
copy.check(chosen)
const results: Result[] = []
for (const [i, fault] of chosen.entries()) {
  const result = await look(fault, copy)
  results.push(result)
  const { name, test, seconds } = result
  const outcome = test === undefined ? `NOT FOUND in ${seconds} s` : `found by ${test} in ${seconds} s`
  console.log(`${i + 1}/${chosen.length} ${name} (${fault.file}): ${outcome}`)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`)
}
const count = (by: FoundBy): number => results.filter(({ foundBy }) => foundBy === by).length
console.log(
  `${results.length} faults: ${count('room')} found by the unit tests of their rooms, ${count('whole unit')} by other unit ` +
    `tests, ${count('system')} by system tests, ${count('none')} by none`,
)
process.exitCode = count('none') === 0 ? 0 : 1
