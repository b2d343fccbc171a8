import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { open } from '@asof/core'
import { generateProducts } from './products.ts'
import { createShop } from './server.ts'

const DAY_MS = 86_400_000

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    data: { type: 'string', default: join(import.meta.dirname, 'data') },
    products: { type: 'string', default: '3000' },
  },
})

const engine = await open(values.data)
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
if ((await engine.stats()).captures === 0) {
  console.log(`Filling the shop with ${values.products} products and their history of a year …`)
  const { added, revised, failures } = await engine.add(generateProducts(Number(values.products), today))
  if (failures[0]) throw new Error(failures[0].message)
  console.log(`${added} products, ${revised} changes of price, stock or rating.`)
}
const server = createShop(engine, today)
server.listen(Number(values.port), '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
console.log(`The shop is open: http://127.0.0.1:${port}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    server.close(() => void engine.close())
    server.closeAllConnections()
  })
