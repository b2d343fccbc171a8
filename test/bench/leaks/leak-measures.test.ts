import { expect, it } from 'vitest'
import { docHistory } from '../../../bench/leaks/doc-history.ts'
import { countLeaks, noFigures } from '../../../bench/leaks/leak-measures.ts'

const page = (name: string, at: number, text?: string) => ({
  url: `https://docs.example/${name}`,
  at,
  title: name,
  text,
})
const history = docHistory([
  page('a', 1, 'one'),
  page('b', 2, 'one'),
  page('a', 3, 'two'),
  page('b', 4),
  page('c', 5, 'one'),
  page('a', 6, 'three'),
])
const [first, removed, held, other, later] = [0, 1, 2, 3, 4]
const stated = new Map([
  [first, 'one'],
  [held, 'two'],
  [later, 'three'],
])
const question = {
  question: { form: 'or' as const, words: [], limit: 10 },
  truth: { url: 'https://docs.example/a', stated, held: 'two' },
}

function figuresOf(asked: number[], alone: number[], untilThen: number[]) {
  const figures = noFigures()
  countLeaks(figures, history, question, 5, { asked, alone, untilThen })
  return figures
}

it('counts nothing in an answer as it was', () => {
  const answer = [held, other]
  expect(figuresOf(answer, answer, answer)).toEqual({
    ...noFigures(),
    answers: 1,
    results: 2,
    truths: 1,
    right: 1,
    rightAlone: 1,
  })
})

it('tells later from superseded, removed and brought-in results', () => {
  const figures = figuresOf([held, first, removed, later], [held, other], [held, removed])
  expect(figures).toMatchObject({ changedByFuture: 1, otherThanAlone: 1, broughtIn: 2, later: 1, outdated: 2 })
})

it('takes an answer for wrong that also states another value, or none', () => {
  expect(figuresOf([held, first], [other], [held])).toMatchObject({ truths: 1, right: 0, rightAlone: 0 })
  expect(figuresOf([other, removed, held, first], [held], [held])).toMatchObject({ right: 1, rightAlone: 1 })
})

it('takes another value for wrong on a removed page, and for right on a page that is valid', () => {
  const values = new Map([...stated, [removed, 'three'], [other, 'three']])
  const asked = { ...question, truth: { ...question.truth, stated: values } }
  const rightOf = (...found: number[]) => {
    const figures = noFigures()
    countLeaks(figures, history, asked, 5, { asked: found, alone: [], untilThen: [] })
    return figures.right
  }
  expect(rightOf(held, removed)).toBe(0)
  expect(rightOf(held, other)).toBe(1)
})
