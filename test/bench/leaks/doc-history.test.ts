import { expect, it } from 'vitest'
import { docHistory, historyUntil, instantsOf, pagesAt } from '../../../bench/leaks/doc-history.ts'

const a = 'https://docs.example/a'
const b = 'https://docs.example/b'
const history = docHistory([
  { url: a, at: 10, title: 'A', text: 'one  two' },
  { url: b, at: 20, title: 'B', text: 'three' },
  { url: a, at: 30, title: 'A', text: 'one\ntwo' },
  { url: a, at: 40, title: 'A', text: 'one 2' },
  { url: b, at: 50, title: 'B' },
  { url: b, at: 50, title: 'B', text: 'three' },
])

it('ends a version at the next one or at the removal, and takes white space for no change', () => {
  expect(history).toEqual({
    versions: [
      { number: 0, url: a, title: 'A', text: 'one  two', at: 10, until: 40 },
      { number: 1, url: b, title: 'B', text: 'three', at: 20, until: 50 },
      { number: 2, url: a, title: 'A', text: 'one 2', at: 40 },
      { number: 3, url: b, title: 'B', text: 'three', at: 51 },
    ],
    removals: [{ url: b, at: 50 }],
  })
})

it('does not know after an instant when its versions end', () => {
  const { versions, removals } = historyUntil(history, 45)
  expect(versions.map(({ number, until }) => [number, until])).toEqual([
    [0, 40],
    [1, undefined],
    [2, undefined],
  ])
  expect(removals).toEqual([])
})

it('has the pages of an instant without older versions', () => {
  expect(pagesAt(history, 40).versions.map(({ number }) => number)).toEqual([1, 2])
  expect(pagesAt(history, 50).versions.map(({ number }) => number)).toEqual([2])
})

it('takes instants with versions before and after them', () => {
  expect(instantsOf(history, 3)).toEqual([20, 40, 51])
})
