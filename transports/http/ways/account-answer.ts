import type { FastifyReply } from 'fastify'
import { answerOnAccount, type BillingAccount } from '../../../service/accounts/index.ts'
import type { CallName, CallService } from '../../../service/index.ts'
import { baseUrlOf, callerSignal, isTooLate, sendAnswer } from '../request/service-call.ts'
import { type DescribedResponse, withHeader } from '../schema/route-schema.ts'
import type { AnyCall, AskedCall } from './way.ts'

/** Describes the header that states the charge of a call. */
export function withUsage(
  responses: Record<string, DescribedResponse>,
  { charged }: AnyCall,
): Record<string, DescribedResponse> {
  const { 200: answered } = responses
  if (!answered || !charged) return responses
  const description = 'Compact JSON: the charge of the call, with `sku`, `amount`, `credits` and `paid`.'
  return { ...responses, 200: withHeader(answered, 'X-Asof-Usage', description) }
}

/**
 * Answers a call for an account and sends the answer, with the header `X-Asof-Usage` if it was charged. The charge is on disk before a
 * 200 is sent.
 *
 * @throws ServiceError - the account cannot pay (insufficient_credits, plan_required), or the call fails. Nothing is charged then.
 */
export async function sendOnAccount<Name extends CallName>(
  { name, asked, request, reply }: AskedCall<Name>,
  service: CallService<Name>,
  account: BillingAccount,
): Promise<FastifyReply> {
  const { answer, charge } = await answerOnAccount(service, account, name, asked, {
    isTooLate: () => isTooLate(reply),
    signal: callerSignal(reply),
    base: baseUrlOf(request),
  })
  request.charges = charge && [charge]
  if (charge && !reply.sent) reply.header('x-asof-usage', JSON.stringify(charge))
  return sendAnswer(reply, answer)
}
