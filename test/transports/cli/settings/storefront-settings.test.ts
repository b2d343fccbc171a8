import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { loadSettings, misspelledVariables } from '../../../../transports/cli/settings/settings.ts'

const dir = path.join(tmpdir(), 'asof-no-such-folder')
const url = 'https://search.example.com'
const load = async (env: Record<string, string>, flags = {}) => (await loadSettings(dir, flags, env)).storefrontUpstream

test('reads the server from a variable or a flag, and its key from a variable', async () => {
  expect(await load({})).toBeUndefined()
  const key = { STOREFRONT_UPSTREAM_KEY: 'secret' }
  expect(await load({ ...key, STOREFRONT_UPSTREAM: url })).toEqual({ url, key: 'secret' })
  expect(await load(key, { storefrontUpstream: url })).toEqual({ url, key: 'secret' })
})

test('rejects a server without a key, a key without a server, and a bad URL', async () => {
  await expect(load({ STOREFRONT_UPSTREAM: url })).rejects.toThrow('STOREFRONT_UPSTREAM_KEY')
  await expect(load({ STOREFRONT_UPSTREAM_KEY: 'secret' })).rejects.toThrow('(STOREFRONT_UPSTREAM)')
  await expect(load({ STOREFRONT_UPSTREAM: 'nowhere', STOREFRONT_UPSTREAM_KEY: 'secret' })).rejects.toThrow(
    /^STOREFRONT_UPSTREAM: must be/,
  )
})

test('does not take its variables for misspelled ones', () => {
  expect(misspelledVariables({ STOREFRONT_UPSTREAM: url, STOREFRONT_UPSTREAM_KEY: 'secret' })).toEqual([])
})
