import { useEffect, useState } from 'preact/hooks'

/** The state of a request: it waits for its answer, has a value, or has failed. */
export type Loaded<Value> =
  | { state: 'loading' }
  | { state: 'full'; value: Value }
  | { state: 'failed'; failure: unknown }

/**
 * Loads a value again and again. The value before is kept until the next one has come.
 *
 * @param everyMs - the time between an answer and the next request. A hidden page asks for nothing.
 * @returns the state, and a function that loads at once.
 */
export function useRefreshed<Value>(load: () => Promise<Value>, everyMs: number): [Loaded<Value>, () => void] {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: 'loading' })
  const [turn, setTurn] = useState(0)
  const next = () => setTurn(turns => turns + 1)
  useEffect(() => {
    let current = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const finish = (state: Loaded<Value>) => {
      if (!current) return
      setLoaded(state)
      timer = setTimeout(next, everyMs)
    }
    if (document.hidden) timer = setTimeout(next, everyMs)
    else
      load().then(
        value => finish({ state: 'full', value }),
        failure => finish({ state: 'failed', failure }),
      )
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [turn])
  return [loaded, next]
}

/**
 * Loads a value for a key, and again when the key changes. What an earlier key loads late is dropped.
 *
 * @param key - undefined loads nothing.
 * @returns the state, and a function that loads again.
 */
export function useLoaded<Value>(key: string | undefined, load: () => Promise<Value>): [Loaded<Value>, () => void] {
  const [loaded, setLoaded] = useState<{ key: string | undefined; state: Loaded<Value> }>()
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (key === undefined) return
    let current = true
    const finish = (state: Loaded<Value>) => {
      if (current) setLoaded({ key, state })
    }
    load().then(
      value => finish({ state: 'full', value }),
      failure => finish({ state: 'failed', failure }),
    )
    return () => {
      current = false
    }
  }, [key, tries])
  const state: Loaded<Value> = loaded !== undefined && loaded.key === key ? loaded.state : { state: 'loading' }
  const again = () => {
    setLoaded(undefined)
    setTries(tries + 1)
  }
  return [state, again]
}
