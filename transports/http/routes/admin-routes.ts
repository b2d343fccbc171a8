import { type Access, type AdminActName, adminActs } from '../../../service/accounts/index.ts'
import { type Administrators, actorOf, admitAdministrators } from '../admission/administrators.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'

/** The result of an act: an object, or a list of objects. */
const result = named('AdminResult', {
  anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }],
})

function schemaOf(act: AdminActName) {
  const { method, input } = adminActs[act]
  const isRead = method === 'GET'
  const [subject = '', verb = ''] = act.split('.')
  return {
    operationId: `admin_${act.replace('.', '_')}`,
    summary: `Administration: ${subject} ${verb}`,
    security: [{ AdminToken: [] }],
    ...(isRead ? { querystring: input } : { body: input }),
    responses: {
      ...{ 200: jsonAnswer(`The result of \`asof ${subject} ${verb}\`, with the same fields.`, result) },
      ...failures([...always, 'unauthorized', 'not_found', ...(isRead ? [] : (['payload_too_large'] as const))]),
    },
  }
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
