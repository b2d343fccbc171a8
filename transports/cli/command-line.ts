import { isAsofError } from '@asof/core'
import { CommanderError } from 'commander'
import { ClientError } from '../client/index.ts'
import { printable, ServiceError, toServiceError, wireErrors } from '../service/index.ts'
import { failureText } from './output/failure-text.ts'
import { privateHint } from './output/private-hint.ts'
import { buildProgram } from './program.ts'
import { UsageError } from './usage-error.ts'

/** What to do about a data folder that is not there. */
const missingHint = 'name the data folder with --data or ASOF_DATA; asof crawl, import and serve create one'

const exitCodes = { failed: 1, badUsage: 2 } as const

function isBadUsage(error: unknown): boolean {
  if (error instanceof UsageError) return true
  if (error instanceof ClientError) return error.status === 400
  if (error instanceof ServiceError || isAsofError(error)) {
    return wireErrors[toServiceError(error).kind].error === 'invalid_request'
  }
  return false
}

/** The stable `error` of a failure: that of the server, or of what failed here. */
function errorOf(error: unknown): string {
  if (error instanceof ClientError) return error.error
  return isBadUsage(error) ? 'invalid_request' : toServiceError(error).toBody().error
}

/** Says what went wrong; with `--json` as one document on standard output too, in the shape of spec 2.7. */
function report(error: unknown, argv: readonly string[]): void {
  const failure = isAsofError(error) && toServiceError(error).status === 400 ? toServiceError(error) : error
  const { message, details } = failureText(failure, argv)
  process.stderr.write(`asof: ${printable(message)}\n`)
  if (refusesAddress(error)) process.stderr.write(`(${privateHint})\n`)
  if (isAsofError(error, 'ASOF_STORE_MISSING')) process.stderr.write(`(${missingHint})\n`)
  if (process.env.ASOF_TRACE && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  if (!argv.includes('--json')) return
  const body = { error: errorOf(error), message, ...(details !== undefined && { details }) }
  process.stdout.write(`${JSON.stringify(body)}\n`)
}

function refusesAddress(error: unknown): boolean {
  return (
    isAsofError(error, 'ASOF_ADDRESS_REFUSED') || (error instanceof ServiceError && error.kind === 'address_refused')
  )
}

/** Runs the command that the arguments of a process name; its exit code says how it went. */
export async function runCommandLine(argv: string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read our output (`| head`) has had enough of it; that is no failure.
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said it already; its code 0 is `--help`.
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.badUsage
      return
    }
    report(error, argv)
    process.exitCode = isBadUsage(error) ? exitCodes.badUsage : exitCodes.failed
  }
}
