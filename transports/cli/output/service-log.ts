import { isAsofError } from '@asof/core'
import { isError } from '@asof/extract/errors'
import { pino } from 'pino'
import { printableJson } from '../../../service/index.ts'
import type { AnsweredRequest } from '../../http/index.ts'
import type { LogLevel } from '../settings/server-settings.ts'

/** The log of a server, in lines of JSON. */
export interface ServiceLog {
  answered(request: AnsweredRequest): void
  failed(failure: unknown, context: { requestId?: string }): void
  /** Resolves when everything is written. */
  close(): Promise<void>
}

/** Maximum number of bytes that wait to be written. Further lines are dropped. */
const MAX_BUFFERED_BYTES = 1 << 20
const MAX_CAUSES = 5

interface LoggedFailure {
  type: string
  code?: unknown
  message?: string
  stack?: string[]
  cause?: LoggedFailure
}

/**
 * Describes a failure for the log. Messages of asof's own errors contain no queries. Messages of other errors may quote the
 * input of callers, so they are left out unless `full` is set.
 */
function describeFailure(failure: unknown, full: boolean, depth = 0): LoggedFailure {
  if (!isError(failure)) return { type: typeof failure, message: full ? String(failure) : undefined }
  const isLast = depth === MAX_CAUSES
  const frames = failure.stack?.split('\n').filter(line => /^ {4}at /.test(line))
  return {
    type: failure.name,
    code: 'code' in failure ? failure.code : undefined,
    message: full || isAsofError(failure) ? failure.message : undefined,
    stack: frames?.map(frame => frame.trim()),
    cause: isLast || failure.cause === undefined ? undefined : describeFailure(failure.cause, full, depth + 1),
  }
}

/**
 * Opens a log. Requests never wait for it. If the log can't be written any more (its terminal was closed, or the program that
 * reads it has ended), the server continues without a log.
 *
 * @param destination - path of a file, or a file descriptor such as 2 for standard error.
 */
export function openServiceLog(destination: string | number, level: LogLevel): ServiceLog {
  const stream = pino.destination({ dest: destination, sync: false, minLength: 0, maxLength: MAX_BUFFERED_BYTES })
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: nameOf } },
    { write: line => stream.write(printableJson(line)) },
  )
  const closed = new Promise<void>(resolve => stream.once('close', resolve))
  let isBroken = false
  // With pino's own listener, a stream with a broken pipe would never close.
  stream.removeAllListeners('error')
  stream.once('error', () => {
    isBroken = true
    log.level = 'silent'
    stream.on('error', () => {}).destroy()
  })
  return {
    answered: request => log.info(request, 'answered'),
    failed: (failure, { requestId }) =>
      log.error({ requestId, failure: describeFailure(failure, log.isLevelEnabled('debug')) }, 'failed'),
    close: async () => {
      if (!isBroken) stream.end()
      await closed
    },
  }
}

function nameOf(level: string): { level: string } {
  return { level }
}
