import { mkdtemp, readFile, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { AsofError } from '../../../../core/index.ts'
import { parseForm, ServiceError, searchRequest } from '../../../../service/index.ts'
import { UsageError } from '../../../../transports/cli/command-failure.ts'
import { failureText } from '../../../../transports/cli/output/failure-text.ts'
import { ClientError } from '../../../../transports/client/index.ts'
import { libraryPhrasesIn } from '../../../library-phrases.ts'

const unexpected = 'the command failed unexpectedly; run it with ASOF_TRACE=1 in the environment to see where'

const caught = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (failure) {
    return failure
  }
}

const refused = (form: Record<string, string>) => caught(() => parseForm(searchRequest, form))

describe('the text of a failed command', () => {
  it('names bad fields by their flags', () => {
    const argv = ['search', 'tea', '--max-results', '99', '--snippet-max-length=1']
    const { message, parts, details } = failureText(
      refused({ query: 'tea', max_results: '99', snippet_max_length: '1' }),
      argv,
    )
    expect(message).toBe(
      '--snippet-max-length: must be a whole number from 180 to 10000; --max-results: must be a whole number from 1 to 50',
    )
    expect(parts).toHaveLength(2)
    expect(details).toMatchObject([{ path: '--snippet-max-length' }, { path: '--max-results' }])
  })

  it('names a field that is not a flag as it is', () => {
    expect(failureText(refused({ query: '' }), ['search', '']).message).toBe('query: must not be empty')
    const badUrl = new ServiceError('invalid_request', '', { details: [{ path: 'url', reason: 'must be a URL' }] })
    expect(failureText(badUrl, ['fetch', 'x', '--url', 'http://127.0.0.1/']).message).toBe('url: must be a URL')
  })

  it('names the flag of a list for an item of it', () => {
    const include = new ServiceError('invalid_request', '', { details: [{ path: 'include[0]', reason: 'is wrong' }] })
    expect(failureText(include, ['search', 'x', '--include', 'y']).message).toBe('--include: is wrong')
  })

  it('replaces live=true by --live', () => {
    const error = new ServiceError('not_indexed', 'The index holds no page; live=true fetches it from its source.')
    expect(failureText(error, ['fetch', 'https://a.example/']).message).toBe(
      'The index holds no page; --live fetches it from its source.',
    )
  })

  it('replaces field names by flags, but not in quoted parts', () => {
    const reason = '"query_time" counts in weeks, which only query_time does here'
    const details = [{ path: 'acquired_after', reason }]
    const error = new ClientError('invalid_request', `acquired_after: ${reason}`, { status: 400, details })
    expect(failureText(error, ['search', '--acquired-after', 'x']).message).toBe(
      '--acquired-after: "query_time" counts in weeks, which only --query-time does here',
    )
  })

  it('describes system errors in plain words and names the file', async () => {
    const missing = await readFile('/nowhere/at/all').catch((failure: unknown) => failure)
    expect(failureText(missing, [])).toMatchObject({ message: '/nowhere/at/all: no such file or directory' })
    const folder = await readFile('/').catch((failure: unknown) => failure)
    expect(libraryPhrasesIn(failureText(folder, []).message)).toEqual([])
  })

  it('does not read the number of another error as that of a system error', async () => {
    const made = await mkdtemp(join(tmpdir(), 'asof-folder-'))
    const folder = await rm(made).catch((failure: unknown) => failure)
    await rmdir(made)
    expect(folder).toMatchObject({ code: 'ERR_FS_EISDIR', errno: 21 })
    expect(failureText(folder, []).message).toBe(unexpected)
    const damaged = caught(() => gunzipSync(Buffer.from('1f8b0800000000000003ffff', 'hex')))
    expect(damaged).toMatchObject({ code: 'Z_DATA_ERROR', errno: -3 })
    expect(failureText(damaged, []).message).toBe(unexpected)
  })

  it('is the message of an error of asof', () => {
    expect(failureText(new UsageError('give a folder'), []).message).toBe('give a folder')
    expect(failureText(new AsofError('ASOF_CLOSED', 'the engine was closed'), []).message).toBe('the engine was closed')
  })

  it('does not repeat the message of an unexpected failure, but says how to see it', () => {
    for (const failure of [
      new TypeError("Cannot read properties of undefined (reading 'x')"),
      'LEVEL_CORRUPTION',
      null,
    ]) {
      expect(failureText(failure, []).message).toBe(unexpected)
    }
  })
})
