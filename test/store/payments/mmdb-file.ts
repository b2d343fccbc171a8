/** A value of a MaxMind database. */
type Value = string | number | readonly Value[] | { readonly [key: string]: Value }

const TYPES = { string: 2, uint32: 6, map: 7, uint64: 9, array: 11 } as const

function control(type: number, size: number): Buffer {
  if (size >= 29) throw new RangeError('longer values are not written')
  return type <= 7 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7])
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([control(TYPES.string, text.length), text])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(TYPES.uint32, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(TYPES.array, value.length), ...value.map(encode)])
  const entries = Object.entries(value as { [key: string]: Value })
  const fields = entries.flatMap(([key, field]) => [encode(key), encode(field)])
  return Buffer.concat([control(TYPES.map, entries.length), ...fields])
}

type Node = [Node | number | undefined, Node | number | undefined]

/** Creates a small database in the MaxMind format with the records of single IPv4 addresses. */
export function mmdbFile(records: Readonly<Record<string, Value>>, type = 'Test'): Buffer {
  const root: Node = [undefined, undefined]
  const data: Buffer[] = []
  let offset = 0
  for (const [address, record] of Object.entries(records)) {
    const bits = address.split('.').flatMap(part => [...Number(part).toString(2).padStart(8, '0')].map(Number))
    let node = root
    for (const bit of bits.slice(0, -1)) {
      node[bit] ??= [undefined, undefined]
      node = node[bit] as Node
    }
    node[bits.at(-1)!] = offset
    const encoded = encode(record)
    data.push(encoded)
    offset += encoded.length
  }
  const nodes: Node[] = []
  const number = (node: Node): void => {
    nodes.push(node)
    for (const child of node) if (Array.isArray(child)) number(child)
  }
  number(root)
  const tree = Buffer.alloc(nodes.length * 6)
  for (const [at, node] of nodes.entries()) {
    for (const [side, child] of node.entries()) {
      const link =
        child === undefined ? nodes.length : Array.isArray(child) ? nodes.indexOf(child) : nodes.length + 16 + child
      tree.writeUIntBE(link, at * 6 + side * 3, 3)
    }
  }
  const metadata = {
    node_count: nodes.length,
    record_size: 24,
    ip_version: 4,
    database_type: type,
    languages: ['en'],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    description: { en: 'test' },
  }
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encode(metadata),
  ])
}
