import { useEffect, useRef } from 'preact/hooks'

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/**
 * Runs actions by keys while nobody types. A key with Ctrl, Alt or Meta belongs to the browser.
 *
 * @param actions - by `KeyboardEvent.key`. One that returns false leaves the key to the browser.
 */
export function useShortcuts(actions: Readonly<Record<string, () => unknown>>): void {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || isTyping(event.target)) return
      // Inside a dialog only its own keys count.
      if (document.querySelector('dialog[open]')) return
      const action = current.current[event.key]
      if (action && action() !== false) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
