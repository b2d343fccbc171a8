import { describe, expect, it } from 'vitest'
import { parseRequest, type ServiceError, searchRequest } from '../../../../transports/service/index.ts'
import { wizardsWanted } from '../../../../transports/service/wizards/wizard-policy.ts'

const asked = (request: Record<string, unknown>, policy = {}) =>
  wizardsWanted(parseRequest(searchRequest, { query: 'a', ...request }), policy)

describe('whether wizards answer', () => {
  it.each([
    ['not unless asked', {}, {}, false],
    ['when asked', { enable_wizards: true }, {}, true],
    ['by default of the organisation', {}, { wizardsByDefault: true }, true],
    ['not when the request declines them', { enable_wizards: false }, { wizardsByDefault: true }, false],
    ['by default in pro mode alone', { mode: 'realtime' }, { wizardsByDefault: true }, false],
  ])('%s', (_rule, request, policy, wanted) => {
    expect(asked(request, policy)).toEqual({ wanted })
  })

  it('refuses an explicit wish under zero data retention', () => {
    for (const wizardsByDefault of [true, false]) {
      let refusal: ServiceError | undefined
      try {
        asked({ enable_wizards: true }, { zdr: true, wizardsByDefault })
      } catch (error) {
        refusal = error as ServiceError
      }
      expect(refusal?.status).toBe(400)
      expect(refusal?.toBody()).toMatchObject({
        error: 'zdr_wizards_unsupported',
        details: [{ path: 'enable_wizards' }],
      })
    }
  })

  it('leaves out what is on by default under zero data retention, and says so', () => {
    expect(asked({}, { zdr: true, wizardsByDefault: true })).toEqual({
      wanted: false,
      warning: expect.stringContaining('zero data retention'),
    })
    for (const request of [{ enable_wizards: false }, { mode: 'realtime' }])
      expect(asked(request, { zdr: true, wizardsByDefault: true })).toEqual({ wanted: false })
    expect(asked({}, { zdr: true })).toEqual({ wanted: false })
  })

  it('refuses a wish outside pro mode', () => {
    expect(() => asked({ enable_wizards: true, mode: 'realtime' })).toThrow(
      'enable_wizards: valid only when mode is pro',
    )
  })
})
