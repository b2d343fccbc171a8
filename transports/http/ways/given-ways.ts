import type { Registry } from '@prometheus-io/client'
import type { Access, CountByAddress, KeylessLimits } from '../../../service/accounts/index.ts'
import type { CallName, CallService, Service } from '../../../service/index.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { RouteGroups } from '../route-groups.ts'

/** What ways in that are given to a server can use of it. */
export interface ServerParts {
  /** Adds ways in and other routes, see `RouteGroups`. */
  groups: RouteGroups
  /** The service of the server, with its limit of concurrent calls. */
  service: Service
  /** The accounts. Undefined if the server has none. */
  access: Access | undefined
  /** Counts requests of callers without a key, by address. */
  byAddress: CountByAddress
  /** The limits of {@link byAddress}. */
  keylessLimits: KeylessLimits
  /** Public address of the server. Undefined: the address on which it listens. */
  baseUrl: string | undefined
  /** Gets further metrics. Undefined if the server shows none. */
  metrics: Registry | undefined
  /** Returns another service with a limit of concurrent calls like that of the server. Metrics count its calls as work under way. */
  limit<Name extends CallName>(service: CallService<Name>): CallService<Name>
  /** Returns the OpenAPI document without the routes of administration. It is complete when the server is ready. */
  describe(): OpenApiDocument
}

/** Ways in that a server is given, with the routes and metrics that belong to them. */
export interface GivenWays {
  /**
   * Refuses a server with which these ways can't work, before anything is added. Default: every server will do.
   *
   * @throws TypeError
   */
  check?(server: { trustsProxy: boolean }): void
  /** Adds them to a server. */
  add(server: ServerParts): void
}
