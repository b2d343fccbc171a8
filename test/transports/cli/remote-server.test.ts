import { describe, expect, it } from 'vitest'
import { remoteServer } from '../../../transports/cli/remote-server.ts'

const url = 'http://127.0.0.1:8787'

describe('the server that a command calls', () => {
  it.each([
    ['is none by default', {}, {}, false],
    ['is that of --url', { url }, {}, true],
    ['is that of ASOF_URL', {}, { ASOF_URL: url, ASOF_KEY: 'asof_k' }, true],
    ['is none if ASOF_URL is empty', {}, { ASOF_URL: '' }, false],
    ['is none with --data, even if ASOF_URL is set', { data: './data' }, { ASOF_URL: url }, false],
    ['is none if only ASOF_KEY is set', {}, { ASOF_KEY: 'asof_k' }, false],
  ])('%s', (_, flags, env, asked) => {
    expect(remoteServer(flags, env) !== undefined).toBe(asked)
  })

  it.each([
    [{ url, data: './data' }, '--data'],
    [{ key: 'asof_k' }, '--url'],
    [{ url: 'nowhere' }, 'url'],
    [{ url, key: 'a b\n' }, 'key'],
  ])('is rejected for %j', (flags, named) => {
    expect(() => remoteServer(flags, {})).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(named) }),
    )
  })
})
