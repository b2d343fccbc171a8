import type { CallKind } from '../../service/accounts/index.ts'
import type { WayToPay } from './ways-to-pay.ts'

const searchBody = `-H 'Content-Type: application/json' -d '{"query":"YOUR QUERY"}'`
const page = 'url=https%3A%2F%2Fexample.com%2F'

/** Returns an address in quotes for a shell. */
function address(baseUrl: string, path: string): string {
  return `'${`${baseUrl}${path}`.replaceAll("'", '%27')}'`
}

function calls(
  baseUrl: string,
  services: readonly CallKind[],
  paths: Readonly<Record<CallKind, string>>,
  header: string,
): string[] {
  return services.map(service =>
    service === 'search'
      ? `curl -X POST ${address(baseUrl, paths.search)} ${header}${searchBody}`
      : `curl ${address(baseUrl, `${paths.fetch}?${page}`)} ${header}`.trimEnd(),
  )
}

/** Returns the calls to make without a key, as lines for a shell. */
export function keylessCalls(baseUrl: string, services: readonly CallKind[]): string[] {
  const paths = { search: '/v1/search/public', fetch: '/v1/fetch/public' }
  return calls(baseUrl, services, paths, `-H 'X-Service-Title: YOUR-APPLICATION' `)
}

function planCalls(baseUrl: string, services: readonly CallKind[], planId: string, purchases: bigint): string[] {
  const bearer = '-H "Authorization: Bearer $TOKEN" '
  const paths = { search: '/v1/storefront/search', fetch: '/v1/storefront/fetch' }
  return [
    '# 1. Register anonymously, free of charge. Keep the token of the answer in TOKEN.',
    `curl -X POST ${address(baseUrl, '/storefront/agents')}`,
    `# 2. Buy the plan${purchases === 1n ? '' : `, ${purchases} times in all`}. The answer 402 says how to pay; repeat the call with the payment.`,
    `curl -i -X POST ${address(baseUrl, `/plans/${planId}/purchase`)} ${bearer}`.trimEnd(),
    '# 3. Call the service.',
    ...calls(baseUrl, services, paths, bearer),
  ]
}

function x402Calls(baseUrl: string, services: readonly CallKind[]): string[] {
  return [
    '# The answer 402 carries the offer. Sign it and repeat the call with the header PAYMENT-SIGNATURE.',
    ...calls(baseUrl, services, { search: '/v1/x402/search', fetch: '/v1/x402/fetch' }, ''),
  ]
}

function keyedCalls(baseUrl: string, services: readonly CallKind[]): string[] {
  return [
    '# Ask the operator of this server for an API key with credits. Keep it in KEY.',
    ...calls(baseUrl, services, { search: '/v1/search', fetch: '/v1/fetch' }, '-H "X-API-Key: $KEY" '),
  ]
}

/** Returns the calls to make for a way to pay, as lines for a shell. They contain no text of the goal. */
export function nextCalls(baseUrl: string, services: readonly CallKind[], way: WayToPay): string[] {
  if (way.plan) return planCalls(baseUrl, services, way.plan.id, way.purchases)
  return way.kind === 'x402' ? x402Calls(baseUrl, services) : keyedCalls(baseUrl, services)
}
