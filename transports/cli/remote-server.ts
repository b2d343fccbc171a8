import { isAsofError, type Receipt } from '@asof/core'
import type { CallService } from '../../service/index.ts'
import { type Client, type ClientOptions, createClient } from '../client/index.ts'
import type { CommandContext } from './command-context.ts'
import { UsageError } from './command-failure.ts'
import type { Flags } from './flags.ts'
import { folderCalls } from './folder-service.ts'
import type { OptionText } from './settings/setting.ts'

/** The options of commands that can call a server instead of opening a data folder. */
export const serverOptions: readonly OptionText[] = [
  ['--url <url>', 'address of a server to call instead of opening a data folder (env ASOF_URL; --data wins over it)'],
  ['--key <key>', 'API key for that server (env ASOF_KEY; default: call without a key)'],
]

/** A remote server. */
export interface RemoteServer {
  url: string
  /** True if calls have an API key. */
  keyed: boolean
  client: Client
}

/** Returns the value of a flag, or the value of a variable if the flag is not given and the variable is not empty. */
function flagOrVariable(flag: unknown, variable: string | undefined): string | undefined {
  if (typeof flag === 'string') return flag
  return variable === '' ? undefined : variable
}

/** The application name that commands send to keyless routes. */
const COMMAND_TITLE = 'asof command line'

/**
 * Returns the server that a command calls, or `undefined` if the command opens a data folder.
 *
 * @throws UsageError - the flags contradict each other or have a bad value.
 */
export function remoteServer(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  title: string = COMMAND_TITLE,
): RemoteServer | undefined {
  if (flags.url !== undefined && flags.data !== undefined) {
    throw new UsageError('--url names a server and --data a folder: use one of them')
  }
  const url = flagOrVariable(flags.url, flags.data === undefined ? env.ASOF_URL : undefined)
  if (url === undefined) {
    if (flags.key !== undefined) throw new UsageError('--key is the API key for a server: name the server with --url')
    return undefined
  }
  const key = flagOrVariable(flags.key, env.ASOF_KEY)
  return { url, keyed: key !== undefined, client: clientOf({ url, title, key }) }
}

/** The option of commands that can change the index of a server instead of opening a data folder. */
export const administeredOption: OptionText = [
  '--url <url>',
  'address of a server whose index gets the pages, with the token in ASOF_ADMIN_TOKEN (env ASOF_URL; --data wins over it)',
]

/** Time for one call that changes the index, milliseconds. */
const CHANGE_MS = 10 * 60_000

/**
 * Returns the client of the server whose index a command changes, or `undefined` if the command opens a data folder.
 *
 * @throws UsageError - the flags contradict each other or have a bad value, or there is no token.
 */
export function administeredServer(flags: Flags, env: NodeJS.ProcessEnv): Client | undefined {
  if (flags.url !== undefined && flags.data !== undefined)
    throw new UsageError('--url names a server and --data a folder: use one of them')
  const url = flagOrVariable(flags.url, flags.data === undefined ? env.ASOF_URL : undefined)
  if (url === undefined) return undefined
  const adminToken = flagOrVariable(undefined, env.ASOF_ADMIN_TOKEN)
  if (adminToken === undefined)
    throw new UsageError(`${url} is changed with its admin token: set ASOF_ADMIN_TOKEN to that of the server`)
  return clientOf({ url, adminToken, timeoutMs: CHANGE_MS })
}

/** @throws UsageError - an option of the client is wrong; the message names the flag. */
function clientOf(options: ClientOptions): Client {
  try {
    return createClient(options)
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_OPTION')) throw new UsageError(`--${error.message}`, { cause: error })
    throw error
  }
}

/** Returns what answers the call of a command: a remote server or, if there is none, the data folder. */
export function commandCalls(remote: RemoteServer | undefined, context: CommandContext): Pick<CallService, 'answer'> {
  if (!remote) return folderCalls(context)
  return {
    answer: async (name, request) => {
      let receipt: Receipt | undefined
      const onReceipt = (given: Receipt) => {
        receipt = given
      }
      return { body: await remote.client.call(name, request, { onReceipt }), receipt }
    },
  }
}
