import { expect, it } from 'vitest'
import { commitInstants, commitsOf, docHistory, historyUntil, pagesAt } from '../../../bench/leaks/doc-history.ts'

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

it('divides the changes, removals too, and ends with the last of them', () => {
  expect(commitInstants(history, 2)).toEqual([40, 51])
  expect(commitInstants(history, 5)).toEqual([10, 20, 40, 50, 51])
  expect(commitInstants(history, 100)).toEqual([10, 20, 40, 50, 51])
})

it('leads from the pages of each instant to those of the next, without versions that no instant shows', () => {
  const numbers = commitsOf(history, [20, 50, 51]).map(({ instant, added, ended }) => ({
    instant,
    added: added.map(({ number }) => number),
    ended: ended.map(({ number }) => number),
  }))
  expect(numbers).toEqual([
    { instant: 20, added: [0, 1], ended: [] },
    { instant: 50, added: [2], ended: [0, 1] },
    { instant: 51, added: [3], ended: [] },
  ])
  expect(commitsOf(history, [51]).map(({ added }) => added.length)).toEqual([2])
})
