import { expect, it } from 'vitest'
import { serviceFor } from '../../../../transports/http/request/sealed-service.ts'

type Service = Parameters<typeof serviceFor>[0]

it('a sealed key gets the service up to its seal, or up to that of the server if that is earlier', () => {
  const at = (sealedAt?: number) => ({ sealedAt, sealed: (seal: number) => ({ sealedAt: seal }) }) as unknown as Service
  const sealOf = (server: number | undefined, key: number | undefined) =>
    serviceFor(at(server), { caller: { organization: {}, workspace: '', key: '', sealedAt: key } } as never).sealedAt
  expect(sealOf(undefined, undefined)).toBeUndefined()
  expect(sealOf(undefined, 5)).toBe(5)
  expect(sealOf(9, undefined)).toBe(9)
  expect(sealOf(9, 5)).toBe(5)
  expect(sealOf(5, 9)).toBe(5)
})
