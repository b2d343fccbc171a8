import type { Server } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import { clientNetwork } from '../../../service/accounts/index.ts'
import type { HttpSettings } from '../settings.ts'

/** Maximum number of proxies between a client and the server. Addresses beyond it are ignored. */
const MAX_HOPS = 32
/** Maximum length of an entry. No address with brackets, zone and port is longer. */
const MAX_CHARS = 100

/** An address as proxies write it, with optional brackets, zone (`%eth0`) and port. The groups contain only the address. */
const written = /^(?:\[(?<bracketed>[^\]%]*)(?:%[^\]]*)?\](?::\d+)?|(?<v4>[\d.]+)(?::\d+)?|(?<v6>[^%[\]]*)(?:%.*)?)$/

/**
 * Returns the address that an entry of `X-Forwarded-For` names, in one form: `192.0.2.1` for `192.0.2.1:443` and
 * `::ffff:192.0.2.1`, `2001:db8::1` for `[2001:0DB8::1]:443`. Returns `undefined` if the entry names no address.
 */
function addressOf(entry: string): string | undefined {
  if (entry.length > MAX_CHARS) return undefined
  const { bracketed, v4, v6 } = written.exec(entry)?.groups ?? {}
  if (v4 !== undefined) return ipaddr.IPv4.isValidFourPartDecimal(v4) ? v4 : undefined
  const address = bracketed ?? v6
  return address !== undefined && ipaddr.IPv6.isValid(address) ? ipaddr.process(address).toString() : undefined
}

/**
 * Normalizes `X-Forwarded-For`: returns the addresses of the last {@link MAX_HOPS} entries, in one form each. Reads entries
 * from the end, and stops at an entry that is not an address. The address after that entry then counts as the client. Otherwise
 * a caller could invent entries, and each would be a new client without a limit.
 *
 * @returns undefined if no address is left.
 */
export function normalizedForwardedFor(header: string): string | undefined {
  const addresses: string[] = []
  // The last entry comes first, because the nearest proxy wrote it.
  for (let end = header.length; end > 0 && addresses.length < MAX_HOPS; ) {
    const comma = header.lastIndexOf(',', end - 1)
    const entry = header.slice(comma + 1, end).trim()
    end = comma
    // RFC 9110 (5.6.1.2): empty elements of a list are ignored.
    if (entry === '') continue
    const address = addressOf(entry)
    if (address === undefined) break
    addresses.unshift(address)
  }
  return addresses.length === 0 ? undefined : addresses.join(', ')
}

/** Normalizes `X-Forwarded-For` of every request, before Fastify reads the client's address from it. */
export function addForwardedFor(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const header = raw.headers['x-forwarded-for']
    if (header === undefined) return done()
    // Node joins repeated headers of this name.
    const normalized = normalizedForwardedFor([header].flat().join(','))
    if (normalized === undefined) delete raw.headers['x-forwarded-for']
    else raw.headers['x-forwarded-for'] = normalized
    done()
  })
}

/** The names of networks that Fastify accepts in `trustProxy`. */
const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

function proxyList(proxies: readonly string[]): BlockList {
  const list = new BlockList()
  for (const proxy of proxies.flatMap(name => namedNetworks[name] ?? [name])) {
    const [address, bits] = proxy.split('/', 2) as [string, string | undefined]
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Returns a function that returns true for the address of a trusted proxy. Connections of a proxy serve many clients. */
function proxyCheck(trustProxy: HttpSettings['trustProxy']): (address: string) => boolean {
  // With `true`, every connection comes from the one proxy in front.
  if (trustProxy === true) return () => true
  if (trustProxy === undefined || trustProxy.length === 0) return () => false
  const list = proxyList(trustProxy)
  return address => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/**
 * Closes new connections of a client that has too many open ones. A client is an IPv4 address or an IPv6 network of 64
 * bits. Loopback addresses count like others; connections of trusted proxies do not count.
 *
 * @param maxOpen - limit of open connections of one client.
 */
export function capConnections(server: Server, maxOpen: number, trustProxy: HttpSettings['trustProxy']): void {
  const open = new Map<string, number>()
  const isProxy = proxyCheck(trustProxy)
  // This listener runs before all others, so that the HTTP parser never sees a rejected connection.
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isProxy(remoteAddress)) return
    const client = clientNetwork(remoteAddress)
    const own = (open.get(client) ?? 0) + 1
    open.set(client, own)
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    })
    if (own > maxOpen) socket.destroy()
  })
}
