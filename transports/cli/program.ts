import { Command } from 'commander'
import { packageVersion } from '../mcp/package-version.ts'
import { addAccountCommands } from './commands/accounts.ts'
import { addBackupCommand } from './commands/backup.ts'
import { addCorpusCommand } from './commands/corpus.ts'
import { addCrawlCommand } from './commands/crawl.ts'
import { addCrawlsCommand } from './commands/crawls.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addEmbedCommand } from './commands/embed.ts'
import { addEvaluateCommand } from './commands/evaluate.ts'
import { addExportCommand } from './commands/export.ts'
import { addExtractCommand } from './commands/extract.ts'
import { addFeedbackCommand } from './commands/feedback.ts'
import { addFetchCommand } from './commands/fetch.ts'
import { addHistoryCommand } from './commands/history.ts'
import { addImportCommand } from './commands/import.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addPaymentCommands } from './commands/payments.ts'
import { addRemovalCommands } from './commands/removal.ts'
import { addSearchCommand } from './commands/search.ts'
import { addServeCommand } from './commands/serve.ts'
import { addStatsCommand } from './commands/stats.ts'

/** The commands of `asof`. Each says what it does in a file of its own. */
export function buildProgram(): Command {
  const program = new Command('asof')
    .description('A web search engine that answers as of any moment.')
    .version(packageVersion, '-V, --version', 'print the version of asof')
    .exitOverride()
    .showHelpAfterError('(asof <command> --help says more)')
  addCrawlCommand(program)
  addCrawlsCommand(program)
  addCorpusCommand(program)
  addImportCommand(program)
  addExportCommand(program)
  addSearchCommand(program)
  addFetchCommand(program)
  addHistoryCommand(program)
  addExtractCommand(program)
  addServeCommand(program)
  addMcpCommand(program)
  addStatsCommand(program)
  addEvaluateCommand(program)
  addFeedbackCommand(program)
  addRemovalCommands(program)
  addBackupCommand(program)
  addEmbedCommand(program)
  addDoctorCommand(program)
  addAccountCommands(program)
  addPaymentCommands(program)
  addDemoCommand(program)
  return program
}
