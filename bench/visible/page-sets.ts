import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/** A page of a page set. */
export interface SetPage {
  set: string
  id: string
  url: string
  /** The path of its file, which may be compressed with brotli. */
  file: string
  /** The main content as people marked it. */
  body?: string
  headers?: Readonly<Record<string, string>>
}

/** Returns the HTML pages in the page sets of a folder: those that a truth.json lists, once each. */
export function pagesOf(fixtures: string): SetPage[] {
  return readdirSync(fixtures)
    .sort()
    .flatMap(set => {
      const truth = join(fixtures, set, 'truth.json')
      if (!existsSync(truth)) return []
      const listed = JSON.parse(readFileSync(truth, 'utf8')) as (Omit<SetPage, 'set' | 'file'> & { file?: string })[]
      const byFile = new Map<string, SetPage>()
      for (const page of listed) {
        if (page.file === undefined || !/\.html?(?:\.br)?$/.test(page.file)) continue
        byFile.set(page.file, { ...page, id: String(page.id), set, file: join(fixtures, set, page.file) })
      }
      return [...byFile.values()]
    })
}

/** Returns at most `limit` pages of each set, evenly spread. */
export function sampleOf(pages: readonly SetPage[], limit: number): SetPage[] {
  return [...Map.groupBy(pages, ({ set }) => set).values()].flatMap(ofSet => {
    const step = Math.max(1, ofSet.length / limit)
    return ofSet.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step) || i === 0)
  })
}

/** Returns the bytes of a page. */
export function bytesOf({ file }: SetPage): Buffer {
  const bytes = readFileSync(file)
  return file.endsWith('.br') ? brotliDecompressSync(bytes) : bytes
}
