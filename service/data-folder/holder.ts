import { AsofError, isAsofError } from '@asof/core'
import type { Holder } from './operations.ts'
import { callRemote } from './remote-call.ts'
import { socketPath } from './socket-message.ts'

/** Time to wait for the answer of the process that has a folder open, ms. */
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
    details: address === undefined ? { pid } : { pid, address },
  })
}

/** Waits for work on a folder. If it fails because another process has the folder open, the error names that process. */
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
    // That process does not share the folder, has just ended, or hangs.
    return undefined
  }
}
