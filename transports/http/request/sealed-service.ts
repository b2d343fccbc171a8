import type { FastifyRequest } from 'fastify'
import type { Service } from '../../../service/index.ts'

/** Returns the service as the caller of a request may use it: a key may be sealed, at the seal of the server or earlier. */
export function serviceFor(service: Service, { caller }: Pick<FastifyRequest, 'caller'>): Service {
  if (caller?.sealedAt === undefined) return service
  return service.sealedAt !== undefined && service.sealedAt <= caller.sealedAt
    ? service
    : service.sealed(caller.sealedAt)
}
