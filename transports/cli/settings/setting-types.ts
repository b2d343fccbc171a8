import { parseInstant } from '@asof/core/internal'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { dialectNames } from '../../http/dialects/dialects.ts'

/** The words for true and false in the environment and on the command line. */
const words: Readonly<Record<string, boolean>> = { 1: true, true: true, on: true, 0: false, false: false, off: false }

function readBoolean(value: unknown): unknown {
  return typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : value
}

function readNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value
}

/** Reads a list from the environment or the command line, where commas separate its items. */
function readList(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map(text => text.trim()) : value
}

export const nonEmptyText = z.string().min(1)

/** The type of an instant: a date or an ISO 8601 timestamp. Its value is in epoch ms. */
export const instant = z.string().transform((value, context) => {
  try {
    return parseInstant(value, 'instant')
  } catch {
    context.addIssue('must be a date (2026-01-31) or an ISO 8601 timestamp (2026-01-31T10:00Z)')
    return z.NEVER
  }
})

export const boolean = z.preprocess(readBoolean, z.boolean({ error: 'must be on or off' }))

export const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

export const webUrls = z.preprocess(readList, z.array(webUrl).min(1))

/** The URL of a database. The value may hold a password, so no message repeats it. */
export const postgresUrl = z
  .string()
  .regex(/^postgres(?:ql)?:\/\/[^\s/]/, { error: 'must be a URL such as postgres://user:password@host:5432/name' })

/** The URL of a store of objects: a bucket of S3, or a folder. */
export const objectStoreUrl = z.string().regex(/^(?:s3:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?|file:\/\/\/[^\s?#]+)$/, {
  error: 'must be a URL such as s3://bucket/prefix?region=eu-central-1 or file:///path, without credentials',
})

export function integer(min: number, max?: number) {
  return z.preprocess(readNumber, max === undefined ? z.int().min(min) : z.int().min(min).max(max))
}

/** Returns the type of a positive number up to `max`, which may have a fraction. */
export function positive(max: number) {
  return z.preprocess(readNumber, z.number().positive().max(max))
}

const hostName = z
  .string()
  .refine(name => URL.canParse(`http://${name}`) && new URL(`http://${name}`).hostname === name, {
    error: 'must be a host name in lower case, without a port',
  })

export const hostNames = z.preprocess(readList, z.array(hostName).min(1))

const origin = z.string().refine(given => given === '*' || (URL.canParse(given) && new URL(given).origin === given), {
  error: 'must be a web origin such as https://example.com, or *',
})

export const origins = z.preprocess(readList, z.array(origin).min(1))

/** The type of a list of dialects, or the word `all` or `none`. */
export const dialectList = z.preprocess(
  value => (value === 'all' ? dialectNames : value === 'none' ? [] : readList(value)),
  z.array(z.enum(dialectNames, { error: `must be all, none, or some of ${dialectNames.join(', ')}` })),
)

const proxy = z.string().refine(address => ipaddr.isValid(address) || ipaddr.isValidCIDR(address), {
  error: 'must be an IP address or network',
})

/** The type of the trusted proxies: true for the one proxy in front, or the addresses of proxies. */
export const proxies = z
  .preprocess(
    value => {
      const known = readBoolean(value)
      return typeof known === 'string' ? readList(known) : known
    },
    z.union([z.boolean(), z.array(proxy).min(1)], {
      error: 'must be on, off, or IP addresses and networks of proxies, separated by commas',
    }),
  )
  .transform(value => (value === false ? undefined : value))

const languageCodes = z
  .array(z.string().regex(/^[a-z]{2,3}$/, { error: 'must be a language code such as en' }))
  .min(1)
  .max(200)

/** The type of the languages of a model: a list of languages, or true for all languages. */
export const modelLanguages = z.preprocess(
  value => (value === 'all' ? true : readList(value)),
  z.union([z.literal(true), languageCodes]),
)
