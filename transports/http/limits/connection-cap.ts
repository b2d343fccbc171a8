import type { Server } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'
import { clientNetwork } from '../../../service/accounts/index.ts'
import type { HttpSettings } from '../settings.ts'

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

/** Returns a check that is true for the address of a trusted proxy, whose connections are those of many clients. */
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
  // Before all other listeners, so that the HTTP parser never takes a rejected connection.
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
