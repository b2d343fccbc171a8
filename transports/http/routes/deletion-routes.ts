import type { Engine } from '@asof/core'
import type { Access } from '../../../service/accounts/index.ts'
import { type DeletionRequest, deletePages, deletionRequest, deletionResponse } from '../../../service/index.ts'
import { type Administrators, actorOf, admitAdministrators } from '../admission/administrators.ts'
import { callerSignal } from '../request/service-call.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'

/** Maximum size of a body: a list of 10,000 URLs is larger than other requests. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024

const selection = named('DeletionRequest', deletionRequest)
const response = named('DeletionResponse', deletionResponse)

const acts = {
  remove: 'Removes pages from now on, or from `at` on. Searches as of before still find them.',
  purge: 'Deletes every version of pages from all of time.',
} as const

/** Adds the routes by which administrators delete many pages. They need the admin token. */
export function addDeletionRoutes(
  app: App,
  { engine, access }: { engine: Pick<Engine, 'removeAll' | 'purgeAll'>; access: Access },
  administrators: Administrators,
): void {
  admitAdministrators(app, administrators)
  for (const op of ['remove', 'purge'] as const)
    app.route({
      method: 'POST',
      url: `/admin/pages/${op}`,
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        operationId: `admin_pages_${op}`,
        summary: `Administration: pages ${op}`,
        description: acts[op],
        security: [{ AdminToken: [] }],
        body: selection,
        responses: {
          200: jsonAnswer('What was deleted, or would be deleted by a dry run.', response),
          ...failures([...always, 'unauthorized', 'payload_too_large']),
        },
      },
      handler: async (request, reply) => {
        const { body } = request
        // The selection is checked, and counted up to the first batch, before the deletion is recorded.
        if (!body.dry_run) {
          await deletePages(engine, op, { ...body, dry_run: true }, AbortSignal.abort())
          await access.record({ actor: actorOf(request), act: `pages.${op}`, ...selectionOf(body) })
        }
        return deletePages(engine, op, body, callerSignal(reply))
      },
    })
}

/** Returns a selection as the audit log records it. */
function selectionOf({ urls, site, prefix, filter, all, at }: DeletionRequest) {
  const target = urls ? `${urls.length} URLs` : (prefix ?? site ?? (all ? 'all pages' : 'pages with fields'))
  const facts: Record<string, string | number> = {}
  if (site !== undefined) facts.site = site
  if (filter) facts.filter = JSON.stringify(filter)
  if (at !== undefined) facts.at = at
  return { target, facts }
}
