import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import type { CheckoutCopy } from './checkout-copy.ts'
import type { Suite } from './fault.ts'

/** A failed test. */
export interface FailedTest {
  /** Path of the test file from the top of the checkout. Undefined if the tests hung. */
  file?: string
  title: string
}

/** The parts of vitest's JSON report that are read. */
interface Report {
  numTotalTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

export interface VitestOptions {
  suite: Suite
  /** Filters of vitest. Without any, the whole project runs. */
  tests: readonly string[]
  /** Time after which the tests count as hanging, milliseconds. */
  limitMs: number
}

/**
 * Runs tests in a copy of a checkout until the first failure.
 *
 * @returns the failed test; undefined if all tests pass.
 * @throws Error - the tests could not run, for example because a fault breaks the loading of a file.
 */
export async function firstFailure(
  copy: CheckoutCopy,
  { suite, tests, limitMs }: VitestOptions,
): Promise<FailedTest | undefined> {
  const reportFile = join(copy.dir, 'vitest-report.json')
  rmSync(reportFile, { force: true })
  const vitest = join(copy.dir, 'node_modules/vitest/vitest.mjs')
  const options = ['--config', copy.config, '--project', `${suite}*`, '--bail', '1', '--reporter', 'json']
  const child = spawn(process.execPath, [vitest, 'run', ...options, '--outputFile', reportFile, ...tests], {
    cwd: copy.dir,
    // A group of its own, which can be ended with all processes that the tests have started.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: [join(copy.dir, 'node_modules/.bin'), process.env.PATH].join(delimiter) },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000)
    })
  let hangs = false
  const end = (): void => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL')
    } catch {
      // All processes of the group have ended.
    }
  }
  const timer = setTimeout(() => {
    hangs = true
    end()
  }, limitMs)
  // Before the handler that deletes the copy.
  process.prependOnceListener('exit', end)
  await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject))
  clearTimeout(timer)
  process.off('exit', end)
  end()
  if (hangs) return { title: `hangs: not done within ${limitMs / 1000} s` }
  return failureIn(readReport(reportFile, said), copy.dir, said)
}

function readReport(path: string, said: string): Report {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch (cause) {
    throw new Error(`vitest wrote no report; it said:\n${said}`, { cause })
  }
}

function failureIn({ testResults, numTotalTests }: Report, dir: string, said: string): FailedTest | undefined {
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    if (failed) return { file: relative(dir, name), title: failed.fullName }
  }
  for (const { name, status, message, assertionResults } of testResults) {
    if (status !== 'failed') continue
    const file = relative(dir, name)
    if (assertionResults.length === 0) throw new Error(`${file} could not be loaded:\n${message}`)
    return { file, title: `(a hook) ${message.split('\n', 1)[0]}` }
  }
  if (numTotalTests === 0) throw new Error(`vitest ran no test; it said:\n${said}`)
  return undefined
}
