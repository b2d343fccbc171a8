import type { Server } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'
import { clientNetwork } from '../../service/accounts/index.ts'
import type { HttpSettings } from '../settings.ts'

/** The names of networks that Fastify understands in `trustProxy`. */
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

/** Whether a peer is a proxy that speaks for many clients. */
function proxyCheck(trustProxy: HttpSettings['trustProxy']): (address: string) => boolean {
  // Every connection comes from the one proxy in front.
  if (trustProxy === true) return () => true
  if (trustProxy === undefined || trustProxy.length === 0) return () => false
  const list = proxyList(trustProxy)
  return address => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/**
 * Closes connections of a client beyond the number that one may have open. The client is known by the address of its peer;
 * loopback addresses count like others, trusted proxies do not count.
 *
 * @param most - open connections of an IPv4 address, or a /64 of IPv6.
 */
export function capConnections(server: Server, most: number, trustProxy: HttpSettings['trustProxy']): void {
  const open = new Map<string, number>()
  const isProxy = proxyCheck(trustProxy)
  // Before the HTTP parser takes the connection.
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isProxy(remoteAddress)) return
    const client = clientNetwork(remoteAddress)
    const own = (open.get(client) ?? 0) + 1
    open.set(client, own)
    socket.once('close', () => {
      const left = open.get(client)! - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    })
    if (own > most) socket.destroy()
  })
}
