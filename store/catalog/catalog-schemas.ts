import { z } from 'zod'
import { callKinds, planAnswer } from '../../service/accounts/index.ts'

const meter = z.strictObject({
  name: z.literal('requests'),
  unit: z.int().describe('Number of calls that the price is for.'),
  price_usd: z
    .string()
    .describe('Lowest price among the plans for sale. Absent if no plan for sale covers the service.')
    .optional(),
  free_units: z.literal(0),
})

/** A plan as the catalog shows it. */
const listedService = z.strictObject({
  slug: z.enum(callKinds),
  title: z.string(),
  description: z.string(),
  meter,
  routes: z.array(z.strictObject({ method: z.string(), path: z.string(), operation_id: z.string() })),
  plans: z.array(z.string()).describe('Ids of the plans that cover the service.'),
  openapi: z.string().describe('The address of the description of its routes.'),
})

export type ListedService = z.output<typeof listedService>

/** The answer of `/services`. */
export const serviceList = z.strictObject({ services: z.array(listedService) })

/** The answer of `/manifest.json`. */
export const manifest = z.strictObject({
  name: z.string(),
  version: z.string().describe('The version of the description (`info.version` of the OpenAPI document).'),
  base_url: z.string().optional(),
  description: z.string(),
  services: z.array(listedService),
  meters: z.array(meter.extend({ service: z.enum(callKinds) })).describe('One for each service.'),
  plans: z.array(planAnswer).describe('The plans for sale: none if the server takes no payments for them.'),
  authentication: z
    .strictObject({
      scheme: z.literal('bearer'),
      header: z.string(),
      registration: z.strictObject({ method: z.literal('POST'), url: z.string(), price_usd: z.literal('0') }),
    })
    .describe('How an agent gets a token for the routes of the services. Absent if the server has no such routes.')
    .optional(),
  payment_methods: z.array(z.enum(['x402', 'mpp', 'card'])),
  links: z.strictObject({ openapi: z.string(), services: z.string(), docs: z.string() }),
})

export type ServerManifest = z.output<typeof manifest>
