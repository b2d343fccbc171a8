import { describe, expect, it } from 'vitest'
import { remoteServer } from '../../../transports/cli/remote-server.ts'

const url = 'http://127.0.0.1:8787'

describe('which server a command asks', () => {
  it.each([
    ['none', {}, {}, false],
    ['that of --url', { url }, {}, true],
    ['that of ASOF_URL', {}, { ASOF_URL: url, ASOF_KEY: 'asof_k' }, true],
    ['none when ASOF_URL is empty', {}, { ASOF_URL: '' }, false],
    ['none when a folder is named, whatever ASOF_URL says', { data: './data' }, { ASOF_URL: url }, false],
    ['none for a key in the environment alone', {}, { ASOF_KEY: 'asof_k' }, false],
  ])('%s', (_, flags, env, asked) => {
    expect(remoteServer(flags, env) !== undefined).toBe(asked)
  })

  it.each([
    [{ url, data: './data' }, '--data'],
    [{ key: 'asof_k' }, '--url'],
    [{ url: 'nowhere' }, 'url'],
    [{ url, key: 'a b\n' }, 'key'],
  ])('refuses %j', (flags, named) => {
    expect(() => remoteServer(flags, {})).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(named) }),
    )
  })
})
