import type { Engine } from '@asof/core'
import type { Access } from '../../../service/accounts/index.ts'
import {
  answerRelevance,
  engineRelevance,
  relevanceRequest,
  relevanceResponse,
  wireRelevance,
} from '../../../service/index.ts'
import { type Administrators, actorOf, admitAdministrators } from '../admission/administrators.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'

const security = [{ AdminToken: [] }]
const result = named('RelevanceResponse', relevanceResponse)

const show = {
  operationId: 'admin_relevance_show',
  summary: 'Administration: the relevance of the index, now or at a point of time',
  security,
  querystring: relevanceRequest,
  responses: { 200: jsonAnswer('The relevance.', result), ...failures([...always, 'unauthorized']) },
}

const set = {
  operationId: 'admin_relevance_set',
  summary: 'Administration: set the relevance of the index from now on, as a whole',
  security,
  body: named('Relevance', wireRelevance),
  responses: {
    200: jsonAnswer('The relevance, as it holds now.', result),
    ...failures([...always, 'unauthorized', 'payload_too_large']),
  },
}

/** Adds the routes that show and set the relevance of the index. They need the admin token. */
export function addRelevanceRoutes(
  app: App,
  { engine, access }: { engine: Pick<Engine, 'relevance' | 'setRelevance'>; access: Access },
  administrators: Administrators,
): void {
  admitAdministrators(app, administrators)
  app.get('/admin/relevance', { schema: show }, async ({ query }) =>
    answerRelevance(await engine.relevance({ queryTime: query.query_time })),
  )
  app.put('/admin/relevance', { schema: set }, async request => {
    await engine.setRelevance(engineRelevance(request.body))
    await access.record({ actor: actorOf(request), act: 'relevance.set', target: 'the index' })
    return answerRelevance(await engine.relevance())
  })
}
