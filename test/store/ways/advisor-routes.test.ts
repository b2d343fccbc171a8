import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../transports/http/running-server.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ accounts: true })
})
afterAll(() => server.close())

const ask = (query: string, init?: RequestInit) => fetch(`${server.url}/storefront/agent/guide${query}`, init)

describe('the guide of the advisor', () => {
  it.each(['GET', 'POST'])('answers %s with markdown about the goal', async method => {
    const answer = await ask('?goal=Search+the+news+for+500+queries', { method })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await answer.text()).toContain('500')
  })

  it('is the same for the same goal', async () => {
    const goal = '?goal=fetch+20000+pages+a+week'
    expect(await (await ask(goal)).text()).toBe(await (await ask(goal)).text())
  })

  it.each(['', '?goal=', '?goal=a&goal=b', '?goal=a&payment=x402', `?goal=${'a'.repeat(2_001)}`])(
    'refuses %s',
    async query => {
      const answer = await ask(query)
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
    },
  )

  it('refuses a goal that holds a key, and does not repeat it', async () => {
    const key = `agent_asof_${'k'.repeat(43)}`
    const answer = await ask(`?goal=search+with+${key}`)
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain(key)
  })
})
