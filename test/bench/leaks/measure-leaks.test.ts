import { expect, it } from 'vitest'
import { leakEngines } from '../../../bench/leaks/asked-engines.ts'
import { docHistory } from '../../../bench/leaks/doc-history.ts'
import { generatedDocs } from '../../../bench/leaks/generated-docs.ts'
import { type LeakRow, measureLeaks } from '../../../bench/leaks/measure-leaks.ts'

const history = docHistory(generatedDocs(25, 5))

async function rowsOf(name: 'asof' | 'fts5'): Promise<LeakRow[]> {
  const [engine] = await leakEngines(name)
  if (!engine) throw new Error(`${name} is missing`)
  return measureLeaks(engine, history, { commits: 20, instants: 2, questions: 30, seed: 5 })
}

it('finds nothing of the future in answers of asof', async () => {
  const [row] = await rowsOf('asof')
  expect(row?.figures).toMatchObject({ answers: 60, changedByFuture: 0, broughtIn: 0, later: 0, outdated: 0 })
  expect(row?.figures.right).toBeGreaterThan(0)
  expect(row?.diskBytes).toBeGreaterThan(history.versions.length)
  expect(row?.addMs).toBeGreaterThan(0)
  expect(row?.sameInstantMs).toBeGreaterThan(0)
  expect(row?.otherInstantMs).toBeGreaterThan(0)
})

it('finds later statistics in answers of an engine with a date filter, but no later page', async () => {
  const [newest, valid] = await rowsOf('fts5')
  expect(newest?.figures).toMatchObject({ answers: 60, later: 0 })
  expect(newest?.figures.changedByFuture).toBeGreaterThan(0)
  expect(newest?.figures.outdated).toBeGreaterThan(0)
  expect(valid?.figures).toMatchObject({ answers: 60, later: 0, outdated: 0 })
  expect(valid?.figures.changedByFuture).toBeGreaterThan(0)
})
