import { bodyOf, call } from './api.ts'
import { ApiError } from './api-error.ts'
import type { AdminAnswers, Metric, Session } from './wire.ts'

const changed = new EventTarget()

/** Calls back when the browser was signed in or out. @returns a function that stops that. */
export function onSessionChange(listener: () => void): () => void {
  changed.addEventListener('change', listener)
  return () => changed.removeEventListener('change', listener)
}

/** @throws ApiError - a 401 also says that the session has ended. */
async function ask<Body>(path: string, init: RequestInit = {}): Promise<Body> {
  try {
    return await bodyOf<Body>(await call(path, init))
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 401) changed.dispatchEvent(new Event('change'))
    throw failure
  }
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** Each function calls one route of administration, and throws {@link ApiError}. */
export const admin = {
  /** Undefined if the server has no admin token, so that nobody can sign in. */
  async session(): Promise<Session | undefined> {
    try {
      return await bodyOf<Session>(await call('/admin/session', {}))
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 404) return undefined
      throw failure
    }
  },
  async signIn(token: string): Promise<void> {
    await bodyOf<Session>(await call('/admin/session', post({ token })))
    changed.dispatchEvent(new Event('change'))
  },
  async signOut(): Promise<void> {
    await bodyOf<Session>(await call('/admin/session', { method: 'DELETE' }))
    changed.dispatchEvent(new Event('change'))
  },
  /** Opens the events of running crawls. Each has the name `running`. */
  crawlEvents: () => new EventSource('/admin/crawls/events'),
  metrics: () => ask<{ metrics: Metric[] }>('/admin/metrics'),
  /** Reads by an administrative act, such as `org/list`. */
  read: <Act extends keyof AdminAnswers>(act: Act, query: Record<string, string> = {}) =>
    ask<AdminAnswers[Act]>(`/admin/${act}?${new URLSearchParams(query)}`),
  /** Changes something by an administrative act, such as `org/create`. */
  change: <Act extends keyof AdminAnswers>(act: Act, input: object) =>
    ask<AdminAnswers[Act]>(`/admin/${act}`, post(input)),
}
