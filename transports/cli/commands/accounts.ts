import type { Command } from 'commander'
import { type AdminActName, adminActs } from '../../../service/accounts/index.ts'
import { commandContext, withData } from '../command-context.ts'
import { addInputOptions, type Flags, requestForm } from '../flags.ts'
import { accountText } from '../output/account-text.ts'
import { addSettingOptions } from '../settings/setting.ts'
import { storefrontSettings } from '../settings/storefront-settings.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

/** The description and an example of each command. The act `org.create` is `asof org create`. */
const commands: Readonly<Record<AdminActName, readonly [description: string, example: string]>> = {
  'org.create': ['create an organization', "asof org create 'Example Inc.' --rate-limit 20"],
  'org.update': ['change settings of an organization', 'asof org update org_… --allowance 5000'],
  'org.list': ['list organizations, oldest first', 'asof org list --json'],
  'org.audit': ['list changes of the accounts with their authors, newest first', 'asof org audit --limit 20'],
  'workspace.create': ['create a workspace', 'asof workspace create production --org org_…'],
  'workspace.list': ['list workspaces, oldest first', 'asof workspace list --org org_…'],
  'workspace.suspend': [
    'reject calls with the keys of a workspace, until it is resumed',
    'asof workspace suspend ws_…',
  ],
  'workspace.resume': ['accept calls with the keys of a suspended workspace again', 'asof workspace resume ws_…'],
  'key.create': [
    'create a key and print it; it is not shown again',
    'asof key create --workspace ws_… --label website',
  ],
  'key.list': ['list keys without their secrets, oldest first', 'asof key list --workspace ws_…'],
  'key.disable': ['reject calls with a key, until it is enabled', 'asof key disable key_…'],
  'key.enable': ['accept calls with a disabled key again', 'asof key enable key_…'],
  'key.revoke': ['end a key for good', 'asof key revoke key_…'],
  'key.rotate': ['replace the secret of a key and print the new key; it is not shown again', 'asof key rotate key_…'],
  'agent.list': ['list agents, oldest first', 'asof agent list'],
  'agent.show': ['print an agent and its plans with the calls that are left', 'asof agent show agent_…'],
  'agent.revoke': ['end the token of an agent for good', 'asof agent revoke agent_…'],
  'plan.list': ['list the plans for sale', 'asof plan list'],
  'plan.grant': [
    'give a plan to an agent, once for each order',
    'asof plan grant pack-1000 --agent agent_… --order invoice-17',
  ],
  'plan.refund': ['take back an unused plan whose payment you refund', 'asof plan refund grant_… --agent agent_…'],
  'credits.add': [
    'add purchased credits to an organization, and print its balance',
    'asof credits add 5000 --org org_…',
  ],
  'credits.list': ['list the entries of the ledger, oldest first', 'asof credits list --org org_…'],
  'usage.show': [
    'print the calls, credits and allowance of an organization in a month',
    'asof usage --org org_… --month 2026-11',
  ],
}

/** Descriptions of the commands that have subcommands. `usage` has none. */
const groups: Readonly<Record<string, string>> = {
  org: 'manage organizations, which have credits and a rate limit',
  workspace: 'manage workspaces of organizations, which hold keys and can be suspended',
  key: 'manage API keys of workspaces',
  agent: 'manage agents, the programs that registered with the storefront',
  plan: 'manage the plans that the storefront sells',
  credits: 'manage purchased credits',
}

/** Fields that are the argument of a command rather than a flag. */
const argumentFields = ['id', 'name', 'credits', 'plan', 'grant']

/** Acts that read the plans for sale. */
const planActs: readonly AdminActName[] = ['plan.list', 'plan.grant']

function addAccountCommand(parent: Command, name: string, act: AdminActName): void {
  const { input, method, parseForm } = adminActs[act]
  const [description, example] = commands[act]
  const command = parent.command(name).description(description)
  const argument = Object.keys(input.shape).find(field => argumentFields.includes(field))
  addInputOptions(command, input, argument)
  if (planActs.includes(act)) addSettingOptions(command, storefrontSettings.plansFile)
  command
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples(example))
    .action(async (...given: unknown[]) => {
      const positional = argument === undefined ? {} : { [argument]: given[0] }
      const flags = given[argument === undefined ? 0 : 1] as Flags
      const values = parseForm({ ...requestForm(input, flags), ...positional })
      const context = await commandContext(flags)
      const result = await withData(context, folder => folder.administer(act, values, context.actor), {
        create: method === 'POST',
      })
      context.print(context.json ? JSON.stringify(result) : accountText(result))
    })
}

export function addAccountCommands(program: Command): void {
  const parents = new Map<string, Command>()
  for (const [noun, description] of Object.entries(groups))
    parents.set(noun, program.command(noun).helpCommand(false).description(description))
  for (const act of Object.keys(commands) as AdminActName[]) {
    const [noun = '', verb = ''] = act.split('.')
    const parent = parents.get(noun)
    if (parent) addAccountCommand(parent, verb, act)
    else addAccountCommand(program, noun, act)
  }
}
