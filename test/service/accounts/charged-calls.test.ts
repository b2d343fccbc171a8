import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { answerOnAccount, type BillingAccount } from '../../../service/accounts/index.ts'
import {
  type ChargedName,
  createService,
  fetchRequest,
  parseRequest,
  type RequestOf,
  type Service,
  searchRequest,
} from '../../../service/index.ts'

let engine: Engine
let service: Service
beforeAll(async () => {
  engine = await open(':memory:')
  await engine.add([{ url: 'https://a.example/', text: 'tides' }])
  service = createService(engine, () => Promise.reject(new Error('nothing is fetched here')))
})
afterAll(() => engine.close())

/** An account of which every hold is charged. */
function accountWith(zdr: boolean): BillingAccount {
  const hold = async () => ({
    capture: async (sku: 'search.pro' | 'search.realtime' | 'fetch' | 'fetch.live') => ({
      sku,
      amount: 1 as const,
      credits: 1,
      paid: true,
    }),
    void: async () => {},
    refund: async () => {},
  })
  return { client: 'org_a', zdr, wizardsByDefault: false, hold }
}

function answered<N extends ChargedName>(name: N, request: RequestOf<N>, zdr: boolean) {
  return answerOnAccount(service, accountWith(zdr), name, request, { isTooLate: () => false })
}

const page = { url: 'https://a.example/' }

describe('zero data retention', () => {
  it('refuses a fetch with a prompt with 400, and accepts one without', async () => {
    const prompted = parseRequest(fetchRequest, { ...page, prompt: 'sum it up' })
    await expect(answered('fetch', prompted, true)).rejects.toMatchObject({
      kind: 'zdr_prompt_unsupported',
      statusCode: 400,
    })
    expect((await answered('fetch', prompted, false)).charge).toMatchObject({ sku: 'fetch' })
    expect((await answered('fetch', parseRequest(fetchRequest, page), true)).charge).toMatchObject({ sku: 'fetch' })
  })

  it.each(['webql', 'realtime_content'])('refuses a search in mode %s with 400', async mode => {
    const request = parseRequest(searchRequest, { query: 'tides', mode })
    await expect(answered('search', request, true)).rejects.toMatchObject({
      kind: 'zdr_unsupported_profile',
      statusCode: 400,
    })
    expect((await answered('search', request, false)).answer.body.results).toHaveLength(1)
  })

  it.each(['pro', 'realtime', undefined])('accepts a search in mode %s', async mode => {
    const request = parseRequest(searchRequest, { query: 'tides', mode })
    expect((await answered('search', request, true)).answer.body.results).toHaveLength(1)
  })
})
