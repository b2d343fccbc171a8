import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { stockClients } from './install.ts'

/** A call of a stock client. */
export interface ClientCall {
  client: string
  /** The address that its user gives the client: the line that changes. */
  base: string
  key: string
  method: string
  args: readonly unknown[]
  options?: Readonly<Record<string, unknown>>
}

/** What became of a call: the value that the client returned, or the error that it threw. */
export interface Outcome {
  value?: unknown
  error?: { name: string; message: string; status?: number }
  /** What the client told its user in another way, such as a warning of Python. */
  warnings: string[]
}

/** Returns the value that a client returned. @throws Error - the client threw an error. */
export function returnedBy({ value, error }: Outcome): unknown {
  if (error) throw new Error(`${error.name}: ${error.message}`)
  return value
}

/** Returns options as a client of Python names them. */
export function snake(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [snakeName(name), snake(inner)])
  return Object.fromEntries(entries)
}

/** Returns the name of an option or method as a client of Python has it. */
export function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

/** Makes calls with stock clients. */
export interface Clients {
  call(call: ClientCall): Promise<Outcome>
  close(): void
}

type Methods = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>

interface Modules {
  Exa: new (key: string, base: string) => Methods
  tavily: (options: { apiKey?: string; apiBaseURL: string }) => Methods
  Firecrawl: new (options: { apiKey: string; apiUrl: string }) => Methods
  Parallel: new (options: { apiKey: string; baseURL: string }) => Methods
}

async function importPackages(): Promise<Modules> {
  const required = createRequire(path.join(stockClients.packages, 'index.js'))
  const load = (name: string): Promise<Record<string, unknown>> => import(pathToFileURL(required.resolve(name)).href)
  const [exa, tavily, firecrawl, parallel] = await Promise.all(
    ['exa-js', '@tavily/core', 'firecrawl', 'parallel-web'].map(load),
  )
  return {
    Exa: exa?.Exa as Modules['Exa'],
    tavily: tavily?.tavily as Modules['tavily'],
    Firecrawl: firecrawl?.Firecrawl as Modules['Firecrawl'],
    Parallel: parallel?.Parallel as Modules['Parallel'],
  }
}

function errorOf(error: unknown): NonNullable<Outcome['error']> {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) }
  const { statusCode, status = statusCode } = error as { statusCode?: number; status?: number }
  return { name: error.constructor.name, message: error.message, status }
}

/** Starts the clients of both languages. */
export async function startClients(): Promise<Clients> {
  const { Exa, tavily, Firecrawl, Parallel } = await importPackages()
  const makers: Readonly<Record<string, (base: string, key: string) => Methods>> = {
    'exa-js': (base, key) => new Exa(key, base),
    firecrawl: (base, key) => new Firecrawl({ apiKey: key, apiUrl: base }),
    'parallel-web': (base, key) => new Parallel({ apiKey: key, baseURL: base }),
    '@tavily/core': (base, key) => tavily({ apiKey: key === '' ? undefined : key, apiBaseURL: base }),
  }
  const script = path.join(import.meta.dirname, 'clients.py')
  const child = spawn(stockClients.python, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()

  async function inJavaScript(make: (base: string, key: string) => Methods, call: ClientCall): Promise<Outcome> {
    try {
      const client = make(call.base, call.key)
      const args = call.options ? [...call.args, call.options] : call.args
      const method = client[call.method]
      if (!method) throw new TypeError(`${call.client} has no ${call.method}`)
      return { value: await method.apply(client, [...args]), warnings: [] }
    } catch (error) {
      return { error: errorOf(error), warnings: [] }
    }
  }

  /** Calls wait for each other, because an outcome is the next line. */
  function inPython(call: ClientCall): Promise<Outcome> {
    const outcome = last.then(async (): Promise<Outcome> => {
      child.stdin.write(`${JSON.stringify({ options: {}, ...call })}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error('the clients of Python have ended')
      return JSON.parse(value) as Outcome
    })
    last = outcome.catch(() => undefined)
    return outcome
  }

  return {
    call: call => {
      const make = makers[call.client]
      return make ? inJavaScript(make, call) : inPython(call)
    },
    close: () => {
      child.stdin.end()
    },
  }
}
