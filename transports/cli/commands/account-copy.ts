import type { Command } from 'commander'
import { moveAccountsOf } from '../../../service/data-folder/index.ts'
import { commandContext } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { pluralize } from '../output/wording.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

export function addAccountCopyCommand(program: Command): void {
  program
    .command('account')
    .helpCommand(false)
    .description('copy accounts to a database that servers share')
    .command('copy')
    .description('copy the accounts of a data folder to the database in ASOF_DATABASE')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof account copy --data ./docs-index'))
    .action(async (flags: Flags) => {
      const { dir, settings, progress, json, print } = await commandContext(flags)
      if (settings.database === undefined)
        throw new UsageError('set ASOF_DATABASE to the PostgreSQL database that gets the accounts')
      progress.update(() => 'copying the accounts')
      const { found, added } = (await moveAccountsOf(dir, settings.database)) ?? { found: 0, added: 0 }
      print(
        json
          ? JSON.stringify({ found, added })
          : `the database has all ${pluralize(found, 'record')} of the accounts in ${dir}; ${added} of them are new to it`,
      )
    })
}
