import { copyText } from './copy.ts'
import { button, element } from './dom.ts'
import { renderQr } from './qr.ts'

/** The response to the first step of setting up an authenticator app. */
export interface AuthenticatorKey {
  /** Base32 */
  readonly secret: string
  readonly otpauthUri: string
}

/**
 * Replaces the content of `container` with a new key: to scan, to type or copy, and to open in an app on this device.
 * Reports into the regions of `scope`.
 */
export const showAuthenticatorKey = (
  container: HTMLElement,
  scope: ParentNode,
  { secret, otpauthUri }: AuthenticatorKey,
): void => {
  const code = element('div', { class: 'qr-frame' })
  renderQr(code, otpauthUri)
  const groups = secret.match(/.{1,4}/g) ?? []
  const copy = button('Copy the key', 'button-small')
  copy.addEventListener('click', () => void copyText(scope, secret, 'The key was copied.'))
  container.replaceChildren(
    code,
    element('p', { class: 'hint' }, 'Cannot scan the code? Enter this key in the app instead:'),
    // Shown in groups for readability. A manual copy contains spaces, which apps ignore.
    element('p', {}, element('code', { class: 'secret', 'data-secret': '' }, groups.join(' '))),
    element(
      'div',
      { class: 'actions actions-centre' },
      copy,
      element('a', { class: 'button button-small', href: otpauthUri }, 'Open the app on this device'),
    ),
  )
}
