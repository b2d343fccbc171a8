import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTarget } from '../transports/http/running-server.ts'
import { RunningCommand, run, temporaryFolder } from './running-command.ts'

const pages = 40

/** A chain of pages, each with a link to the next. */
function chain(onPage: (number: number) => void | Promise<void> = () => {}) {
  return startTarget(async (request, response) => {
    const number = Number(/^\/(\d+)$/.exec(request.url!)?.[1] ?? Number.NaN)
    if (Number.isNaN(number)) {
      response.writeHead(404).end()
      return
    }
    await onPage(number)
    const next = number < pages ? `<a href="/${number + 1}">next</a>` : ''
    response.setHeader('Content-Type', 'text/html')
    response.end(`<title>Page ${number}</title><p>This is page number ${number} of the chain of pages. ${next}</p>`)
  })
}

describe('asof crawl', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let flags: string[]
  beforeEach(async () => {
    folder = await temporaryFolder()
    flags = [
      '--data',
      path.join(folder.dir, 'data'),
      '--delay-ms',
      '0',
      '--max-depth',
      '100',
      '--allow-private',
      '--json',
    ]
  })
  afterEach(() => folder.remove())

  it('crawls a site, and visits its pages again the next time', async () => {
    const site = await chain()
    try {
      const first = await run(['crawl', `${site.url}/1`, ...flags])
      expect(first.code).toBe(0)
      expect(JSON.parse(first.stdout)).toMatchObject({ stored: pages, finished: true })
      const second = await run(['crawl', `${site.url}/1`, ...flags])
      expect(JSON.parse(second.stdout)).toMatchObject({ stored: 0, unchanged: pages, finished: true })
    } finally {
      await site.close()
    }
  })

  it('accepts a corpus file together with URLs', async () => {
    const site = await chain()
    const corpus = path.join(folder.dir, 'corpus.json')
    await mkdir(folder.dir, { recursive: true })
    await writeFile(corpus, JSON.stringify({ name: 'chain', seeds: [`${site.url}/38`] }))
    try {
      const { code, stdout } = await run(['crawl', `${site.url}/40`, corpus, ...flags])
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject([
        { stored: 1, finished: true },
        { stored: 2, unchanged: 1, finished: true },
      ])
    } finally {
      await site.close()
    }
  })

  it.each([
    { signal: 'SIGINT', says: 'stopping' },
    // The terminal has gone, so nobody reads a notice. The shell and the system may both send the signal.
    { signal: 'SIGHUP', says: '' },
  ] as const)('stops after the current batch on $signal, and resumes the next time', async ({ signal, says }) => {
    let interrupt = () => {}
    const site = await chain(number => {
      if (number === 5) interrupt()
    })
    try {
      const crawling = new RunningCommand(['crawl', `${site.url}/1`, ...flags])
      interrupt = () => {
        crawling.signal(signal)
        if (signal === 'SIGHUP') crawling.signal(signal)
      }
      const { code, stdout, stderr } = await crawling.finished
      const report = JSON.parse(stdout)
      expect(code).toBe(1)
      expect(stderr).toContain(says)
      expect(report).toMatchObject({ finished: false })
      expect(report.stored).toBeLessThan(pages)
      interrupt = () => {}
      const resumed = JSON.parse((await run(['crawl', `${site.url}/1`, ...flags])).stdout)
      expect(resumed).toMatchObject({ finished: true })
      expect(report.stored + resumed.stored).toBe(pages)
    } finally {
      await site.close()
    }
  })

  it('stops immediately on the second Ctrl-C', async () => {
    const never = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const site = await chain(() => {
      asked.resolve()
      return never.promise
    })
    try {
      const crawling = new RunningCommand(['crawl', `${site.url}/1`, ...flags])
      await asked.promise
      crawling.signal('SIGINT')
      await crawling.shows('stderr', /again to stop at once/)
      crawling.signal('SIGINT')
      expect((await crawling.finished).code).toBe(1)
    } finally {
      never.resolve()
      await site.close()
    }
  })
})
