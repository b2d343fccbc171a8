/** The open parts of the console that lie over others. */
const OPEN_PANELS = 'details.filter-panel[open]'

/** From now on, Escape closes an open panel and returns the focus to its button, and a click beside a panel closes it. */
export function closePanels(): void {
  const open = () => [...document.querySelectorAll<HTMLDetailsElement>(OPEN_PANELS)]
  document.addEventListener(
    'keydown',
    event => {
      const panel = open().at(-1)
      if (event.key !== 'Escape' || !panel || document.querySelector('dialog[open]')) return
      event.preventDefault()
      panel.open = false
      panel.querySelector('summary')?.focus()
    },
    // Runs before the view, where Escape closes something else.
    { capture: true },
  )
  document.addEventListener('pointerdown', event => {
    for (const panel of open()) if (event.target instanceof Node && !panel.contains(event.target)) panel.open = false
  })
}
