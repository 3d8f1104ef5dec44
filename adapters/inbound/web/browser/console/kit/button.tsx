import type { ReactNode } from 'react'

export type ButtonLook = 'plain' | 'primary' | 'quiet' | 'danger' | 'problem'

const classes: Readonly<Record<ButtonLook, string>> = {
  plain: '',
  primary: 'button-primary',
  quiet: 'button-quiet',
  danger: 'button-quiet button-danger',
  problem: 'button-problem',
}

/** `danger` opens a dialog about a dangerous action; `problem` is the button in that dialog that runs it. */
export const Button = ({
  look = 'plain',
  type = 'button',
  small = false,
  busy = false,
  disabled = false,
  pressed,
  expanded,
  onClick,
  children,
}: {
  readonly look?: ButtonLook
  readonly type?: 'button' | 'submit'
  readonly small?: boolean
  readonly busy?: boolean
  readonly disabled?: boolean
  /** Set for a button that switches something on and off */
  readonly pressed?: boolean
  /** Set for a button that opens a menu: whether it is open */
  readonly expanded?: boolean
  readonly onClick?: () => void
  readonly children: ReactNode
}) => (
  <button
    type={type}
    className={`button ${classes[look]} ${small ? 'button-small' : ''}`.trim()}
    aria-pressed={pressed}
    aria-haspopup={expanded === undefined ? undefined : 'menu'}
    aria-expanded={expanded}
    aria-busy={busy || undefined}
    // It keeps the focus, which a disabled button would lose.
    aria-disabled={busy || disabled || undefined}
    onClick={
      busy || disabled
        ? (event) => {
            event.preventDefault()
          }
        : onClick
    }
  >
    {children}
  </button>
)
