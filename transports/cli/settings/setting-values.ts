import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** Values of a boolean in the environment and on the command line. */
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

export const boolean = z.preprocess(readBoolean, z.boolean({ error: 'must be on or off' }))

const proxy = z.string().refine(address => ipaddr.isValid(address) || ipaddr.isValidCIDR(address), {
  error: 'must be an IP address or network',
})
export const hostName = z
  .string()
  .refine(text => URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text, {
    error: 'must be a host name in lower case, without a port',
  })

export const origin = z.string().refine(text => text === '*' || (URL.canParse(text) && new URL(text).origin === text), {
  error: 'must be a web origin such as https://example.com, or *',
})

/** Reads a list from the environment or the command line, where commas separate its items. */
export function readList(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map(text => text.trim()) : value
}

export const proxies = z.union([z.boolean(), z.array(proxy).min(1)], {
  error: 'must be on, off, or IP addresses and networks of proxies, separated by commas',
})
