import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { serviceSlugs } from '../../service/accounts/index.ts'
import { parseForm } from '../../service/index.ts'
import { documentFilters } from '../openapi/catalog-schemas.ts'
import { narrowedDocument } from '../openapi/narrowed-document.ts'
import { queryOf } from '../request/query-parameters.ts'
import { type CatalogParts, documentOfService, listedServices, manifestOf } from './catalog.ts'

const noFilters = z.strictObject({})

/** Adds S6: the catalog. Its answers are made once, because what the server offers does not change while it runs. */
export function addCatalogRoutes(app: FastifyInstance, parts: CatalogParts): void {
  const { document } = parts

  function add<Filters extends z.ZodObject>(
    path: string,
    filters: Filters,
    answer: (filters: z.output<Filters>) => object,
  ): void {
    app.get(path, { config: { admits: 'address' } }, async (request: FastifyRequest) => {
      if (request.overLimit) throw request.overLimit
      return answer(parseForm(filters, queryOf(request)))
    })
  }

  add('/openapi.json', documentFilters, filters => narrowedDocument(document, filters))
  const services = { services: listedServices(parts) }
  add('/services', noFilters, () => services)
  for (const slug of serviceSlugs) {
    const narrowed = documentOfService(document, slug)
    add(`/services/${slug}/openapi.json`, noFilters, () => narrowed)
  }
  const manifest = manifestOf(parts)
  add('/manifest.json', noFilters, () => manifest)
}
