import { useState } from 'preact/hooks'

const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

const KEY = 'asof.theme'

function storedTheme(): Theme {
  try {
    return themes.find(theme => theme === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    // The browser forbids storage: the theme then lasts as long as the page.
    return 'system'
  }
}

function apply(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  dispatchEvent(new Event('themechange'))
}

/** Applies the theme that the reader chose earlier. */
export function applyStoredTheme(): void {
  apply(storedTheme())
}

/** The current theme, and a function that changes to the next one. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(storedTheme)
  const change = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
    setTheme(next)
    apply(next)
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // See storedTheme.
    }
  }
  return [theme, change]
}
