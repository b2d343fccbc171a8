import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Access, type AdminActName, adminActs, bearerToken, sameSecret } from '../../service/accounts/index.ts'
import { ServiceError } from '../../service/index.ts'
import { readJsonBody } from '../request/json-body.ts'
import { queryOf, refuseStrayParameters } from '../request/query-parameters.ts'

function inputOf(request: FastifyRequest, act: AdminActName): unknown {
  if (adminActs[act].method === 'GET') return adminActs[act].parseForm(queryOf(request))
  const body = readJsonBody(request.body)
  if ('refusal' in body) throw body.refusal
  refuseStrayParameters(queryOf(request))
  return body.value
}

/**
 * Lets in who presents the token.
 *
 * @throws ServiceError rate_limited | unauthorized
 */
export function admitAdministrator(request: FastifyRequest, token: string): void {
  // Before the token is compared, so that tokens can't be tried fast.
  if (request.overLimit) throw request.overLimit
  const presented = bearerToken(request.headers)
  if (presented !== undefined && sameSecret(presented, token)) return
  throw new ServiceError('unauthorized', 'Give the admin token as Authorization: Bearer.')
}

/** `org.create` is `POST /admin/org/create`: every administrative act, for whoever has the token. */
export function addAdminRoutes(app: FastifyInstance, access: Access, token: string): void {
  for (const act of Object.keys(adminActs) as AdminActName[]) {
    app.route({
      method: adminActs[act].method,
      url: `/admin/${act.replace('.', '/')}`,
      exposeHeadRoute: false,
      config: { admits: 'administrator' },
      handler: async request => {
        admitAdministrator(request, token)
        return access.administer(act, inputOf(request, act), `admin token, from ${request.ip}`)
      },
    })
  }
}
