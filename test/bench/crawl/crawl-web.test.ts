import { expect, it } from 'vitest'
import { SyntheticWeb } from '../../../bench/crawl/crawl-web.ts'

const shape = { hosts: 3, pages: 100, pageBytes: 20_000, seed: 1 }
const origin = (host: number) => `http://host-${host}.example`

it.each([15, 50, 100])('makes pages of the requested size with %d %% text', textPercent => {
  const html = new SyntheticWeb({ ...shape, textPercent }).html(50, origin)
  expect(html.length).toBeGreaterThan(20_000)
  expect(html.length).toBeLessThan(25_000)
  const paragraphs = [...html.matchAll(/<p>(.*)<\/p>/g)].reduce((chars, [, text]) => chars + text!.length, 0)
  expect(paragraphs / shape.pageBytes).toBeGreaterThan(textPercent / 100 - 0.04)
  expect(paragraphs / shape.pageBytes).toBeLessThan(textPercent / 100 + 0.04)
})
