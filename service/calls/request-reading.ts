import type { RequestReading } from '../contract/request-fields.ts'
import type { CallContext } from './call.ts'
import { type CallName, type CallService, calls, type RequestOf } from './calls.ts'

/**
 * Returns how to read the request of a call so that an error names every invalid field.
 *
 * @param checks - checks what the schema can't. Undefined if another server does.
 * @param context - the rules of the way in.
 */
export function requestReading<N extends CallName>(
  name: N,
  checks: Pick<CallService, 'check'> | undefined,
  context?: CallContext,
): RequestReading<RequestOf<N>> {
  const { standIn } = calls[name]
  return {
    standIn: standIn ?? {},
    check: async request => {
      if (standIn) await checks?.check(name, request, context)
    },
  }
}
