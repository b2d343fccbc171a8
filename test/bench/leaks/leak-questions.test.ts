import { expect, it } from 'vitest'
import { docHistory } from '../../../bench/leaks/doc-history.ts'
import { generatedDocs } from '../../../bench/leaks/generated-docs.ts'
import { changingLines, leakQuestions } from '../../../bench/leaks/leak-questions.ts'

const url = 'https://docs.example/pools'
const page = (at: number, ...lines: string[]) => ({ url, at, title: 'Pools', text: lines.join('\n') })
const open = (seconds: number) => `- The default timeout of idle pools is ${seconds} seconds.`
const option = (name: string) => `The option \`${name}\` limits how many sockets stay open.`
const history = docHistory([
  page(10, open(5), option('max-open'), 'Each request opens some 2 sockets here.'),
  page(
    20,
    open(9),
    option('max-open'),
    'Each request opens some 2 sockets here.',
    'Each request opens some 3 sockets here.',
  ),
  page(30, open(9), option('pool-size')),
])

it('finds values and names that changed, and no line that a page has twice', () => {
  expect(changingLines(history)).toEqual([
    {
      url,
      words: ['default', 'timeout', 'idle', 'pools', 'seconds'],
      stated: new Map([
        [0, open(5)],
        [1, open(9)],
        [2, open(9)],
      ]),
    },
    {
      url,
      words: ['option', 'limits', 'many', 'sockets', 'stay', 'open'],
      stated: new Map([
        [0, option('max-open')],
        [1, option('max-open')],
        [2, option('pool-size')],
      ]),
    },
  ])
})

it('asks as of an instant for the value that held then', () => {
  const held = (instant: number) =>
    leakQuestions(history, changingLines(history), { instant, count: 4, seed: 1 })
      .flatMap(({ truth }) => truth?.held ?? [])
      .sort()
  expect(held(15)).toEqual([open(5), option('max-open')])
  expect(held(20)).toEqual([open(9), option('max-open')])
  expect(held(99)).toEqual([open(9), option('pool-size')])
})

it('generates values of each kind that change, and the same for a seed', () => {
  const generated = docHistory(generatedDocs(40, 3))
  const texts = changingLines(generated).flatMap(({ stated }) => [...stated.values()])
  for (const kind of [/timeout/, /limit/, /price/, /requires version/, /The option/])
    expect(texts.some(text => kind.test(text))).toBe(true)
  expect(generated.removals.length).toBeGreaterThan(0)
  expect(docHistory(generatedDocs(40, 3))).toEqual(generated)
})
