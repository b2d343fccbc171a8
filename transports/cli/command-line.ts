import { isAsofError } from '@asof/core'
import { isError } from '@asof/extract/errors'
import { CommanderError } from 'commander'
import { isCrawlError } from '../../crawler/errors.ts'
import { CollectionError } from '../../service/evaluate/index.ts'
import { printable, printableJson, ServiceError, toServiceError, wireErrors } from '../../service/index.ts'
import { ClientError } from '../client/index.ts'
import { UsageError } from './command-failure.ts'
import { failureText } from './output/failure-text.ts'
import { overviewText } from './output/overview.ts'
import { privateHint } from './output/wording.ts'
import { message } from './output/wrapped-text.ts'
import { buildProgram } from './program.ts'

/** Advice about a missing data folder. */
const missingHint =
  'Name the data folder with --data or ASOF_DATA. `asof crawl`, `asof import` and `asof serve` create one.'

/** Further advice for `asof fetch`: the user may have wanted a live page. */
const extractHint = '`asof extract URL` prints a live page without a data folder.'

/** Terminal codes that erase the current line, which may show progress. */
const ERASE_LINE = '\r\x1b[K'

const exitCodes = { failed: 1, badUsage: 2 } as const

function isBadUsage(error: unknown): boolean {
  if (error instanceof UsageError || error instanceof CollectionError) return true
  if (error instanceof ClientError) return error.status === 400
  if (error instanceof ServiceError || isAsofError(error)) {
    return wireErrors[toServiceError(error).kind].error === 'invalid_request'
  }
  return false
}

/**
 * Returns the stable `error` of a failure: the name of the contract, or the error code (such as ASOF_STORE_MISSING) if the
 * contract has only `internal_error` for the failure.
 */
function errorOf(error: unknown): string {
  if (error instanceof ClientError) return error.error
  if (isBadUsage(error)) return 'invalid_request'
  const wireName = toServiceError(error).toBody().error
  return wireName === 'internal_error' && isAsofError(error) ? error.code : wireName
}

function hintsFor(error: unknown, argv: readonly string[]): string[] {
  if (isAsofError(error, 'ASOF_STORE_MISSING'))
    return argv.includes('fetch') ? [missingHint, extractHint] : [missingHint]
  const isRefusedAddress =
    isCrawlError(error, 'ASOF_ADDRESS_REFUSED') || (error instanceof ServiceError && error.kind === 'address_refused')
  return isRefusedAddress ? [privateHint] : []
}

/** Reports a failure on standard error, and with `--json` also as a document in the shape of spec 2.7 on standard output. */
function report(error: unknown, argv: readonly string[]): void {
  const refusal = isAsofError(error) ? toServiceError(error) : undefined
  const isOfCaller = refusal?.kind === 'invalid_request' || refusal?.kind === 'address_refused'
  const failure = isOfCaller ? refusal : error
  const { message: text, parts, details } = failureText(failure, argv)
  if (process.stderr.isTTY) process.stderr.write(ERASE_LINE)
  for (const line of [...parts.map(part => `asof: ${printable(part)}`), ...hintsFor(error, argv)])
    process.stderr.write(`${message(line, process.stderr)}\n`)
  if (process.env.ASOF_TRACE && isError(error)) process.stderr.write(`${printable(error.stack ?? '')}\n`)
  if (!argv.includes('--json')) return
  const body = { error: errorOf(error), message: text, details }
  process.stdout.write(`${printableJson(JSON.stringify(body))}\n`)
}

/** Returns true if a write failed because the terminal was closed. The command then ends as after SIGHUP. */
function isClosedTerminal({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EIO'
}

/** Runs the command that the arguments of the process name, and sets the exit code of the process. */
export async function runCommandLine(argv: string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The program that reads the output has ended, such as `head`. That is not a failure.
    if (error.code === 'EPIPE') process.exit(0)
    if (!isClosedTerminal(error)) throw error
  })
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    // Nobody reads messages any more, but the work and its result are still needed.
    if (error.code !== 'EPIPE' && !isClosedTerminal(error)) throw error
  })
  if (argv.length === 2) {
    process.stdout.write(`${overviewText()}\n`)
    return
  }
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed its message already. Its exit code is 0 for `--help` and `--version`.
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.badUsage
      return
    }
    report(error, argv)
    process.exitCode = isBadUsage(error) ? exitCodes.badUsage : exitCodes.failed
  }
}
