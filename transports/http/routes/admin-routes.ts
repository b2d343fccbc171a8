import { type Access, type AdminActName, adminActs, adminAnswers } from '../../../service/accounts/index.ts'
import { type Administrators, actorOf, admitAdministrators } from '../admission/administrators.ts'
import { type App, always, failures, jsonAnswer } from '../schema/route-schema.ts'

const readFailures = [...always, 'unauthorized', 'not_found'] as const

function schemaOf(act: AdminActName) {
  const { method, input } = adminActs[act]
  const [subject = '', verb = ''] = act.split('.')
  const done = {
    200: jsonAnswer(`The result of \`asof ${subject} ${verb}\`, with the same fields.`, adminAnswers[act]),
  }
  const described = {
    operationId: `admin_${act.replace('.', '_')}`,
    summary: `Administration: ${subject} ${verb}`,
    security: [{ AdminToken: [] }],
  }
  return method === 'GET'
    ? { ...described, querystring: input, responses: { ...done, ...failures(readFailures) } }
    : { ...described, body: input, responses: { ...done, ...failures([...readFailures, 'payload_too_large']) } }
}

/**
 * Adds a route for every administrative act: `org.create` is `POST /admin/org/create`. All these routes need the admin token.
 */
export function addAdminRoutes(app: App, access: Access, administrators: Administrators): void {
  admitAdministrators(app, administrators)
  for (const act of Object.keys(adminActs) as AdminActName[]) {
    app.route({
      method: adminActs[act].method,
      url: `/admin/${act.replace('.', '/')}`,
      exposeHeadRoute: false,
      schema: schemaOf(act),
      handler: async request => access.administer(act, request.body ?? request.query, actorOf(request)),
    })
  }
}
