import { type Access, defaultPlans, type Plan } from '../../../../service/accounts/index.ts'
import type { Service } from '../../../../service/index.ts'
import type { Payments } from '../../../../store/payments/index.ts'
import type { MethodName, Purchases } from '../../../../store/purchases/index.ts'
import type { WalletProof } from '../../../../store/wallet-proof/index.ts'
import { store } from '../../../../store/ways/index.ts'
import { createServer, type HttpSettings, listen } from '../../../../transports/http/index.ts'
import type { OpenApiDocument } from '../../../../transports/http/openapi/document.ts'

/** What a server offers that is only asked to describe itself. */
export interface Offered {
  accounts?: boolean
  admin?: boolean
  mcp?: boolean
  /** The price of a call by x402. */
  price?: { amount: string; currency: string }
  /** The methods by which plans can be bought. */
  methods?: readonly MethodName[]
  plans?: readonly Plan[]
  quotes?: boolean
  baseUrl?: string
}

const ADMIN_TOKEN = 'token-of-the-operator'

/** A service, or another part of a server, that nobody calls. */
function uncalled<Part>(facts: object = {}): Part {
  return facts as Part
}

function settingsFor(offered: Offered): HttpSettings {
  const { accounts, admin, mcp = false, price, methods, plans = defaultPlans, quotes, baseUrl } = offered
  const option = { amount: price?.amount, asset: price?.currency }
  return {
    access: accounts || admin || methods || quotes ? uncalled<Access>({ plans }) : undefined,
    adminToken: admin ? ADMIN_TOKEN : undefined,
    mcp: mcp && {},
    ways: store({
      payments: price && uncalled<Payments>({ calls: { option } }),
      purchases: methods && uncalled<Purchases>({ methods }),
      walletProof: quotes ? uncalled<WalletProof>() : undefined,
    }),
    baseUrl,
  }
}

/** What the catalog of such a server answers at a path. */
export async function askCatalog(path: string, offered: Offered): Promise<Record<string, unknown>> {
  const app = createServer(uncalled<Service>(), settingsFor(offered))
  const url = await listen(app, { host: '127.0.0.1', port: 0 })
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
  const body = (await answer.json()) as Record<string, unknown>
  await app.close()
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(body)}`)
  return body
}

/** The OpenAPI document of such a server. */
export async function documentOf(offered: Offered): Promise<OpenApiDocument> {
  return (await askCatalog('/openapi.json', offered)) as unknown as OpenApiDocument
}

/** Everything that a server can offer. */
export const everything: Offered = {
  accounts: true,
  admin: true,
  mcp: true,
  quotes: true,
  plans: defaultPlans,
  methods: ['x402', 'mpp', 'card'],
  price: { amount: '10000', currency: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
}
