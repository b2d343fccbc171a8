import { expect, it } from 'vitest'
import { keylessCalls, nextCalls } from '../../../store/advisor/next-calls.ts'

const cost = { purchases: 1n, price: 1n, total: 1n, callsEach: 1n, perSecond: 10 }

it('writes the calls of keyless use', () => {
  expect(keylessCalls('https://search.example', ['search', 'fetch'])).toEqual([
    `curl -X POST 'https://search.example/v1/search/public' -H 'X-Service-Title: YOUR-APPLICATION' -H 'Content-Type: application/json' -d '{"query":"YOUR QUERY"}'`,
    `curl 'https://search.example/v1/fetch/public?url=https%3A%2F%2Fexample.com%2F' -H 'X-Service-Title: YOUR-APPLICATION'`,
  ])
})

it('writes the calls of x402 and of a key', () => {
  expect(nextCalls('https://search.example', ['fetch'], { kind: 'x402', ...cost })).toContain(
    `curl 'https://search.example/v1/x402/fetch?url=https%3A%2F%2Fexample.com%2F'`,
  )
  expect(nextCalls('https://search.example', ['fetch'], { kind: 'credits', ...cost })).toContain(
    `curl 'https://search.example/v1/fetch?url=https%3A%2F%2Fexample.com%2F' -H "X-API-Key: $KEY"`,
  )
})

it('keeps every address inside its quotes', () => {
  expect(keylessCalls("https://search.example/'; rm x", ['fetch'])[0]).toContain('/%27; rm x/v1/fetch/public')
})
