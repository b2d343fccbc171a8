import { fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compiled } from '../../apparatus/compiled.ts'

export interface HtmlFigures {
  pages: number
  /** Of HTML. */
  bytes: number
  /** Pages that asof took no capture of, such as those without text. */
  failed: number
  /** Extraction alone; its markdown in; HTML in. */
  steps: { name: 'extract' | 'markdown in' | 'html in'; ms: number; cpuMs: number }[]
}

export interface HtmlTask {
  files: string[]
  /** Where indexes are built. */
  folder: string
}

const MOST_PAGES = 2_000

/** HTML files of a folder, plain or packed with brotli (`.br`), picked evenly over their sorted paths. */
export function htmlFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.html?(\.br)?$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
  const step = Math.max(1, files.length / MOST_PAGES)
  return Array.from({ length: Math.min(files.length, MOST_PAGES) }, (_, i) => files[Math.floor(i * step)])
}

/** Takes real HTML through extraction, through the index, and through both, each time as fast as it goes. */
export function htmlStudy(files: string[], folder: string): Promise<HtmlFigures> {
  return new Promise((resolve, reject) => {
    const child = fork(compiled('speed/studies/html-child.ts'))
    let figures: HtmlFigures | undefined
    child.once('message', message => {
      figures = message as HtmlFigures
    })
    child.once('exit', (code, signal) => {
      if (figures) resolve(figures)
      else reject(new Error(`the process of HTML pages ended with ${signal ?? code}`))
    })
    child.send({ files, folder } satisfies HtmlTask)
  })
}
