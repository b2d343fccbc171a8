import { Command } from 'commander'
import { packageVersion } from '../mcp/package-version.ts'
import { addAccountCopyCommand } from './commands/account-copy.ts'
import { addAccountCommands } from './commands/accounts.ts'
import { addBackupCommand } from './commands/backup.ts'
import { addClusterCommands } from './commands/cluster.ts'
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
import { addFieldsCommand } from './commands/fields.ts'
import { addHistoryCommand } from './commands/history.ts'
import { addImportCommand } from './commands/import.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addModelCommand } from './commands/model.ts'
import { addPassagesCommand } from './commands/passages.ts'
import { addPaymentCommands } from './commands/payments.ts'
import { addRelevanceCommand } from './commands/relevance.ts'
import { addRemovalCommands } from './commands/removal.ts'
import { addSearchCommand } from './commands/search.ts'
import { addServeCommand } from './commands/serve.ts'
import { addSettingsCommand } from './commands/settings.ts'
import { examples } from './commands/shared-options.ts'
import { addStatsCommand } from './commands/stats.ts'
import { addUpgradeCommand } from './commands/upgrade.ts'
import { addVerifyCommand } from './commands/verify.ts'
import { SwitchOption } from './flags.ts'
import { WIDTH } from './output/wrapped-text.ts'

/** Returns the commands of `asof`. The file of each command under `commands` defines its options and what it does. */
export function buildProgram(): Command {
  const program = new Command('asof')
    .description('A web search engine that answers as of any moment in the past.')
    .version(packageVersion, '-V, --version', 'print the version of asof')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureHelp({ optionTerm: option => (option instanceof SwitchOption ? option.term : option.flags) })
    .configureOutput({
      // Some terminals say that they have no columns.
      getOutHelpWidth: () => process.stdout.columns || WIDTH,
      getErrHelpWidth: () => process.stderr.columns || WIDTH,
      outputError: (text, write) => write(text.replace(/^error: /, 'asof: ')),
    })
    .showHelpAfterError('(run asof <command> --help for help)')
    .addHelpText(
      'after',
      examples('asof crawl https://docs.example.com/', 'asof search release notes', 'asof <command> --help'),
    )
  program.commandsGroup('Fill the index:')
  addCrawlCommand(program)
  addCrawlsCommand(program)
  addCorpusCommand(program)
  addImportCommand(program)
  addEmbedCommand(program)
  addModelCommand(program)
  program.commandsGroup('Search:')
  addSearchCommand(program)
  addPassagesCommand(program)
  addFetchCommand(program)
  addHistoryCommand(program)
  addFieldsCommand(program)
  addVerifyCommand(program)
  addExtractCommand(program)
  addDemoCommand(program)
  program.commandsGroup('Serve:')
  addServeCommand(program)
  addMcpCommand(program)
  program.commandsGroup('Maintain the data folder:')
  addRelevanceCommand(program)
  addStatsCommand(program)
  addSettingsCommand(program)
  addUpgradeCommand(program)
  addEvaluateCommand(program)
  addDoctorCommand(program)
  addBackupCommand(program)
  addExportCommand(program)
  addRemovalCommands(program)
  addClusterCommands(program)
  program.commandsGroup('Manage callers of the server:')
  addAccountCommands(program)
  addAccountCopyCommand(program)
  addPaymentCommands(program)
  addFeedbackCommand(program)
  return program
}
