/** Process of the study `html`: measures extraction of real HTML, indexing of its Markdown, and both together. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { brotliDecompressSync } from 'node:zlib'
import { type AddReport, type CaptureInput, ExtractPool, open } from '@asof/core'
import type { HtmlFigures, HtmlTask } from './html-study.ts'

async function run({ files, folder }: HtmlTask): Promise<HtmlFigures> {
  const pages = files.map((path, number) => ({ url: `https://html.example/${number}`, html: readHtml(path) }))
  const steps: HtmlFigures['steps'] = []
  const timed = async <Result>(name: HtmlFigures['steps'][number]['name'], work: () => Promise<Result>) => {
    const cpu = process.cpuUsage()
    const startedMs = performance.now()
    const result = await work()
    const ms = performance.now() - startedMs
    const { user, system } = process.cpuUsage(cpu)
    steps.push({ name, ms, cpuMs: (user + system) / 1_000 })
    return result
  }

  const pool = new ExtractPool({ maxProcesses: availableParallelism() })
  const extract = ({ url, html }: (typeof pages)[number]) => pool.run(html, { url, contentType: 'text/html' })
  // Starts the workers and compiles before anything is timed.
  await Promise.allSettled(pages.slice(0, 200).map(extract))
  const outcomes = await timed('extract', () => Promise.allSettled(pages.map(extract)))
  await pool.close()
  const extracted: CaptureInput[] = outcomes.flatMap((outcome, number) =>
    outcome.status === 'fulfilled' && outcome.value.markdown !== ''
      ? [{ url: pages[number]!.url, title: outcome.value.title ?? '', markdown: outcome.value.markdown }]
      : [],
  )
  await timed('markdown in', () => addTo(join(folder, 'markdown'), extracted))
  const { failures } = await timed('html in', () => addTo(join(folder, 'html'), pages))
  const bytes = pages.reduce((sum, { html }) => sum + html.length, 0)
  return { pages: pages.length, bytes, failed: failures.length, steps }
}

function readHtml(path: string): Buffer {
  const bytes = readFileSync(path)
  return path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes
}

async function addTo(folder: string, captures: CaptureInput[]): Promise<AddReport> {
  const engine = await open(folder)
  const report = await engine.add(captures)
  await engine.close()
  return report
}

process.once('message', async (task: HtmlTask) => {
  process.send!(await run(task), () => process.disconnect())
})
