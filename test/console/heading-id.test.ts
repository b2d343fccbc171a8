import { expect, it } from 'vitest'
import { headingId } from '../../console/page/heading-id.ts'

it('a heading has the id that GitHub gives it', () => {
  const ids = new Map<string, number>()
  const headings = ['What is `asof`?', 'See [the **docs**](docs/x.md)', 'Über uns', 'Über uns']
  expect(headings.map(text => headingId(text, ids))).toEqual([
    't-what-is-asof',
    't-see-the-docs',
    't-über-uns',
    't-über-uns-1',
  ])
})

it('a long heading has an id made from its beginning, however many brackets it has', () => {
  expect(headingId('a'.repeat(1_000), new Map())).toBe(`t-${'a'.repeat(300)}`)
  expect(headingId(`${'['.repeat(20_000)}end`, new Map())).toBe('t-')
})
