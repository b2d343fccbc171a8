import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { admin, onSessionChange } from '../api/admin.ts'
import { ApiError } from '../api/api-error.ts'
import { DeadEnd } from '../frame/dead-end.tsx'
import { Failure, messageOf } from '../frame/failure.tsx'
import { navigate } from '../frame/location.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'

/** Asks for the admin token, and shows what it guards after that. */
export function Guard({ children }: { children: ComponentChildren }) {
  const [session, again] = useLoaded('session', admin.session)
  useEffect(() => onSessionChange(again), [again])
  if (session.state === 'loading') return <Loading />
  if (session.state === 'failed') return <Failure failure={session.failure} onRetry={again} />
  if (session.value === undefined) return <DeadEnd title={texts.signIn.impossible} text={texts.signIn.impossibleText} />
  return session.value.signed_in ? children : <SignIn />
}

/** The view at `/sign-in`: signs in, then goes where the address says, which is a path of the console. */
export function SignInView({ query }: { query: URLSearchParams }) {
  const to = query.get('to') ?? '/'
  return (
    <Guard>
      <GoTo path={/^\/(?![/\\])/.test(to) ? to : '/'} />
    </Guard>
  )
}

function GoTo({ path }: { path: string }) {
  useEffect(() => navigate(path, true), [path])
  return <Loading />
}

function SignIn() {
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    document.title = `${texts.signIn.title} · asof`
  }, [])
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    setBusy(true)
    admin.signIn(String(new FormData(form).get('token'))).catch((cause: unknown) => {
      setBusy(false)
      setFailure(cause instanceof ApiError && cause.status === 401 ? texts.signIn.wrong : messageOf(cause))
      form.reset()
    })
  }
  return (
    <form class="sign-in" onSubmit={onSubmit}>
      <h1>{texts.signIn.title}</h1>
      <p>{texts.signIn.text}</p>
      <label>
        {texts.signIn.token}
        <input
          type="password"
          name="token"
          autocomplete="current-password"
          required
          autofocus
          aria-invalid={failure !== undefined}
          aria-describedby="sign-in-failure"
        />
      </label>
      <p class="bad" id="sign-in-failure" role="alert">
        {failure}
      </p>
      <button type="submit" class="button primary" disabled={isBusy}>
        {texts.signIn.submit}
      </button>
    </form>
  )
}

/** The head of a view that an administrator sees: its title, and the way out. */
export function OperateHead({ title, children }: { title: string; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · asof`
  }, [title])
  return (
    <div class="operate-head">
      <h1>{title}</h1>
      <div class="actions">
        {children}
        <button type="button" class="button small" onClick={() => void admin.signOut()}>
          {texts.signIn.out}
        </button>
      </div>
    </div>
  )
}
