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

  it('exits with 1 if no page was stored, and lists every failure with the page that led to it', async () => {
    const site = await chain()
    try {
      const none = await run(['crawl', `${site.url}/missing`, ...flags])
      expect([none.code, JSON.parse(none.stdout)]).toMatchObject([1, { stored: 0, finished: true }])
      const listed = await run(['crawls', '--failures', '--json', '--data', path.join(folder.dir, 'data')])
      const [{ name, failures }] = JSON.parse(listed.stdout) as [{ name: string; failures: unknown[] }]
      expect(failures).toMatchObject([{ url: `${site.url}/missing`, code: 'ASOF_FETCH_STATUS' }])
      const text = await run(['crawls', name, '--failures', '--data', path.join(folder.dir, 'data')])
      expect([text.code, text.stdout]).toEqual([0, expect.stringContaining(`${site.url}/missing: status 404`)])
      const unknown = await run(['crawls', 'nope', '--data', path.join(folder.dir, 'data')])
      expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('nope')])
    } finally {
      await site.close()
    }
  })

  it('sends the headers of --header to the site', async () => {
    const site = await startTarget((request, response) => {
      if (request.headers['x-permit'] !== 'a: b') response.writeHead(401).end()
      else response.setHeader('Content-Type', 'text/html').end('<title>Permitted</title><p>Words for readers</p>')
    })
    try {
      const header = ['--header', 'X-Permit: a: b']
      expect((await run(['crawl', `${site.url}/`, ...flags])).code).toBe(1)
      const crawled = await run(['crawl', `${site.url}/`, ...header, ...flags])
      expect([crawled.code, JSON.parse(crawled.stdout)]).toMatchObject([0, { stored: 1 }])
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
  ] as const)('stops after the current commit on $signal, and resumes the next time', async ({ signal, says }) => {
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
