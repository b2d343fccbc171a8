import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { answerBatchOnAccount, answerOnAccount, type BillingAccount } from '../../../service/accounts/index.ts'
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

describe('a batch', () => {
  const requests = Array.from({ length: 6 }, () => parseRequest(searchRequest, { query: 'tides' }))
  const each = <T>(work: () => Promise<T>) => work()

  /** An account that notes what becomes of its holds. @param failing - the number of the capture that fails, from 1. */
  function notingAccount({ credits = 10, failing = 0 } = {}) {
    const noted = { held: 0, captured: 0, refunded: 0, open: 0 }
    const account: BillingAccount = {
      ...accountWith(false),
      hold: async () => {
        if (noted.held === credits) throw new Error('no credits are left')
        noted.held++
        noted.open++
        let isOpen = true
        const end = async () => {
          if (isOpen) noted.open--
          isOpen = false
        }
        return {
          capture: async sku => {
            await end()
            if (++noted.captured === failing) throw new Error('the disk is full')
            return { sku, amount: 1, credits: 1, paid: true }
          },
          void: end,
          refund: async () => void noted.refunded++,
        }
      },
    }
    return { account, noted }
  }
  const batch = (account: BillingAccount, isTooLate = () => false) =>
    answerBatchOnAccount(service, account, 'search', requests, { isTooLate, each })

  it('is charged call by call when all are answered', async () => {
    const { account, noted } = notingAccount()
    const answered = await batch(account)
    expect(answered.map(({ answer, charge }) => [answer.body.results.length, charge?.sku])).toEqual(
      requests.map(() => [1, 'search.pro']),
    )
    expect(noted).toEqual({ held: 6, captured: 6, refunded: 0, open: 0 })
  })

  it('costs nothing if one of its calls cannot be charged', async () => {
    const { account, noted } = notingAccount({ credits: 4 })
    await expect(batch(account)).rejects.toThrow('no credits are left')
    expect(noted).toEqual({ held: 4, captured: 0, refunded: 0, open: 0 })
  })

  it('costs nothing if a charge cannot be written', async () => {
    const { account, noted } = notingAccount({ failing: 3 })
    await expect(batch(account)).rejects.toThrow('the disk is full')
    expect(noted).toEqual({ held: 6, captured: 6, refunded: 5, open: 0 })
  })

  it('costs nothing if the caller is gone, before its charges are written or while they are', async () => {
    const gone = notingAccount()
    expect((await batch(gone.account, () => true)).map(({ charge }) => charge)).toEqual(requests.map(() => undefined))
    expect(gone.noted).toEqual({ held: 6, captured: 0, refunded: 0, open: 0 })
    const leaving = notingAccount()
    await batch(leaving.account, () => leaving.noted.captured > 0)
    expect(leaving.noted).toEqual({ held: 6, captured: 6, refunded: 6, open: 0 })
  })
})
