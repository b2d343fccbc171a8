import type { Fields } from './sealed-fields.ts'

/** A request of the generated kind. */
export interface SealedRequest {
  method: 'GET' | 'POST' | 'HEAD' | 'OPTIONS'
  path: string
  headers: Record<string, string>
  body?: string
}

const json = { 'content-type': 'application/json' }
const titled = { 'x-service-title': 'tests' }

export function post(path: string, value: unknown, headers: Record<string, string> = titled): SealedRequest {
  return { method: 'POST', path, headers: { ...headers, ...json }, body: JSON.stringify(value) }
}

/** A request by GET. Lists and objects are not sent, as a form can't hold them. */
export function get(path: string, fields: Fields, headers: Record<string, string> = titled): SealedRequest {
  const form = Object.entries(fields).filter(([, value]) => typeof value !== 'object')
  const query = new URLSearchParams(form.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return { method: 'GET', path: query === '' ? path : `${path}?${query}`, headers }
}
