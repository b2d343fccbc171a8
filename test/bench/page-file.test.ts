import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type BenchPage, PageFileWriter, readPages } from '../../bench/page-file.ts'

it('gives back the pages as they were written, in batches', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'asof-page-file-'))
  const pages: BenchPage[] = [
    { number: 0, url: 'https://a.example/', title: 'tab\there', text: 'line\nline\r\n\\n is no line', acquiredAt: 1 },
    { number: 1, url: 'https://b.example/', title: '', text: 'Zürich 日本 𝄞 \\\\', acquiredAt: 2, publishedAt: -3 },
    { number: 2, url: 'https://c.example/', title: 'c', text: '\u2028 long '.repeat(200_000), acquiredAt: 3 },
  ]
  try {
    const writer = new PageFileWriter(join(folder, 'pages.tsv'))
    for (const page of pages) writer.write(page)
    writer.close()
    const batches: BenchPage[][] = []
    for await (const batch of readPages(join(folder, 'pages.tsv'), 2)) batches.push(batch)
    expect(batches).toEqual([pages.slice(0, 2), pages.slice(2)])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
