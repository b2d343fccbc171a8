import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSettings, misspelledVariables } from '../../../../transports/cli/settings/settings.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-purchase-settings-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const load = async (env: Record<string, string>) => (await loadSettings(dir, {}, env)).purchases

const secretKey = 's'.repeat(32)
const mpp = { MPP_SECRET_KEY: secretKey }
const card = { STRIPE_SECRET_KEY: 'sk_1', STRIPE_WEBHOOK_SECRET: 'whsec_1', STRIPE_NETWORK_ID: 'profile_1' }

describe('settings of purchases', () => {
  it('are absent by default', async () => {
    expect(await load({})).toBeUndefined()
  })

  it('name the host of the public address in challenges, unless the realm is set', async () => {
    expect(await load(mpp)).toEqual({ mpp: { secretKey, realm: 'asof' } })
    expect((await load({ ...mpp, ASOF_BASE_URL: 'https://search.example:8443' }))?.mpp?.realm).toBe(
      'search.example:8443',
    )
    expect((await load({ ...mpp, MPP_REALM: 'Search' }))?.mpp?.realm).toBe('Search')
  })

  it('have the keys of cards', async () => {
    const { card: set } = (await load({ ...mpp, ...card, STRIPE_API_BASE: 'http://127.0.0.1:1' })) ?? {}
    const keys = { secretKey: 'sk_1', webhookSecret: 'whsec_1', networkId: 'profile_1' }
    expect(set).toEqual({ ...keys, apiBase: 'http://127.0.0.1:1' })
  })

  it.each([
    [{ MPP_SECRET_KEY: 's'.repeat(31) }, 'MPP_SECRET_KEY: must have at least 32 bytes'],
    [{ MPP_REALM: 'a "name"', ...mpp }, 'MPP_REALM: must be 1 to 200 characters'],
    [{ MPP_REALM: 'Search' }, 'mpp_realm is set without mpp_secret_key (MPP_SECRET_KEY)'],
    [card, 'stripe_secret_key is set without mpp_secret_key (MPP_SECRET_KEY)'],
    [{ ...mpp, STRIPE_SECRET_KEY: 'sk_1' }, 'cards need all of stripe_secret_key (STRIPE_SECRET_KEY)'],
    [{ ...mpp, ...card, STRIPE_API_BASE: 'file:///x' }, 'STRIPE_API_BASE: must be an http or https URL'],
  ])('refuse %j', async (env, message) => {
    await expect(load(env)).rejects.toThrow(message)
  })

  it('are not searched for misspellings, because other programs use the same variables', () => {
    expect(misspelledVariables({ STRIPE_SECRET_KEYS: 'x', MPP_SECRET: 'x' })).toEqual([])
  })
})
