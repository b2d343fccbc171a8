import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { prepareCorpus } from '../../../bench/apparatus/corpus.ts'
import { type BenchPage, readPages } from '../../../bench/apparatus/page-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'asof-corpus-'))
})
afterEach(() => rm(folder, { recursive: true }))

const line = (page: number, row: number): string => `row ${row} of page ${page} has some words`

async function pagesOf(pages: number, given: readonly object[]): Promise<BenchPage[]> {
  const realPath = join(folder, 'real.jsonl')
  await writeFile(realPath, given.map(page => `${JSON.stringify(page)}\n`).join(''))
  const { pagesPath, survey } = await prepareCorpus(join(folder, String(pages)), { pages, seed: 1, realPath })
  const read: BenchPage[] = []
  for await (const batch of readPages(pagesPath, 100)) read.push(...batch)
  expect(survey.pages).toBe(read.length)
  return read
}

const twenty = Array.from({ length: 20 }, (_, page) => ({
  url: `https://example.com/${page}`,
  title: `Page ${page}`,
  text: Array.from({ length: 30 }, (_, row) => line(page, row)).join('\n'),
}))

describe('real pages of a file', () => {
  it('are the first ones, or all', async () => {
    const urls = (pages: readonly BenchPage[]): string[] => pages.map(({ url }) => url)
    expect(urls(await pagesOf(5, twenty))).toEqual(urls(await pagesOf(20, twenty)).slice(0, 5))
    expect(await pagesOf(Number.MAX_SAFE_INTEGER, [...twenty, twenty[0]!])).toHaveLength(20)
  })

  it('are followed by edited copies if more are asked for, each with a URL and a text of its own', async () => {
    const pages = await pagesOf(70, twenty)
    expect(new Set(pages.map(({ url }) => url)).size).toBe(70)
    expect(new Set(pages.map(({ text }) => text)).size).toBe(70)
    expect(pages.map(({ number }) => number)).toEqual(Array.from({ length: 70 }, (_, number) => number))
    const own = pages.slice(20).flatMap(({ text }, n) => text.split('\n').map((row, at) => row === line(n % 20, at)))
    expect(own.filter(Boolean).length / own.length).toBeGreaterThan(0.7)
    expect(own.filter(Boolean).length / own.length).toBeLessThan(0.9)
  })

  it('must be some', async () => {
    await expect(pagesOf(5, [])).rejects.toThrow('real.jsonl has no pages')
  })
})
