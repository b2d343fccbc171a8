/** What a way in consists of, for rooms that give a server ways of their own. */
export { bearerToken, readKey } from '../admission/keys.ts'
export { type Sleep, type WaitingLimits, WaitingRequests } from '../admission/waiting-requests.ts'
export {
  type Admission,
  addWayIn,
  callOf,
  limitHeaders,
  refuseCaller,
  refuseWithoutKey,
} from '../admission/way-in.ts'
export { sendFailure } from '../error-response.ts'
export { addFigures } from '../metrics/figures.ts'
export type { OpenApiDocument, OpenApiOperation, Paths } from '../openapi/document.ts'
export { documentOf, operationsOf } from '../openapi/narrowed-document.ts'
export { describingRoute, openApi } from '../openapi/openapi-route.ts'
export { answerHeaders, clientCall, isTooLate, reportSent, sendAnswer } from '../request/service-call.ts'
export type { RouteGroups } from '../route-groups.ts'
export {
  bodyBytes,
  postedBody,
  queryOf,
  refuseBodyFields,
  refuseStrayParameters,
  requestValidators,
} from '../schema/read-request.ts'
export {
  type App,
  always,
  type Described,
  type DescribedResponse,
  errorBody,
  failures,
  type JsonSchema,
  json,
  jsonAnswer,
  limitedHeaders,
  named,
  type RouteError,
  withHeader,
  type ZodTypes,
} from '../schema/route-schema.ts'
export { sendOnAccount, withUsage } from './account-answer.ts'
export type { GivenWays, ServerParts } from './given-ways.ts'
export type { AnyCall, AskedCall, CallPaths, DescribedWay, Way } from './way.ts'
