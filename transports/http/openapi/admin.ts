import { type AdminActName, adminActs } from '../../../service/accounts/index.ts'
import { json, jsonSchema, queryParameters } from './json-schema.ts'
import type { Operation, Paths } from './operation.ts'
import { always, answer, failures } from './responses.ts'

function operationOf(act: AdminActName): Operation {
  const { method, input } = adminActs[act]
  const isRead = method === 'GET'
  const [subject = '', verb = ''] = act.split('.')
  return {
    operationId: `admin_${act.replace('.', '_')}`,
    summary: `Administration: ${subject} ${verb}`,
    security: [{ AdminToken: [] }],
    ...(isRead
      ? { parameters: queryParameters(input) }
      : { requestBody: { required: true, content: json(jsonSchema(input, 'input')) } }),
    responses: {
      '200': answer(`The result of \`asof ${subject} ${verb}\`, with the same fields.`, 'AdminResult'),
      ...failures([...always, 'unauthorized', 'not_found', ...(isRead ? [] : (['payload_too_large'] as const))]),
    },
  }
}

/** The administrative acts, described by the schemas that check their input: `org.create` is at `/admin/org/create`. */
export const adminPaths: Paths = Object.fromEntries(
  (Object.keys(adminActs) as AdminActName[]).map(act => [
    `/admin/${act.replace('.', '/')}`,
    { [adminActs[act].method.toLowerCase()]: operationOf(act) },
  ]),
)

/** The result of an act: an object, or a list of objects. */
export const adminResult = {
  anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }],
}
