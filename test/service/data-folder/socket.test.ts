import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CaptureInput, type Engine, open } from '../../../core/index.ts'
import type { CrawlReport } from '../../../crawler/index.ts'
import { emptyReport } from '../../../crawler/report/crawl-report.ts'
import type { CrawlRequest } from '../../../service/crawls/index.ts'
import type { DataFolder } from '../../../service/data-folder/data-folder.ts'
import { answersAt, callRemote, isNotBegun } from '../../../service/data-folder/remote-call.ts'
import { remoteDataFolder } from '../../../service/data-folder/socket-client.ts'
import { serveSocket } from '../../../service/data-folder/socket-server.ts'
import { extractiveReader, noJournal, ServiceError } from '../../../service/index.ts'

const report: CrawlReport = {
  ...emptyReport('docs', 5),
  fetched: 1,
  stored: 1,
  bytes: 3,
  durationMs: 4,
  finished: true,
  known: { pending: 0, done: 1, failed: 0, skipped: 0 },
}

/** The folder of the process that listens at a socket. */
function folderAt(socket: string): DataFolder {
  return remoteDataFolder({
    call: (operation, options) => callRemote(socket, operation, options),
    close: async () => {},
  })
}

describe('the local socket', () => {
  let dir: string
  let socket: string
  let engine: Engine
  let remote: Engine
  let notices: string[]
  let close: () => Promise<void>
  let crawl: (run: CrawlRequest) => Promise<CrawlReport>
  let exportFeedback: DataFolder['exportFeedback']
  let stop: AbortController

  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'asof-socket-'))
    socket = path.join(dir, 'asof.sock')
    engine = await open(path.join(dir, 'data'), { searchThreads: 0 })
    notices = []
    stop = new AbortController()
    crawl = async () => report
    exportFeedback = async () => {}
    const folder: DataFolder = {
      engine,
      crawl: run => crawl(run),
      backup: (target, run) => engine.backup(target, run),
      administer: async (act, input, actor) => ({ act, input, actor }),
      operate: async (name, args, { onProgress } = {}) => {
        if (name === 'countless') return 2n ** 64n
        if (name === 'endless') return void onProgress?.(2n ** 64n)
        for (const arg of args) await onProgress?.({ name, arg })
        return args.length
      },
      reader: extractiveReader,
      journal: noJournal,
      exportFeedback: onPart => exportFeedback(onPart),
      readLive: () => Promise.reject(new ServiceError('target_rate_limited', 'slow down', { retryAfterSeconds: 7 })),
      close: () => engine.close(),
    }
    close = await serveSocket(socket, folder, { signal: stop.signal, onNotice: line => notices.push(line) })
    remote = folderAt(socket).engine
  })
  /** Begins a request of another program with these lines. */
  const post = (lines: string): ClientRequest => {
    const sending = request({ socketPath: socket, method: 'POST', agent: false })
    sending.on('error', () => {}).write(lines)
    return sending
  }

  afterEach(async () => {
    await close()
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  })

  it('removes and purges a list of any length in one operation, with progress and one report', async () => {
    await engine.add([1, 2, 3].map(n => ({ url: `https://a.example/${n}`, text: `lamp ${n}` })))
    async function* urls() {
      for (let n = 0; n < 10_001; n++) yield n === 0 ? 'nowhere' : `https://b.example/${n}`
      yield* ['https://a.example/1', 'https://a.example/2']
    }
    const seen: number[] = []
    const report = await remote.purgeAll({ urls: urls() }, { onProgress: ({ pages }) => seen.push(pages) })
    expect(report).toMatchObject({ pages: 2, captures: 2, failed: 1, failures: [{ url: 'nowhere' }], finished: true })
    expect(seen.at(-1)).toBe(2)
    expect(await remote.removeAll({ site: 'a.example' }, { dryRun: true })).toMatchObject({ pages: 1 })
    expect(await remote.removeAll({ site: 'a.example' })).toMatchObject({ pages: 1 })
    expect((await engine.stats()).urls).toBe(1)
  })

  it('counts a page of a long list once in a dry run, as the deletion does', async () => {
    await engine.add([{ url: 'https://a.example/1', text: 'lamp', aliases: ['https://a.example/alias'] }])
    async function* urls() {
      yield 'https://a.example/1'
      for (let n = 0; n < 10_001; n++) yield `https://b.example/${n}`
      yield* ['https://a.example/1', 'https://a.example/alias']
    }
    for (const op of ['removeAll', 'purgeAll'] as const) {
      const trial = await remote[op]({ urls: urls() }, { dryRun: true })
      expect(trial).toMatchObject({ pages: 1, finished: true })
      expect(await remote[op]({ urls: urls() })).toEqual(trial)
    }
  })

  it('stops a list when the caller asks for it, and rejects what is no list', async () => {
    const controller = new AbortController()
    let sent = 0
    async function* urls() {
      for (; sent < 1_000_000; sent++) yield `https://b.example/${sent}`
    }
    const options = { signal: controller.signal, onProgress: () => controller.abort() }
    expect(await remote.removeAll({ urls: urls() }, options)).toMatchObject({ pages: 0, finished: false })
    expect(sent).toBeLessThan(1_000_000)
    const wrong = { code: 'ASOF_INVALID_OPTION', details: { field: 'urls' } }
    await expect(remote.removeAll({ urls: 'https://a.example/1' as never })).rejects.toMatchObject(wrong)
    await expect(remote.purgeAll({ urls: [], site: 'a.example' })).rejects.toMatchObject(wrong)
    await expect(remote.purgeAll({})).rejects.toMatchObject({ details: { field: 'selection' } })
  })

  it('carries instants of fields in both directions, and strings that look like encoded ones', async () => {
    const released = new Date('2025-05-01T10:00:00Z')
    const sku = '\0d17'
    const lamp = { url: 'https://shop.example/lamp', text: 'lamp', fields: { released, sku } }
    expect((await remote.add([lamp])).failures).toEqual([])
    expect((await remote.page(lamp.url))?.fields).toEqual({ released, sku })
    const answer = await remote.search('lamp', { filter: { released: { lte: released } } })
    expect(answer.results.map(({ fields }) => fields)).toEqual([{ released, sku }])
    expect((await engine.page(lamp.url))?.fields).toEqual({ released, sku })
  })

  it('lets the holder of the folder read pages for a prompt', async () => {
    const page = { url: 'https://a.example/', title: 'A', markdown: 'Nothing here.\n\nThe tide is at six.' }
    const reading = { content: 'The tide is at six.', reader: 'extractive' }
    expect(await folderAt(socket).reader.read(page, 'When is the tide?')).toEqual(reading)
  })

  it('runs operations of parts, with their progress', async () => {
    const folder = folderAt(socket)
    const progress: unknown[] = []
    const onProgress = (part: unknown) => void progress.push(part)
    expect(await folder.operate('count', ['one', { two: 2 }], { onProgress })).toBe(2)
    expect(progress).toEqual([
      { name: 'count', arg: 'one' },
      { name: 'count', arg: { two: 2 } },
    ])
  })

  it('fails an operation of a part whose arguments, progress or result JSON cannot have, and goes on', async () => {
    const folder = folderAt(socket)
    const round: unknown[] = []
    round.push(round)
    for (const arg of [1n, round]) await expect(folder.operate('count', [arg])).rejects.toThrow(TypeError)
    for (const name of ['countless', 'endless']) await expect(folder.operate(name, [])).rejects.toThrow(/BigInt/)
    expect(await folder.operate('count', [1])).toBe(1)
  })

  it('exports feedback no faster than the client reads it', async () => {
    const parts = Array.from({ length: 60 }, (_, at) => ({
      qrels: `${at} `.repeat(30_000),
      topics: '',
      judgments: 1,
    }))
    let given = 0
    exportFeedback = async onPart => {
      for (const part of parts) {
        given += 1
        await onPart(part)
      }
    }
    const taken: string[] = []
    let aheadAtFirst = 0
    await folderAt(socket).exportFeedback(async part => {
      await new Promise(resolve => setImmediate(resolve))
      if (taken.push(part.qrels) === 1) aheadAtFirst = given
    })
    expect(taken).toEqual(parts.map(({ qrels }) => qrels))
    expect(aheadAtFirst).toBeLessThan(60)
  })

  it('returns the answers of the engine', async () => {
    expect(await remote.add([{ url: 'https://a.example/', text: 'ships at sea', acquiredAt: new Date(0) }])).toEqual({
      added: 1,
      revised: 0,
      unchanged: 0,
      removed: 0,
      failures: [],
      warnings: [],
      withoutText: [],
      replaced: [],
    })
    const options = { maxResults: 3, queryTime: 1_000 }
    expect(await remote.search('ships', options)).toEqual(await engine.search('ships', options))
    expect(await remote.page('https://a.example/')).toEqual(await engine.page('https://a.example/'))
    expect(await remote.page('https://b.example/')).toBeUndefined()
    expect(await remote.history('https://a.example/', { maxResults: 1 })).toEqual({
      url: 'https://a.example/',
      versions: [{ kind: 'capture', at: 0, lastSeenAt: 0, title: 'ships at sea', changed: [] }],
    })
    await expect(remote.history('https://a.example/', { maxResults: 0 })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
    })
    expect(await remote.timeline('https://a.example/')).toEqual(await engine.timeline('https://a.example/'))
    expect(await remote.timeline('https://b.example/')).toBeUndefined()
    expect(await remote.stats()).toEqual(await engine.stats())
    expect(await remote.remove('https://a.example/')).toBe(true)
    expect(await remote.remove('https://a.example/')).toBe(false)
    expect(await remote.remove('https://a.example/', { at: new Date(500) })).toBe(true)
    expect(await remote.page('https://a.example/', { queryTime: 600 })).toBeUndefined()
    await expect(remote.remove('https://a.example/', { at: 'then' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_TIME',
    })
    expect(await remote.purge('https://a.example/')).toBe(1)
  })

  it('gives the answers of a sealed engine, which refuses to write and to see more', async () => {
    const url = 'https://a.example/'
    await remote.add([1_000, 2_000].map(at => ({ url, text: `ships at ${at}`, acquiredAt: at })))
    const sealed = remote.sealed(1_500) as Engine
    const here = engine.sealed(1_500)
    expect(await sealed.search('ships')).toEqual(await here.search('ships'))
    const tree = { all: [{ prefix: 'ship' }], not: 'sails' }
    expect(await sealed.search(tree)).toEqual(await here.search(tree))
    expect(await sealed.timeline(url)).toEqual(await here.timeline(url))
    expect(await sealed.sealed(500).page(url)).toBeUndefined()
    await expect(sealed.page(url, { queryTime: 100_000 })).rejects.toMatchObject({ code: 'ASOF_INVALID_TIME' })
    await expect(sealed.sealed(1_600).page(url)).rejects.toMatchObject({ code: 'ASOF_INVALID_TIME' })
    await expect(sealed.add([{ url, text: 'more' }])).rejects.toMatchObject({ code: 'ASOF_SEALED' })
    await expect(sealed.removeAll({ urls: [url] })).rejects.toMatchObject({ code: 'ASOF_SEALED' })
    expect(await remote.page(url)).toMatchObject({ markdown: 'ships at 2000' })
    await remote.purge(url)
  })

  it('makes a backup in the folder that the client names, reports progress, and can be stopped', async () => {
    await engine.add([{ url: 'https://a.example/', text: 'ships at sea' }])
    const told: number[] = []
    const target = path.join(dir, 'copy')
    const report = await remote.backup(target, { onProgress: bytes => told.push(bytes) })
    expect(report).toMatchObject({ captures: 1, urls: 1, bytes: told.at(-1) })
    const copy = await open(target)
    expect((await copy.search('ships')).results).toEqual((await engine.search('ships')).results)
    await copy.close()
    for (const taken of [target, path.join(dir, 'data', 'copy')])
      await expect(remote.backup(taken)).rejects.toMatchObject({ code: 'ASOF_BACKUP_TARGET' })
    const aborted = folderAt(socket).backup(path.join(dir, 'other'), { signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    await expect(stat(path.join(dir, 'other'))).rejects.toThrow('ENOENT')
    await expect(remote.backup(target, { beside: async () => {} })).rejects.toThrow(TypeError)
  })

  it('passes on administrative acts with their actor', async () => {
    const made = await folderAt(socket).administer('org.create', { name: 'A' }, 'command line of ann')
    expect(made).toEqual({ act: 'org.create', input: { name: 'A' }, actor: 'command line of ann' })
  })

  it('transfers bytes unchanged', async () => {
    const latin1 = Buffer.from('<title>Gr\xfc\xdfe</title><p>Sch\xf6ne Gr\xfc\xdfe</p>', 'latin1')
    await remote.add([{ url: 'https://a.example/', html: latin1, contentType: 'text/html; charset=iso-8859-1' }])
    expect((await engine.page('https://a.example/'))!.markdown).toContain('Schöne Grüße')
  })

  it('reads captures from a stream no faster than they are added', async () => {
    async function* captures(): AsyncGenerator<CaptureInput> {
      for (let i = 0; i < 2_000; i += 1)
        yield { url: `https://a.example/${i}`, text: `page ${i} ${'words '.repeat(50)}` }
    }
    expect(await remote.add(captures())).toMatchObject({ added: 2_000 })
  })

  it('reports captures that failed, with the error of each', async () => {
    const { added, failures } = await remote.add([
      { url: 'nowhere', text: 'a' },
      { url: 'https://a.example/', text: 'b' },
    ])
    expect(added).toBe(1)
    expect(failures).toEqual([expect.objectContaining({ url: 'nowhere', code: 'ASOF_INVALID_URL' })])
  })

  it('fails with the error of the engine: code, message and details', async () => {
    const [here, there] = await Promise.all(
      [engine, remote].map(one => one.search('a', { publishedAfter: 'soon' }).catch((error: unknown) => error)),
    )
    expect(there).toMatchObject({
      name: 'AsofError',
      code: (here as { code: string }).code,
      message: (here as Error).message,
      details: (here as { details: object }).details,
    })
  })

  it('fails with the errors of the service', async () => {
    const failure = await folderAt(socket)
      .readLive('https://a.example/')
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'ServiceError', kind: 'target_rate_limited', retryAfterSeconds: 7 })
  })

  it('commits nothing of a stream whose sender disconnected, and still answers others', async () => {
    for (const isBroken of [true, false]) {
      const sending = post('{"op":"add","args":[]}\n{"item":{"url":"https://a.example/","text":"half of it"}}\n')
      const [response] = (await once(sending, 'response')) as [IncomingMessage]
      if (isBroken) sending.destroy()
      else {
        sending.end()
        expect(await text(response)).toContain('before the last one')
      }
      expect((await remote.stats()).captures).toBe(0)
    }
  })

  it('passes on the progress of a crawl and the request to stop it', async () => {
    const wish = new AbortController()
    const seen: unknown[] = []
    crawl = async ({ corpus, limits, signal, onProgress }) => {
      expect([corpus, limits]).toEqual([['https://a.example/'], { maxPages: 2 }])
      onProgress!({ kind: 'started', resumed: false, report })
      if (!signal!.aborted) await once(signal!, 'abort')
      return { ...report, finished: false }
    }
    const finished = await folderAt(socket).crawl({
      corpus: ['https://a.example/'],
      limits: { maxPages: 2 },
      signal: wish.signal,
      onProgress: event => {
        seen.push(event)
        wish.abort()
      },
    })
    expect(seen).toEqual([{ kind: 'started', resumed: false, report }])
    expect(finished).toEqual({ ...report, finished: false })
  })

  it('stops a crawl if its client disconnects or the signal of its own process aborts', async () => {
    for (const end of ['client', 'process']) {
      const stopped = Promise.withResolvers<void>()
      const started = Promise.withResolvers<void>()
      crawl = async ({ signal }) => {
        started.resolve()
        if (!signal!.aborted) await once(signal!, 'abort')
        stopped.resolve()
        return report
      }
      const sending = post('{"op":"crawl","args":[["https://a.example/"],{}]}\n')
      await started.promise
      if (end === 'client') sending.destroy()
      else stop.abort()
      await stopped.promise
      sending.destroy()
    }
  })

  it('finishes running operations before it closes, and deletes its file', async () => {
    const started = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    crawl = async () => {
      started.resolve()
      await go.promise
      return report
    }
    const answer = folderAt(socket).crawl({ corpus: ['https://a.example/'], limits: {} })
    await started.promise
    const closed = close()
    go.resolve()
    expect(await answer).toEqual(report)
    await closed
    await expect(stat(socket)).rejects.toThrow('ENOENT')
    expect(await answersAt(socket)).toBe(false)
  })

  it('closes although a client is connected that sends nothing', async () => {
    const connection = connect(socket)
    await once(connection, 'connect')
    connection.resume()
    const ended = once(connection, 'close')
    await close()
    await ended
  })

  it('fails with ASOF_CLOSED if no process listens', async () => {
    const late = folderAt(path.join(dir, 'gone.sock')).engine
    await expect(late.stats()).rejects.toMatchObject({
      code: 'ASOF_CLOSED',
      message: expect.stringContaining('has stopped'),
    })
  })

  it('tells whether an operation had started when its process ended', async () => {
    const place = path.join(dir, 'dying.sock')
    const ending = createServer((_, response) => response.destroy()).listen(place)
    const stats = { op: 'stats', args: [] } as const
    const before = await callRemote(place, stats).catch((error: unknown) => error)
    expect(isNotBegun(before)).toBe(true)
    ending.removeAllListeners('request').on('request', (_, response) => {
      response.flushHeaders()
      setImmediate(() => response.destroy())
    })
    const after = await callRemote(place, stats).catch((error: unknown) => error)
    expect(after).toMatchObject({ code: 'ASOF_CLOSED', message: expect.stringContaining('before it answered') })
    expect(isNotBegun(after)).toBe(false)
    ending.close()
  })

  it('keeps its connections between calls', async () => {
    const place = path.join(dir, 'kept.sock')
    let connections = 0
    const answering = createServer((_, response) => response.end('{"done":true,"result":1}\n')).listen(place)
    answering.on('connection', () => {
      connections += 1
    })
    for (let call = 0; call < 10; call++) expect(await callRemote(place, { op: 'stats', args: [] })).toBe(1)
    // A call may begin before the connection of the last one is free.
    expect(connections).toBeLessThanOrEqual(2)
    answering.close()
  })

  it('fails with the error of the pages that are sent', async () => {
    async function* failing() {
      yield { url: 'https://a.example/', text: 'one' }
      throw new Error('no more pages')
    }
    await expect(remote.add(failing())).rejects.toThrow('no more pages')
    expect((await remote.stats()).captures).toBe(0)
  })

  it('rejects lines that are not operations', async () => {
    for (const line of ['{"op":"drop","args":[]}', '{}', 'no json']) {
      const [response] = (await once(post(`${line}\n`).end(), 'response')) as [IncomingMessage]
      expect(JSON.parse(await text(response))).toHaveProperty('error')
    }
    expect(await remote.stats()).toMatchObject({ captures: 0 })
  })

  it('does not replace a file that is not a socket', async () => {
    const file = path.join(dir, 'other.sock')
    await writeFile(file, 'precious')
    const folder = { engine } as DataFolder
    await expect(serveSocket(file, folder, { onNotice: () => {} })).rejects.toThrow('not a socket')
  })

  it('gives a notice and opens no socket if the path is too long', async () => {
    const long = path.join(dir, 'x'.repeat(120), 'asof.sock')
    const done = await serveSocket(long, { engine } as DataFolder, { onNotice: line => notices.push(line) })
    expect(notices).toEqual([expect.stringContaining('too long')])
    await done()
  })
})
