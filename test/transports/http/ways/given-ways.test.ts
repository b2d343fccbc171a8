import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../../core/index.ts'
import { createService, type Service } from '../../../../service/index.ts'
import { store } from '../../../../store/ways/index.ts'
import { createServer, type HttpSettings, listen } from '../../../../transports/http/index.ts'
import type { GivenWays } from '../../../../transports/http/ways/index.ts'

let engine: Engine
let service: Service
beforeAll(async () => {
  engine = await open(':memory:')
  service = createService(engine, () => Promise.reject(new Error('nothing is fetched')))
})
afterAll(() => engine.close())

/** Starts a server with ways, and closes it. */
async function start(ways: readonly GivenWays[]): Promise<void> {
  const app = createServer(service, { ways, publicMetrics: true })
  try {
    await listen(app, { host: '127.0.0.1', port: 0 })
  } finally {
    await app.close()
  }
}

const failure = new Error('the way failed')
const fail = () => {
  throw failure
}

describe('ways that are given to a server', () => {
  it.each([[undefined], [null], [5], ['store'], [{}], [{ add: 5 }], [{ add: () => {}, check: 5 }], [store()]])(
    'are refused at once if one is %j',
    way => {
      const settings = { ways: [...store(), way] } as HttpSettings
      expect(() => createServer(service, settings)).toThrow(
        expect.objectContaining({ code: 'ASOF_INVALID_OPTION', details: { field: 'ways[2]' } }),
      )
    },
  )

  it.each([{ payment: {} }, { payments: 5 }, { purchases: [] }, { wording: 'plain' }])(
    'of a store have no settings %j',
    settings => {
      expect(() => store(settings as object)).toThrow(expect.objectContaining({ code: 'ASOF_INVALID_OPTION' }))
    },
  )

  it('are refused at once with the error of their check', () => {
    expect(() => createServer(service, { ways: [{ check: fail, add: () => {} }] })).toThrow(failure)
  })

  it.each<[string, GivenWays['add']]>([
    ['add', fail],
    ['a promise of add', () => Promise.reject(failure)],
    ['their routes', ({ groups }) => groups.add(fail)],
    ['a promise of their routes', ({ groups }) => groups.add(() => Promise.reject(failure))],
  ])('make the start fail with the error of %s', async (_, add) => {
    await expect(start([...store(), { add }])).rejects.toBe(failure)
  })

  it('make the start fail if two have the same routes', async () => {
    await expect(start([...store(), ...store()])).rejects.toMatchObject({ code: 'FST_ERR_DUPLICATED_ROUTE' })
  })
})
