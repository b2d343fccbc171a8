/** The parts of the console that open over others. */
const OPEN_PANELS = 'details.filter-panel[open]'

/** Closes a panel by Escape, which goes back to its button, and by a click elsewhere. */
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
    // Before the view, which takes Escape for what is open in it.
    { capture: true },
  )
  document.addEventListener('pointerdown', event => {
    for (const panel of open()) if (event.target instanceof Node && !panel.contains(event.target)) panel.open = false
  })
}
