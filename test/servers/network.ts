import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

/** A host of a network of namespaces, joined to the others and to the machine itself by a bridge. */
export interface NetworkHost {
  address: string
  /** The words that a command begins with that runs on this host. */
  command: string[]
  /** Cuts the host off from everything, or joins it again. Packets are lost in silence. */
  cut(isCut: boolean): void
  /** Cuts it off from another host alone. */
  cutFrom(address: string, isCut: boolean): void
}

export interface Network {
  hosts: NetworkHost[]
  /** The address of this machine, in this process's own namespace. */
  address: string
  remove(): void
}

/** True if this process may make network namespaces. */
export function canSplitNetworks(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    execFileSync('ip', ['netns', 'add', `asof${process.pid}`], { stdio: 'ignore' })
    execFileSync('ip', ['netns', 'delete', `asof${process.pid}`])
    return true
  } catch {
    return false
  }
}

const ip = (...words: string[]): void => void execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] })

/**
 * Makes hosts in namespaces of their own, with Linux's `ip`. Their addresses are in the range of loopback, because OpenSearch demands the
 * limits of a machine in production wherever it listens on other ones. So these addresses are made to lead out of each namespace.
 */
export function makeNetwork(count: number): Network {
  // Names of interfaces have at most 15 letters.
  const id = (process.pid % 100_000).toString(36)
  const subnet = `127.${100 + (process.pid % 100)}.77`
  const bridge = `as${id}br`
  const names: string[] = []
  const remove = (): void => {
    for (const name of names) ip('netns', 'delete', name)
    ip('link', 'delete', bridge)
  }
  ip('link', 'add', bridge, 'type', 'bridge')
  writeFileSync(`/proc/sys/net/ipv4/conf/${bridge}/route_localnet`, '1')
  ip('address', 'add', `${subnet}.254/24`, 'dev', bridge)
  ip('link', 'set', bridge, 'up')
  ip('route', 'add', `${subnet}.0/24`, 'dev', bridge, 'table', 'local')
  try {
    const hosts = Array.from({ length: count }, (_, n): NetworkHost => {
      const [name, outside, inside] = [`asof${id}n${n}`, `as${id}o${n}`, `as${id}i${n}`]
      const address = `${subnet}.${n + 1}`
      const within = ['netns', 'exec', name]
      ip('netns', 'add', name)
      names.push(name)
      ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', name)
      ip('link', 'set', outside, 'master', bridge, 'up')
      ip(...within, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet')
      ip(...within, 'ip', 'link', 'set', 'lo', 'up')
      ip(...within, 'ip', 'address', 'add', '127.0.0.1/32', 'dev', 'lo')
      ip(...within, 'ip', 'address', 'delete', '127.0.0.1/8', 'dev', 'lo')
      ip(...within, 'ip', 'address', 'add', `${address}/24`, 'dev', inside)
      ip(...within, 'ip', 'link', 'set', inside, 'up')
      return {
        address,
        command: ['ip', ...within],
        cut: isCut => (isCut ? ip('link', 'set', outside, 'nomaster') : ip('link', 'set', outside, 'master', bridge)),
        cutFrom: (other, isCut) => ip(...within, 'ip', 'route', isCut ? 'add' : 'delete', 'blackhole', `${other}/32`),
      }
    })
    return { hosts, address: `${subnet}.254`, remove }
  } catch (error) {
    remove()
    throw error
  }
}
