import type { FastifyReply } from 'fastify'
import { ServiceError } from '../service/index.ts'
import { httpDefaults } from './settings.ts'

function refusal(message: string): ServiceError {
  return new ServiceError('overloaded', message, { retryAfterSeconds: 1 })
}

/**
 * A signal that aborts when the caller goes away before it has its answer, or after the time that an answer may take. Its
 * reason is a ServiceError. (Fastify's own `request.signal` aborts as soon as a body has been read.)
 */
export function callerSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const late = setTimeout(() => {
    controller.abort(refusal('The answer took too long.'))
  }, httpDefaults.answerTimeoutMs).unref()
  raw.once('close', () => {
    clearTimeout(late)
    if (!raw.writableFinished) controller.abort(refusal('The caller went away.'))
  })
  return controller.signal
}
