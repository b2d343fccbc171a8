import { describe, expect, it } from 'vitest'
import { wizardsWanted } from '../../../service/calls/caller-policy.ts'
import { parseRequest, type ServiceError, searchRequest } from '../../../service/index.ts'

const asked = (request: Record<string, unknown>, policy = {}) =>
  wizardsWanted(parseRequest(searchRequest, { query: 'a', ...request }), policy)

describe('wizards answer', () => {
  it.each([
    ['not by default', {}, {}, false],
    ['if enabled', { enable_wizards: true }, {}, true],
    ['if the organization enables them by default', {}, { wizardsByDefault: true }, true],
    ['not if the request disables them', { enable_wizards: false }, { wizardsByDefault: true }, false],
    ['by default in pro mode only', { mode: 'realtime' }, { wizardsByDefault: true }, false],
  ])('%s', (_rule, request, policy, wanted) => {
    expect(asked(request, policy)).toEqual({ wanted })
  })

  it('rejects a request that enables wizards under zero data retention', () => {
    for (const wizardsByDefault of [true, false]) {
      let refusal: ServiceError | undefined
      try {
        asked({ enable_wizards: true }, { zdr: true, wizardsByDefault })
      } catch (error) {
        refusal = error as ServiceError
      }
      expect(refusal?.statusCode).toBe(400)
      expect(refusal?.toBody()).toMatchObject({
        error: 'zdr_wizards_unsupported',
        details: [{ path: 'enable_wizards' }],
      })
    }
  })

  it('leaves out wizards enabled by default under zero data retention, with a warning', () => {
    expect(asked({}, { zdr: true, wizardsByDefault: true })).toEqual({
      wanted: false,
      warning: expect.stringContaining('zero data retention'),
    })
    for (const request of [{ enable_wizards: false }, { mode: 'realtime' }])
      expect(asked(request, { zdr: true, wizardsByDefault: true })).toEqual({ wanted: false })
    expect(asked({}, { zdr: true })).toEqual({ wanted: false })
  })

  it('rejects wizards outside pro mode', () => {
    expect(() => asked({ enable_wizards: true, mode: 'realtime' })).toThrow(
      'enable_wizards: valid only when mode is pro',
    )
  })
})
