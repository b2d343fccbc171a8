import type { Command } from 'commander'
import { type AdminActName, adminActs } from '../../../service/accounts/index.ts'
import { commandContext, withData } from '../command-context.ts'
import { accountText } from '../output/account-text.ts'
import { requestForm } from '../request-form.ts'
import type { OptionText } from '../settings/setting-option.ts'
import type { Flags } from '../settings/settings.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

const argumentTexts = {
  grant: 'id of the grant, as `asof agents show` prints it',
  name: 'name for people, which need not be unique',
  id: 'id as in the list',
  credits: 'number of credits, a whole number',
  plan: 'id of the plan',
} as const

interface AccountCommand {
  act: AdminActName
  description: string
  example: string
  /** The field of the act's input that is an argument rather than a flag. */
  argument?: keyof typeof argumentTexts
  options?: readonly OptionText[]
  /** Options that must be given. */
  required?: readonly OptionText[]
}

const org: OptionText = ['--org <id>', 'id of the organization']
const workspace: OptionText = ['--workspace <id>', 'id of the workspace']
const plansFile: OptionText = [
  '--plans-file <file>',
  'plans as JSON (env ASOF_PLANS_FILE; default: two built-in plans)',
]
const limit: OptionText = ['--limit <n>', 'number of entries to list, 1 to 1000 (default: 100)']
const page: readonly OptionText[] = [limit, ['--after <id>', 'continue after the entry with this id']]

/** Commands by their noun: the act `org.create` is `asof org create`. */
const groups: Readonly<Record<string, { description: string; commands: readonly AccountCommand[] }>> = {
  org: {
    description: 'manage organizations, which have credits and a rate limit',
    commands: [
      {
        act: 'org.create',
        description: 'create an organization',
        example: "asof org create 'Example Inc.' --rate-limit 20",
        argument: 'name',
        options: [
          ['--wizards', 'turn on wizards (structured answers) for searches that do not say otherwise'],
          ['--zdr', 'zero data retention: store no query, feedback or content of this organization'],
          ['--rate-limit <n>', 'requests per second, for all keys together (default: 50)'],
          ['--allowance <n>', 'free calls per calendar month (default: 1000)'],
        ],
      },
      {
        act: 'org.list',
        description: 'list organizations, oldest first',
        example: 'asof org list --json',
        options: page,
      },
      {
        act: 'org.audit',
        description: 'list changes of the accounts with their authors, newest first',
        example: 'asof org audit --limit 20',
        options: [limit, ['--before <n>', 'continue before the entry with this sequence number']],
      },
    ],
  },
  workspace: {
    description: 'manage workspaces of organizations, which hold keys and can be suspended',
    commands: [
      {
        act: 'workspace.create',
        description: 'create a workspace',
        example: 'asof workspace create production --org org_…',
        argument: 'name',
        required: [org],
      },
      {
        act: 'workspace.list',
        description: 'list workspaces, oldest first',
        example: 'asof workspace list --org org_…',
        options: [org, ...page],
      },
      {
        act: 'workspace.suspend',
        description: 'reject calls with the keys of a workspace, until it is resumed',
        example: 'asof workspace suspend ws_…',
        argument: 'id',
      },
      {
        act: 'workspace.resume',
        description: 'accept calls with the keys of a suspended workspace again',
        example: 'asof workspace resume ws_…',
        argument: 'id',
      },
    ],
  },
  key: {
    description: 'manage API keys of workspaces',
    commands: [
      {
        act: 'key.create',
        description: 'create a key and print it; it is not shown again',
        example: 'asof key create --workspace ws_…',
        required: [workspace],
      },
      {
        act: 'key.list',
        description: 'list keys without their secrets, oldest first',
        example: 'asof key list --workspace ws_…',
        options: [workspace, ...page],
      },
      {
        act: 'key.disable',
        description: 'reject calls with a key, until it is enabled',
        example: 'asof key disable key_…',
        argument: 'id',
      },
      {
        act: 'key.enable',
        description: 'accept calls with a disabled key again',
        example: 'asof key enable key_…',
        argument: 'id',
      },
      { act: 'key.revoke', description: 'end a key for good', example: 'asof key revoke key_…', argument: 'id' },
      {
        act: 'key.rotate',
        description: 'replace the secret of a key and print the new key; it is not shown again',
        example: 'asof key rotate key_…',
        argument: 'id',
      },
    ],
  },
  agents: {
    description: 'manage agents, the programs that registered with the storefront',
    commands: [
      { act: 'agents.list', description: 'list agents, oldest first', example: 'asof agents list', options: page },
      {
        act: 'agents.show',
        description: 'print an agent and its plans with the calls that are left',
        example: 'asof agents show agent_…',
        argument: 'id',
      },
      {
        act: 'agents.revoke',
        description: 'end the token of an agent for good',
        example: 'asof agents revoke agent_…',
        argument: 'id',
      },
    ],
  },
  plans: {
    description: 'manage the plans that the storefront sells',
    commands: [
      {
        act: 'plans.list',
        description: 'list the plans for sale',
        example: 'asof plans list',
        options: [plansFile],
      },
      {
        act: 'plans.grant',
        description: 'give a plan to an agent, once for each order',
        example: 'asof plans grant pack-1000 --agent agent_… --order invoice-17',
        argument: 'plan',
        required: [
          ['--agent <id>', 'id of the agent'],
          ['--order <name>', 'name of the order; the same order gives the plan once'],
        ],
        options: [plansFile],
      },
      {
        act: 'plans.refund',
        description: 'take back an unused plan whose payment you refund',
        example: 'asof plans refund grant_… --agent agent_…',
        argument: 'grant',
        required: [['--agent <id>', 'id of the agent']],
      },
    ],
  },
  credits: {
    description: 'manage purchased credits',
    commands: [
      {
        act: 'credits.add',
        description: 'add purchased credits to an organization, and print its balance',
        example: 'asof credits add 5000 --org org_…',
        argument: 'credits',
        required: [org],
      },
      {
        act: 'credits.list',
        description: 'list the entries of the ledger, oldest first',
        example: 'asof credits list --org org_…',
        required: [org],
        options: [limit, ['--after <n>', 'continue after the entry with this sequence number']],
      },
    ],
  },
}

const usage: AccountCommand = {
  act: 'usage.show',
  description: 'print the calls, credits and allowance of an organization in a month',
  example: 'asof usage --org org_… --month 2026-11',
  required: [org],
  options: [['--month <month>', 'month such as 2026-11 (default: the current month, UTC)']],
}

function addAccountCommand(parent: Command, name: string, command: AccountCommand): void {
  const { act, description, example, argument, options = [], required = [] } = command
  const added = parent.command(name).description(description)
  if (argument !== undefined) added.argument(`<${argument}>`, argumentTexts[argument])
  for (const [flags, text] of required) added.requiredOption(flags, text)
  for (const [flags, text] of options) added.option(flags, text)
  added
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples(example))
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
    const group = program.command(noun).helpCommand(false).description(description)
    for (const command of commands) addAccountCommand(group, command.act.slice(noun.length + 1), command)
  }
  addAccountCommand(program, 'usage', usage)
}
