import { useEffect, useState } from 'preact/hooks'

/** The state of a request: it waits for its answer, has a value, or has failed. */
export type Loaded<Value> =
  | { state: 'loading' }
  | { state: 'full'; value: Value }
  | { state: 'failed'; failure: unknown }

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
