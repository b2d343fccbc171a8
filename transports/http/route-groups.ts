import type { FastifyInstance } from 'fastify'
import type { CountByAddress } from '../../service/accounts/index.ts'
import type { CallName } from '../../service/index.ts'
import { type Administrators, keepPrivate } from './admission/administrators.ts'
import { admitEverybody, countAddresses } from './admission/way-in.ts'
import type { App, ZodTypes } from './schema/route-schema.ts'
import { addWay, type Way } from './ways/way.ts'

interface GroupParts {
  /** Counts requests of callers without a key, by address. */
  byAddress: CountByAddress
  /** Undefined if the server has no admin token. */
  administrators: Administrators | undefined
  /** True if what needs no key otherwise is closed to everybody but administrators. */
  isPrivate: boolean
}

/** Adds groups of routes to a server. Each is a plugin, whose hooks apply to its routes only. */
export class RouteGroups {
  readonly #app: FastifyInstance
  readonly #parts: GroupParts

  constructor(app: FastifyInstance, parts: GroupParts) {
    this.#app = app
    this.#parts = parts
  }

  /** Adds routes that decide themselves who may call them. */
  add(routes: (app: App) => void): void {
    this.#app.register(async plugin => routes(plugin.withTypeProvider<ZodTypes>()))
  }

  /** Adds routes that everybody may call, within the rate limit of an address. */
  addOpen(routes: (app: App) => void): void {
    this.add(app => {
      admitEverybody(app, countAddresses(this.#parts.byAddress))
      routes(app)
    })
  }

  /** Adds routes that show what is in the index without a key, if the operator does not keep that private. */
  addPublic(routes: (app: App) => void): void {
    const { administrators, isPrivate } = this.#parts
    this.add(app => {
      if (isPrivate) keepPrivate(app, administrators)
      routes(app)
    })
  }

  /** Adds routes for administrators, unless the server has none. */
  addAdministration(routes: (app: App, administrators: Administrators) => void): void {
    const { administrators } = this.#parts
    if (administrators) this.add(app => routes(app, administrators))
  }

  /** Adds the routes of a way in. */
  addWay<Name extends CallName>(way: Way<Name>): void {
    if (way.isPublic) this.addPublic(app => addWay(app, way))
    else this.add(app => addWay(app, way))
  }
}
