import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** Booleans outside JSON are `1|true|on` and `0|false|off`. */
const words: Readonly<Record<string, boolean>> = { 1: true, true: true, on: true, 0: false, false: false, off: false }

function readBoolean(value: unknown): unknown {
  return typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : value
}

export function readInteger(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
}

export function readProxies(value: unknown): unknown {
  const known = readBoolean(value)
  return typeof known === 'string' ? known.split(',').map(address => address.trim()) : known
}

/** On or off. */
export const boolean = z.preprocess(readBoolean, z.boolean({ error: 'must be on or off' }))

const proxy = z
  .string()
  .refine(address => ipaddr.isValid(address) || ipaddr.isValidCIDR(address), { error: 'not an address or network' })
export const hostName = z
  .string()
  .refine(text => URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text, {
    error: 'must be a host name in lower case, without a port',
  })

export const origin = z
  .string()
  .refine(text => text === '*' || (URL.canParse(text) && new URL(text).origin === text), { error: 'not an origin' })

/** A list in the environment or on the command line has commas. */
export function readList(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map(text => text.trim()) : value
}

export const proxies = z.union([z.boolean(), z.array(proxy).min(1)], {
  error: 'must be on, off, or addresses and networks of proxies, separated by commas',
})
