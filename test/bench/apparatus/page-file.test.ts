import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import {
  type BenchPage,
  fieldsOf,
  MAX_BATCH_CHARS,
  PageFileWriter,
  readPages,
} from '../../../bench/apparatus/page-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'asof-page-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function batchesOf(pages: readonly BenchPage[], size: number): Promise<BenchPage[][]> {
  const file = join(folder, `${Math.random()}.tsv`)
  const writer = new PageFileWriter(file)
  for (const page of pages) writer.write(page)
  writer.close()
  const batches: BenchPage[][] = []
  for await (const batch of readPages(file, size)) batches.push(batch)
  return batches
}

it('gives each thousandth of the pages its share, and each tenth its group', () => {
  const numbers = Array.from({ length: 20_000 }, (_, number) => number)
  for (const below of [10, 100, 500]) {
    const pages = numbers.filter(number => fieldsOf(number).share < below)
    expect(pages.length / numbers.length).toBeCloseTo(below / 1_000, 2)
  }
  const groups = Map.groupBy(numbers, number => fieldsOf(number).group)
  expect(groups.size).toBe(10)
  for (const pages of groups.values()) expect(pages.length).toBeCloseTo(2_000, -2)
})

it('reads pages as they were written, in batches', async () => {
  const pages: BenchPage[] = [
    { number: 0, url: 'https://a.example/', title: 'tab\there', text: 'line\nline\r\n\\n is an escape', acquiredAt: 1 },
    { number: 1, url: 'https://b.example/', title: '', text: 'Zürich 日本 𝄞 \\\\', acquiredAt: 2, publishedAt: -3 },
    { number: 2, url: 'https://c.example/', title: 'c', text: '\u2028 long '.repeat(200_000), acquiredAt: 3 },
  ]
  expect(await batchesOf(pages, 2)).toEqual([pages.slice(0, 2), pages.slice(2)])
})

it('ends a batch early when its pages are long', async () => {
  const text = 'x'.repeat(MAX_BATCH_CHARS / 2)
  const pages = [0, 1, 2].map(number => ({
    number,
    url: `https://a.example/${number}`,
    title: '',
    text,
    acquiredAt: 0,
  }))
  expect((await batchesOf(pages, 5000)).map(batch => batch.map(({ number }) => number))).toEqual([[0, 1], [2]])
})
