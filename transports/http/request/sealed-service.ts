import type { FastifyRequest } from 'fastify'
import type { Service } from '../../../service/index.ts'

/** Returns the service as the caller of a request may use it: a key may be sealed at an instant. */
export function serviceFor(service: Service, { caller }: Pick<FastifyRequest, 'caller'>): Service {
  return caller?.sealedAt === undefined ? service : service.sealed(caller.sealedAt)
}
