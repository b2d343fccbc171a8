import { AsofError, isAsofError } from '@asof/core'
import type { Holder } from './operations.ts'
import { callRemote } from './remote-call.ts'
import { socketPath } from './socket-message.ts'

/** A holder that is busy for longer is named without its address, ms. */
const ANSWER_MS = 1_000

/**
 * Returns the error of a folder that another process has open. Names that process and its address, if it answers.
 *
 * @param cause - the error of opening the folder, which is returned if the process does not answer.
 */
export async function inUse(dir: string, cause: AsofError): Promise<AsofError> {
  const holder = await holderOf(dir)
  if (!holder) return cause
  const { pid, address } = holder
  const where = address === undefined ? '' : `, which serves it at ${address}`
  return new AsofError('ASOF_STORE_LOCKED', `${dir} is in use by process ${pid}${where}: stop that process first`, {
    cause,
    details: { pid, ...(address === undefined ? {} : { address }) },
  })
}

/** Has a failure of work on a folder name the process that holds it, if that is why it failed. */
export async function namingHolder<T>(dir: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isAsofError(error, 'ASOF_STORE_LOCKED') ? await inUse(dir, error) : error
  }
}

async function holderOf(dir: string): Promise<Holder | undefined> {
  try {
    const operation = { op: 'holder', args: [] } as const
    return (await callRemote(socketPath(dir), operation, { silenceMs: ANSWER_MS })) as Holder
  } catch {
    // It shares the folder with nobody, or has just ended, or hangs.
    return undefined
  }
}
