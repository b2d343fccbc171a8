import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { document, withCallTable } from '../../packaging/call-table.ts'
import { callNames } from '../../service/index.ts'
import { storefrontPaths } from '../../store/ways/plan-way.ts'
import { x402Paths } from '../../store/ways/x402-way.ts'

it('the document of the HTTP API has the current table of calls and ways in', () => {
  const text = readFileSync(document, 'utf8')
  // `npx node packaging/call-table.ts` writes it.
  expect(text).toBe(withCallTable(text))
  expect(text).toContain(
    '| verify | `POST` | `/v1/verify` | `/v1/verify/public` | `/v1/storefront/verify` | `/v1/x402/verify` |',
  )
})

it.each([
  ['agent-plans.md', storefrontPaths],
  ['pay-per-request.md', x402Paths],
])('%s names the path of every call that is sold that way', (name, way) => {
  const text = readFileSync(path.join(path.dirname(document), name), 'utf8')
  for (const call of callNames) if (way.offers(call)) expect(text).toContain(`${way.path(call)}\``)
})
