import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Access, type AdminActName, adminActs } from '../../../service/accounts/index.ts'
import { type Administrators, admitAdministrators } from '../limits/administrators.ts'
import { bodyOf } from '../request/json-body.ts'
import { queryOf, refuseStrayParameters } from '../request/query-parameters.ts'

function inputOf(request: FastifyRequest, act: AdminActName): unknown {
  if (adminActs[act].method === 'GET') return adminActs[act].parseForm(queryOf(request))
  const body = bodyOf(request)
  refuseStrayParameters(queryOf(request))
  return body
}

/** Adds a route for every administrative act: `org.create` is `POST /admin/org/create`. All need the admin token. */
export function addAdminRoutes(app: FastifyInstance, access: Access, administrators: Administrators): void {
  admitAdministrators(app, administrators)
  for (const act of Object.keys(adminActs) as AdminActName[]) {
    app.route({
      method: adminActs[act].method,
      url: `/admin/${act.replace('.', '/')}`,
      exposeHeadRoute: false,
      handler: async request => access.administer(act, inputOf(request, act), `admin token, from ${request.ip}`),
    })
  }
}
