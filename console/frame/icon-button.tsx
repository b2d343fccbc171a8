import { Icon, type IconName } from './icons.tsx'

interface Props {
  icon: IconName
  /** What the button does, for a screen reader and in its tooltip. */
  label: string
  /** The key that does the same, for the tooltip. */
  shortcut?: string
  class?: string
  disabled?: boolean
  onClick: () => void
}

/** A button that shows only a symbol. */
export function IconButton({ icon, label, shortcut, class: more, disabled, onClick }: Props) {
  return (
    <button
      type="button"
      class={more === undefined ? 'icon-button' : `icon-button ${more}`}
      aria-label={label}
      title={shortcut === undefined ? label : `${label} ${shortcut}`}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}
