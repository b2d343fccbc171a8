import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'

const preloaded = ['--import', join(import.meta.dirname, 'second-analyzer.ts')]
const script = join(import.meta.dirname, 'two-analyzers.ts')
const failpoints = ['--import', join(import.meta.dirname, '../../system/failpoints.ts')]

/** What `two-analyzers.ts tell` prints. */
export interface Told {
  answers: string
  history: string
  receipts: string[]
  captures: number
  urls: number
  terms: number
}

/** Runs `two-analyzers.ts`, and returns what it prints. */
export async function run(...args: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [...preloaded, script, ...args])).stdout
}

export async function tell(dir: string): Promise<Told> {
  return JSON.parse(await run('tell', dir)) as Told
}

/** How an upgrade is killed: when it reaches a step for the n-th time, or after a time, ms. */
export type Death = { step: string; pass: number } | { afterMs: number }

/** Upgrades an index in a process that is killed. Returns true if the upgrade was finished before. */
export async function upgradeUntil(dir: string, analyzer: number, death: Death): Promise<boolean> {
  const steps = 'step' in death ? `${death.step}:${death.pass}:kill` : ''
  const args = [...failpoints, ...preloaded, script, 'upgrade', dir, String(analyzer)]
  const child = spawn(process.execPath, args, { env: { ...process.env, ASOF_TEST_STEPS: steps }, stdio: 'ignore' })
  const timer = 'afterMs' in death ? setTimeout(() => child.kill('SIGKILL'), death.afterMs) : undefined
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  clearTimeout(timer)
  if (code === 0) return true
  if (signal !== 'SIGKILL') throw new Error(`the upgrade ended with ${code ?? signal}`)
  return false
}
