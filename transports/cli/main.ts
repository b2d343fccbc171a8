#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { isAsofError } from '../../core/index.ts'
import { ClientError } from '../client/index.ts'
import { ServiceError, toServiceError, wireErrors } from '../service/index.ts'
import { addAccountCommands } from './commands/accounts.ts'
import { addBackupCommand } from './commands/backup.ts'
import { addCrawlCommand } from './commands/crawl.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addFeedbackCommand } from './commands/feedback.ts'
import { addFetchCommand } from './commands/fetch.ts'
import { addImportCommand } from './commands/import.ts'
import { addPaymentCommands } from './commands/payments.ts'
import { addRemovalCommands } from './commands/removal.ts'
import { addSearchCommand } from './commands/search.ts'
import { addServeCommand } from './commands/serve.ts'
import { addStatsCommand } from './commands/stats.ts'
import { restartLean, setLeanFlags } from './lean-memory.ts'
import { privateHint } from './private-hint.ts'
import { printable } from './result-text.ts'
import { UsageError } from './usage-error.ts'

setLeanFlags()

/** Commands that may run for long, or index much. */
const longCommands = new Set(['crawl', 'import', 'serve', 'doctor'])

const exitCodes = { failed: 1, badUsage: 2 } as const

function buildProgram(): Command {
  const program = new Command('asof')
    .description('A web search engine that answers as of any moment.')
    .exitOverride()
    .showHelpAfterError('(asof <command> --help says more)')
    .hook('preAction', (_program, command) => {
      if (longCommands.has(command.name())) restartLean()
    })
  addCrawlCommand(program)
  addImportCommand(program)
  addSearchCommand(program)
  addFetchCommand(program)
  addServeCommand(program)
  addStatsCommand(program)
  addFeedbackCommand(program)
  addRemovalCommands(program)
  addBackupCommand(program)
  addDoctorCommand(program)
  addAccountCommands(program)
  addPaymentCommands(program)
  addDemoCommand(program)
  return program
}

function isBadUsage(error: unknown): boolean {
  if (error instanceof UsageError) return true
  if (error instanceof ClientError) return error.status === 400
  if (error instanceof ServiceError || isAsofError(error)) {
    return wireErrors[toServiceError(error).kind].error === 'invalid_request'
  }
  return false
}

function answeredBody({ error, message, details }: ClientError) {
  return { error, message, ...(details !== undefined && { details }) }
}

/** Says what went wrong; with `--json` as one document on standard output too, in the shape of spec 2.7. */
function report(error: unknown, json: boolean): void {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`asof: ${printable(message)}\n`)
  if (isAsofError(error, 'ASOF_ADDRESS_REFUSED')) process.stderr.write(`(${privateHint})\n`)
  if (process.env.ASOF_TRACE && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  if (!json) return
  const body = error instanceof ClientError ? answeredBody(error) : toServiceError(error).toBody()
  process.stdout.write(
    `${JSON.stringify({ ...body, error: isBadUsage(error) && !(error instanceof ClientError) ? 'invalid_request' : body.error, message })}\n`,
  )
}

async function main(argv: string[]): Promise<void> {
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said it already; its code 0 is `--help`.
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.badUsage
      return
    }
    report(error, argv.includes('--json'))
    process.exitCode = isBadUsage(error) ? exitCodes.badUsage : exitCodes.failed
  }
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read our output (`| head`) has had enough of it; that is no failure.
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

await main(process.argv)
