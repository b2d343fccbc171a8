/** The measured process: runs one engine and executes one request of its parent at a time, so that memory and time are its own. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { readPages } from '../apparatus/page-file.ts'
import type { Question } from '../questions/question.ts'
import { type BenchEngine, type EngineName, type EngineOptions, loadEngine } from './engine.ts'
import type { Answers, FloodFigures, IndexFigures } from './engine-process.ts'

export type Request =
  | { do: 'index'; pagesPath: string; folder: string; batch: number }
  | { do: 'open'; folder: string; first: Question }
  | { do: 'ask'; questions: Question[] }
  | { do: 'flood'; inFlight: number; ms: number; questions: Question[] }
  | { do: 'explain'; questions: Question[] }
  | { do: 'stop' }

export type Reply = { result: unknown } | { error: string }

const LOOP_DELAY_RESOLUTION_MS = 1

const [, , nameArgument = '', optionsArgument = '{}'] = process.argv
const name = nameArgument as EngineName
const options = JSON.parse(optionsArgument) as EngineOptions
const module = await loadEngine(name)
let engine: BenchEngine | undefined

async function index({ pagesPath, folder, batch }: Request & { do: 'index' }): Promise<IndexFigures> {
  engine = await module.open(folder, options)
  let pages = 0
  let addMs = 0
  let readCpuMicros = 0
  const nsPerPage: number[] = []
  let reading = process.threadCpuUsage()
  for await (const read of readPages(pagesPath, batch)) {
    const taken = module.mostPages === undefined ? read : read.slice(0, module.mostPages - pages)
    const { user, system } = process.threadCpuUsage(reading)
    readCpuMicros += user + system
    const startedMs = performance.now()
    await engine.add(taken)
    const tookMs = performance.now() - startedMs
    addMs += tookMs
    pages += taken.length
    nsPerPage.push(Math.round((tookMs * 1e6) / taken.length))
    reading = process.threadCpuUsage()
    if (pages === module.mostPages) break
  }
  const settlingMs = performance.now()
  await engine.settle?.()
  const settleMs = performance.now() - settlingMs
  const { user, system } = process.cpuUsage()
  const cpuMs = (user + system - readCpuMicros) / 1000
  const indexBytes = await engine.indexBytes?.()
  if (module.persistent) {
    await engine.close()
    engine = undefined
  }
  return {
    pages,
    addMs,
    settleMs,
    cpuMs,
    slowestNsPerPage: Math.max(...nsPerPage),
    fastestNsPerPage: Math.min(...nsPerPage),
    indexBytes,
  }
}

async function open({ folder, first }: Request & { do: 'open' }): Promise<{ firstAnswerMs: number }> {
  const startedMs = performance.now()
  engine ??= await module.open(folder, options)
  await engine.search(first)
  return { firstAnswerMs: performance.now() - startedMs }
}

async function ask({ questions }: Request & { do: 'ask' }): Promise<Answers> {
  const answers: Answers = { wallNs: [], cpuNs: [], found: [] }
  for (const question of questions) {
    const cpu = process.cpuUsage()
    const started = process.hrtime.bigint()
    const found = await engine!.search(question)
    answers.wallNs.push(Number(process.hrtime.bigint() - started))
    const { user, system } = process.cpuUsage(cpu)
    answers.cpuNs.push((user + system) * 1000)
    answers.found.push(found)
  }
  return answers
}

async function flood({ inFlight, ms, questions }: Request & { do: 'flood' }): Promise<FloodFigures> {
  const delay = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS })
  delay.enable()
  const startedMs = performance.now()
  let answered = 0
  const searchUntilEnd = async () => {
    while (performance.now() - startedMs < ms) {
      await engine!.search(questions[answered++ % questions.length]!)
      // A server yields to the event loop between requests.
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: inFlight }, searchUntilEnd))
  const seconds = (performance.now() - startedMs) / 1000
  delay.disable()
  return { answered, seconds, loopDelayP99Ms: delay.percentile(99) / 1e6 - LOOP_DELAY_RESOLUTION_MS }
}

async function explain({ questions }: Request & { do: 'explain' }): Promise<Record<string, number>[]> {
  const steps: Record<string, number>[] = []
  for (const question of questions) steps.push(await engine!.explain!(question))
  return steps
}

async function stop(): Promise<void> {
  await engine?.close()
  process.disconnect?.()
}

async function serve(request: Request): Promise<unknown> {
  switch (request.do) {
    case 'index':
      return await index(request)
    case 'open':
      return await open(request)
    case 'ask':
      return await ask(request)
    case 'flood':
      return await flood(request)
    case 'explain':
      return await explain(request)
    case 'stop':
      return await stop()
  }
}

process.on('message', async (request: Request) => {
  const reply: Reply = await serve(request).then(
    result => ({ result }),
    (error: Error) => ({ error: `${name}: ${error.stack}` }),
  )
  if (process.connected) process.send!(reply)
})
// The parent has ended.
process.once('disconnect', () => process.exit())
