import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { isConfirmed } from '../../../transports/cli/confirmation.ts'

async function asked(answer: string | undefined, signal = new AbortController().signal) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  if (answer !== undefined) input.end(answer)
  const isYes = await isConfirmed('Remove 2 pages?', { input, output }, signal)
  output.end()
  return [isYes, await text(output)]
}

describe('a question on the terminal', () => {
  it.each(['y\n', 'Y\n', ' yes \n', 'YES\r\n', 'y\nn\n', 'y'])('is confirmed by %j', async answer => {
    expect(await asked(answer)).toEqual([true, 'Remove 2 pages? [y/N] '])
  })

  it.each(['\n', 'n\n', 'no\n', 'yep\n', 'all\n', '\ny\n'])('is not confirmed by %j', async answer => {
    expect(await asked(answer)).toEqual([false, 'Remove 2 pages? [y/N] '])
  })

  it('is not confirmed by the end of the input, or when the command is stopped', async () => {
    expect(await asked('')).toEqual([false, 'Remove 2 pages? [y/N] \n'])
    const stop = new AbortController()
    const answer = asked(undefined, stop.signal)
    stop.abort()
    expect(await answer).toEqual([false, 'Remove 2 pages? [y/N] \n'])
    expect(await asked(undefined, AbortSignal.abort())).toEqual([false, 'Remove 2 pages? [y/N] \n'])
  })
})
