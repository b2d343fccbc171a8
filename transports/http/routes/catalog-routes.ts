import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { serviceSlugs } from '../../../service/accounts/index.ts'
import { parseForm } from '../../../service/index.ts'
import { isAdministrator } from '../limits/administrators.ts'
import { documentFilters } from '../openapi/catalog-schemas.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { narrowedDocument } from '../openapi/narrowed-document.ts'
import { queryOf } from '../request/query-parameters.ts'
import { addVary } from '../request/vary.ts'
import { type CatalogParts, documentOfService, listedServices, manifestOf } from './catalog.ts'

const noFilters = z.strictObject({})

/** The document for the operator, which also describes the routes of administration. */
export interface AdminDocument {
  document: OpenApiDocument
  /** The admin token that it is shown to. Everybody else gets the document of the catalog. */
  token: string
}

/** Adds S6: the catalog. Its answers are made once, because what the server offers does not change while it runs. */
export function addCatalogRoutes(app: FastifyInstance, parts: CatalogParts, admin?: AdminDocument): void {
  const { document } = parts

  function add<Filters extends z.ZodObject>(
    path: string,
    filters: Filters,
    answer: (filters: z.output<Filters>, request: FastifyRequest, reply: FastifyReply) => object,
  ): void {
    app.get(path, async (request, reply) => answer(parseForm(filters, queryOf(request)), request, reply))
  }

  add('/openapi.json', documentFilters, (filters, request, reply) => {
    if (!admin) return narrowedDocument(document, filters)
    addVary(reply, 'authorization')
    if (!isAdministrator(request, admin.token)) return narrowedDocument(document, filters)
    reply.header('cache-control', 'no-store')
    return narrowedDocument(admin.document, filters)
  })
  const services = { services: listedServices(parts) }
  add('/services', noFilters, () => services)
  for (const slug of serviceSlugs) {
    const narrowed = documentOfService(document, slug)
    add(`/services/${slug}/openapi.json`, noFilters, () => narrowed)
  }
  const manifest = manifestOf(parts)
  add('/manifest.json', noFilters, () => manifest)
}
