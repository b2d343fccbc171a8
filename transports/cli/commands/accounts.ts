import type { Command } from 'commander'
import { type AdminActName, adminActs } from '../../service/accounts/index.ts'
import { commandContext, withData } from '../command-context.ts'
import { accountText } from '../output/account-text.ts'
import { requestForm } from '../request-form.ts'
import type { Flags } from '../settings/settings.ts'

interface AccountCommand {
  act: AdminActName
  description: string
  /** The field of the act's input that stands without a flag. */
  argument?: string
  options?: readonly (readonly [flags: string, description: string])[]
  /** Options that must be given. */
  required?: readonly (readonly [flags: string, description: string])[]
}

const org = ['--org <id>', 'the organization'] as const
const workspace = ['--workspace <id>', 'the workspace'] as const
const page = [
  ['--limit <n>', 'lines at most, up to 1000; default 100'],
  ['--after <id>', 'go on after this one'],
] as const

/** Groups of commands by their noun: the act `org.create` is `asof org create`. */
const groups: Readonly<Record<string, { description: string; commands: readonly AccountCommand[] }>> = {
  org: {
    description: 'organizations: who has credits and a rate limit',
    commands: [
      {
        act: 'org.create',
        description: 'create an organization',
        argument: 'name',
        options: [
          ['--wizards', 'searches get wizards unless they say otherwise'],
          ['--zdr', 'zero data retention: no query, feedback or content of it is stored'],
          ['--rate-limit <n>', 'requests per second, all its keys together; default 50'],
          ['--allowance <n>', 'free calls in each calendar month; default 1000'],
        ],
      },
      { act: 'org.list', description: 'list organizations, oldest first', options: page },
      {
        act: 'org.audit',
        description: 'who changed what in the accounts, newest first',
        options: [page[0], ['--before <n>', 'go on before this line']],
      },
    ],
  },
  workspace: {
    description: 'workspaces of organizations: they hold keys, and can be suspended',
    commands: [
      { act: 'workspace.create', description: 'create a workspace', argument: 'name', required: [org] },
      { act: 'workspace.list', description: 'list workspaces, oldest first', options: [org, ...page] },
      { act: 'workspace.suspend', description: 'refuse calls with its keys', argument: 'id' },
      { act: 'workspace.resume', description: 'accept calls with its keys again', argument: 'id' },
    ],
  },
  key: {
    description: 'API keys of workspaces',
    commands: [
      { act: 'key.create', description: 'create a key, and show it this once', required: [workspace] },
      { act: 'key.list', description: 'list keys, oldest first', options: [workspace, ...page] },
      { act: 'key.disable', description: 'refuse calls with it', argument: 'id' },
      { act: 'key.enable', description: 'accept calls with it again', argument: 'id' },
      { act: 'key.revoke', description: 'end it for good', argument: 'id' },
      { act: 'key.rotate', description: 'replace its secret, and show the new one this once', argument: 'id' },
    ],
  },
  credits: {
    description: 'purchased credits',
    commands: [
      { act: 'credits.add', description: 'add purchased credits', argument: 'credits', required: [org] },
      {
        act: 'credits.list',
        description: 'list the entries of the ledger, oldest first',
        required: [org],
        options: [page[0], ['--after <n>', 'go on after this entry']],
      },
    ],
  },
}

const usage: AccountCommand = {
  act: 'usage.show',
  description: 'calls by SKU, credits drawn, allowance left',
  required: [org],
  options: [['--month <month>', 'such as 2026-11; default the current one, UTC']],
}

function addAccountCommand(parent: Command, name: string, command: AccountCommand): void {
  const { act, description, argument, options = [], required = [] } = command
  const added = parent.command(name).description(description)
  if (argument !== undefined) added.argument(`<${argument}>`)
  for (const [flags, text] of required) added.requiredOption(flags, text)
  for (const [flags, text] of options) added.option(flags, text)
  added
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print one JSON document')
    .action(async (...given: unknown[]) => {
      const positional = argument === undefined ? {} : { [argument]: given[0] }
      const flags = given[argument === undefined ? 0 : 1] as Flags
      const input = adminActs[act].parseForm({ ...requestForm(adminActs[act].input, flags), ...positional })
      const context = await commandContext(flags)
      const result = await withData(context, folder => folder.administer(act, input, context.actor), {
        create: adminActs[act].method === 'POST',
      })
      context.print(context.json ? JSON.stringify(result) : accountText(result))
    })
}

export function addAccountCommands(program: Command): void {
  for (const [noun, { description, commands }] of Object.entries(groups)) {
    const group = program.command(noun).description(description)
    for (const command of commands) addAccountCommand(group, command.act.slice(noun.length + 1), command)
  }
  addAccountCommand(program, 'usage', usage)
}
