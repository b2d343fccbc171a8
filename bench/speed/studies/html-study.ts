import { fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compiled } from '../../apparatus/compiled.ts'

/** Result of the study `html`. */
export interface HtmlFigures {
  pages: number
  /** Bytes of HTML. */
  bytes: number
  /** Number of pages that asof could not add, such as pages without text. */
  failed: number
  /** Three steps: extraction alone, indexing the extracted Markdown, and indexing HTML (both together). */
  steps: { name: 'extract' | 'markdown in' | 'html in'; ms: number; cpuMs: number }[]
}

export interface HtmlTask {
  files: string[]
  /** Folder to build indexes in. */
  folder: string
}

const MAX_PAGES = 2_000

/** Returns HTML files of a folder, plain or Brotli-compressed (`.br`), evenly spaced over the sorted paths. */
export function htmlFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.html?(\.br)?$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
  const step = Math.max(1, files.length / MAX_PAGES)
  return Array.from({ length: Math.min(files.length, MAX_PAGES) }, (_, i) => files[Math.floor(i * step)]!)
}

/** Measures extraction of HTML files, indexing of the extracted Markdown, and indexing of the HTML, in a process of its own. */
export function htmlStudy(files: string[], folder: string): Promise<HtmlFigures> {
  return new Promise((resolve, reject) => {
    const child = fork(compiled('speed/studies/html-child.ts'))
    let figures: HtmlFigures | undefined
    child.once('message', message => {
      figures = message as HtmlFigures
    })
    child.once('exit', (code, signal) => {
      if (figures) resolve(figures)
      else reject(new Error(`the process of the study html ended with ${signal ?? code}`))
    })
    child.send({ files, folder } satisfies HtmlTask)
  })
}
