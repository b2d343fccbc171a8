import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { AsofError } from '../../../../core/index.ts'
import { failureText } from '../../../../transports/cli/output/failure-text.ts'
import { UsageError } from '../../../../transports/cli/usage-error.ts'
import { ClientError } from '../../../../transports/client/index.ts'
import { parseForm, ServiceError, searchRequest } from '../../../../transports/service/index.ts'
import { libraryPhrasesIn } from '../../../library-phrases.ts'

const refused = (form: Record<string, string>): unknown => {
  try {
    return parseForm(searchRequest, form)
  } catch (failure) {
    return failure
  }
}

describe('the text of a failed command', () => {
  it('names bad fields by the flags that gave them', () => {
    const argv = ['search', 'tea', '--max-results', '99', '--snippet-max-length=1']
    const { message, details } = failureText(
      refused({ query: 'tea', max_results: '99', snippet_max_length: '1' }),
      argv,
    )
    expect(message).toBe(
      '--snippet-max-length: must be a whole number from 180 to 10000; --max-results: must be a whole number from 1 to 50',
    )
    expect(details).toMatchObject([{ path: '--snippet-max-length' }, { path: '--max-results' }])
  })

  it('names those given without a flag as they are', () => {
    expect(failureText(refused({ query: '' }), ['search', '']).message).toBe('query: must not be empty')
  })

  it('names the flag --live where a message advises live=true', () => {
    const error = new ServiceError('not_indexed', 'The index holds no page; live=true fetches it from its source.')
    expect(failureText(error, ['fetch', 'https://a.example/']).message).toBe(
      'The index holds no page; --live fetches it from its source.',
    )
  })

  it('writes fields that a reason mentions as flags, but for what it quotes', () => {
    const reason = '"query_time" counts in weeks, which only query_time does here'
    const details = [{ path: 'acquired_after', reason }]
    const error = new ClientError('invalid_request', `acquired_after: ${reason}`, { status: 400, details })
    expect(failureText(error, ['search', '--acquired-after', 'x']).message).toBe(
      '--acquired-after: "query_time" counts in weeks, which only --query-time does here',
    )
  })

  it('is our own for what the system reports, naming the file', async () => {
    const missing = await readFile('/nowhere/at/all').catch((failure: unknown) => failure)
    expect(failureText(missing, [])).toEqual({ message: '/nowhere/at/all: there is no such file or folder' })
    const folder = await readFile('/').catch((failure: unknown) => failure)
    expect(libraryPhrasesIn(failureText(folder, []).message)).toEqual([])
  })

  it('is that of an error of ours', () => {
    expect(failureText(new UsageError('give a folder'), []).message).toBe('give a folder')
    expect(failureText(new AsofError('ASOF_CLOSED', 'the engine was closed'), []).message).toBe('the engine was closed')
  })

  it('says of a failure that nobody foresaw where to look, and nothing that it says itself', () => {
    for (const failure of [
      new TypeError("Cannot read properties of undefined (reading 'x')"),
      'LEVEL_CORRUPTION',
      null,
    ]) {
      expect(failureText(failure, []).message).toBe('the command failed unexpectedly; set ASOF_TRACE=1 to see where')
    }
  })
})
